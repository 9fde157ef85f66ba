from hearth.servers.mcp.protocol import erring


def test_each_error_has_the_code_that_clients_look_for() -> None:
    assert erring.lacks({"sampling": {}}, "no").code == -32021
    assert erring.lacks({"sampling": {}}, "no").data == {"requiredCapabilities": {"sampling": {}}}
    assert erring.misnamed("no").code == -32020
    assert erring.invalid("no").code == -32602
    assert erring.invalid("no").data is None


def test_a_resource_that_is_not_there_has_another_code_in_each_era() -> None:
    assert erring.no_resource("x://y", "2025-11-25").code == -32002
    assert erring.no_resource("x://y", "2026-07-28").code == -32602
    error = erring.no_resource("x" * 10_000, "2026-07-28")
    assert len(error.message) < 300
    assert error.data["uri"].startswith("xxx")
