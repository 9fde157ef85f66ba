import json
import urllib.request
from collections.abc import Iterator

import pytest
from tests.offline.login_server import LoginServer, login_server
from tests.offline.mcp_user import User

from hearth.offline import mcp_login
from hearth.settings.mcp_tokens import McpTokens


@pytest.fixture
def far() -> Iterator[LoginServer]:
    with login_server() as server:
        yield server


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a browser that follows every address was shown in the end."""
    shown: list[str] = []

    def browse(address: str) -> bool:
        with urllib.request.urlopen(address, timeout=30) as page:  # noqa: S310 - our own server
            shown.append(page.read().decode())
        return True

    monkeypatch.setattr(mcp_login, "opened", browse)
    return shown


def _configured(user: User, far: LoginServer) -> None:
    user.writes(json.dumps({"mcpServers": {"far": {"url": far.url, "scopes": ["read"]}}}))


def test_a_person_logs_in_and_the_tokens_are_kept_for_them_alone(
    user: User, far: LoginServer, pages: list[str]
) -> None:
    _configured(user, far)
    said = user.says("login", "far")
    assert (said.code, said.out) == (0, "far: you are logged in\n")
    assert f"{far.base}/authorize?" in said.err
    assert "hearth is logged in" in pages[0]
    asked = dict(far.asked)
    assert asked["/register"]["redirect_uris"][0].startswith("http://127.0.0.1:")
    assert asked["/authorize"]["code_challenge_method"] == "S256"
    kept = McpTokens(user.hearth).login(far.url)
    assert kept.tokens is not None
    assert kept.tokens["access_token"] == far.token
    assert kept.metadata is not None
    assert far.token not in said.out + said.err
    (file,) = user.hearth.glob("mcp-tokens.json")
    assert file.stat().st_mode & 0o777 == 0o600
    assert user.does("login", "far") == "far: you are still logged in\n"
    assert len(pages) == 1
    assert "logged out" in user.does("logout", "far")
    assert McpTokens(user.hearth).login(far.url).tokens is None
    assert "nobody was logged in" in user.does("logout", "far")


def test_a_server_that_answers_everybody_wants_no_login(
    user: User, far: LoginServer, pages: list[str]
) -> None:
    far.wants_login = False
    _configured(user, far)
    assert "wants no login" in user.does("login", "far")
    assert not pages


def test_a_no_is_told(user: User, far: LoginServer, pages: list[str]) -> None:
    far.says_no = True
    _configured(user, far)
    assert "did not log you in: access_denied" in user.fails("login", "far")
    assert "You were not logged in" in pages[0]
    assert McpTokens(user.hearth).login(far.url).tokens is None


def test_an_answer_of_another_issuer_is_not_believed(
    user: User, far: LoginServer, pages: list[str]
) -> None:
    far.issuer = "https://evil.example"
    _configured(user, far)
    user.fails("login", "far")
    assert pages
    assert "/token" not in dict(far.asked)


def test_a_server_that_cannot_be_reached_is_told(user: User) -> None:
    user.writes('{"mcpServers": {"far": {"url": "http://127.0.0.1:9/mcp"}}}')
    assert "cannot be reached" in user.fails("login", "far")


def test_what_has_no_login_is_told(user: User) -> None:
    user.writes(
        '{"mcpServers": {"near": {"command": "x"}, "open": {"url": "https://a/${NOT_SET_HERE}"}}}'
    )
    user.writes('{"mcpServers": {"theirs": {"url": "https://b"}}}', user.theirs)
    user.trusts()
    assert "only servers that are reached over HTTP" in user.fails("login", "near")
    assert "needs NOT_SET_HERE" in user.fails("login", "open")
    assert "you have not approved" in user.fails("login", "theirs")
    assert "there is no server none" in user.fails("logout", "none")


def test_a_login_is_forgotten_whatever_else_a_server_would_need(user: User) -> None:
    user.writes(
        '{"mcpServers": {"far": {"url": "https://a", "headers": {"X-A": "${NOT_SET_HERE}"}},'
        ' "open": {"url": "https://a/${NOT_SET_HERE}"}}}'
    )
    user.writes('{"mcpServers": {"theirs": {"url": "https://b"}}}', user.theirs)
    user.trusts()
    tokens = McpTokens(user.hearth)
    for name, url in (("far", "https://a"), ("theirs", "https://b")):
        tokens.keep_tokens(url, {"access_token": "t"})
        assert "you are logged out" in user.does("logout", name)
        assert tokens.login(url).tokens is None
    assert "needs NOT_SET_HERE" in user.fails("logout", "open"), "nobody knows its address"
