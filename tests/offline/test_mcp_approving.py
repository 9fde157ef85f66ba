import io
import json
import sys

import pytest
from tests.offline.mcp_user import User

SERVERS = (
    '{"mcpServers": {"a": {"command": "npx", "args": ["-y", "a"],'
    ' "env": {"A_TOKEN": "abcdefgh12345678"}},'
    ' "b": {"url": "https://b.example/mcp"}}}'
)


class Terminal(io.StringIO):
    """Where a person types."""

    def isatty(self) -> bool:
        return True


def _types(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True, raising=False)


def test_each_is_shown_and_asked_for(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.writes(SERVERS, user.theirs)
    user.trusts()
    _types(monkeypatch, "y\n\n")
    said = user.says("approve")
    assert said.code == 1
    assert said.out == "a is approved, as it is now\n"
    assert "A_TOKEN='********' npx -y a" in said.err
    assert f"configured in {user.theirs}" in said.err
    assert "https://b.example/mcp" in said.err
    assert "not approved: b" in said.err
    assert "abcdefgh" not in said.err
    _types(monkeypatch, "yes\n")
    said = user.says("approve")
    assert said.out == "b is approved, as it is now\n"
    assert "npx" not in said.err
    assert user.does("approve") == "nothing of this project waits for an approval\n"


def test_without_a_person_nothing_is_approved(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.writes(SERVERS, user.theirs)
    user.trusts()
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\ny\n"))
    said = user.says("approve")
    assert said.code == 1
    assert "`--yes` approves" in said.err
    assert json.loads(user.does("approve", "a", "--yes", "--json"))["approved"] == ["a"]
    assert "to be approved" in user.does("list")
    assert user.does("approve", "-y").splitlines() == ["b is approved, as it is now"]


def test_a_change_has_to_be_approved_again(user: User) -> None:
    user.writes(SERVERS, user.theirs)
    user.trusts()
    user.does("approve", "--yes")
    user.writes(SERVERS.replace('"-y", "a"', '"-y", "evil"'), user.theirs)
    user.trusts()
    said = user.says("approve", "--yes")
    assert said.out == "a is approved, as it is now\n"
    assert "evil" in said.err


def test_a_project_has_to_be_trusted_first(user: User) -> None:
    user.writes(SERVERS, user.theirs)
    for words in ((), ("a",)):
        assert "is not trusted" in user.fails("approve", *words)


def test_what_needs_none_and_what_is_not_there_is_told(user: User) -> None:
    user.does("add", "mine", "--", "x")
    assert "your own server" in user.says("approve", "mine").err
    assert "there is no server none" in user.fails("approve", "none")
    assert user.does("approve") == "nothing of this project waits for an approval\n"
