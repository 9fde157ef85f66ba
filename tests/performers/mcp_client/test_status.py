from hearth.performers.mcp_client.entries import Running
from hearth.performers.mcp_client.status import failed, of_running


def test_a_server_is_shown_by_its_name_and_never_by_its_key() -> None:
    running = Running("digest", "ready", "2026-01-01", users=2, pid=5, tools=3, noise=1)
    shown = of_running(running, {"digest": ("files", "npx files", "/f")})
    assert (shown.name, shown.shown, shown.source) == ("files", "npx files", "/f")
    assert (shown.state, shown.users, shown.pid, shown.tools, shown.noise) == ("ready", 2, 5, 3, 1)
    assert "digest" not in str(shown)
    assert of_running(running, {}).name == ""


def test_a_login_that_is_needed_is_a_state_of_its_own() -> None:
    assert failed("it needs a login: hearth mcp login x") == "needs_login"
    assert failed("it ended") == "failed"
