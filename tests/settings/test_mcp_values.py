import msgspec
import pytest

from hearth.settings.mcp_values import McpPool, McpServer


def test_a_server_is_read_in_the_usual_shape() -> None:
    said = {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "idleTimeout": 0}
    found = msgspec.convert(said, McpServer)
    assert (found.command, found.args, found.env) == ("npx", ("-y", "x"), {"A": "b"})
    assert found.idle_timeout == 0


@pytest.mark.parametrize(
    "said",
    [{"commands": "x"}, {"command": ""}, {"timeout": 0}, {"idleTimeout": -1}, {"env": {"A": None}}],
)
def test_what_is_no_server_is_refused(said: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(said, McpServer)


@pytest.mark.promise("LK-POOL-08")
def test_the_pool_may_keep_any_number_of_servers() -> None:
    assert msgspec.convert({"maxIdleServers": "unlimited"}, McpPool).max_idle_servers == "unlimited"
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"maxIdleServers": None, "cleanupInterval": 0}, McpPool)
