import pytest

from hearth.performers.mcp_client.connecting import Call, NeedsLogin, Unavailable


def test_who_needs_a_login_cannot_be_used_until_then() -> None:
    assert issubclass(NeedsLogin, Unavailable)


def test_a_call_is_shown_to_nobody_unless_somebody_looks(
    capfd: pytest.CaptureFixture[str],
) -> None:
    seen: list[str] = []
    Call("tool", {}, 1.0).show("unseen")
    Call("tool", {}, 1.0, seen.append).show("seen")
    assert seen == ["seen"]
    assert capfd.readouterr() == ("", "")
