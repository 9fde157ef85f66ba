import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.offline.mcp_user import User

from hearth.clients.cli.messages import quoted
from hearth.offline.mcp_listing import table
from hearth.settings.mcp_approvals import McpApprovals


def test_all_are_listed_with_where_they_come_from_and_without_secrets(user: User) -> None:
    user.writes(
        '{"mcpServers": {"b": {"command": "x", "env": {"API_KEY": "abcdefgh12345678"}},'
        ' "a": {"url": "https://a.example", "disabled": true}, "off": false}}'
    )
    user.writes('{"mcpServers": {"p": {"command": "y"}}}', user.theirs)
    said = user.says("list")
    assert said.code == 0
    rows = [line.split() for line in said.out.splitlines()[1:]]
    assert [row[:2] for row in rows] == [
        ["a", "disabled"],
        ["b", "enabled"],
        ["off", "off"],
        ["p", "does"],
    ]
    assert "abcdefgh" not in said.out
    assert "hearth trust" in said.err
    user.trusts()
    said = user.says("list")
    assert "p     to be approved  project  y" in said.out
    assert "hearth mcp approve" in said.err
    told = json.loads(user.does("list", "--json"))
    assert [one["state"] for one in told["servers"]] == ["disabled", "enabled", "off", "unapproved"]


def test_one_that_is_not_enabled_is_told(user: User) -> None:
    user.writes(
        '{"mcp": {"enabled": ["a"]}, "mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}'
    )
    assert [line.split()[1] for line in user.does("list").splitlines()[1:]] == ["enabled", "not"]


def test_where_there_is_none_that_is_said(user: User) -> None:
    said = user.says("list")
    assert (said.code, said.out) == (0, "")
    assert "hearth mcp add" in said.err


def test_one_that_is_wrong_is_listed_with_what_is_wrong(user: User) -> None:
    user.writes('{"mcpServers": {"a": {"command": "x", "url": "https://a"}}}')
    said = user.says("list")
    assert "both a command and a url" in said.err
    assert "does not count" in said.out


def test_an_approval_is_seen_in_the_list(user: User) -> None:
    user.writes('{"mcpServers": {"p": {"command": "y"}}}', user.theirs)
    user.trusts()
    user.does("approve", "--yes")
    assert "enabled" in user.does("list")
    assert McpApprovals(user.hearth).problem() is None


def test_columns_are_aligned_and_nothing_is_a_table_of_nothing() -> None:
    assert table(("A", "BB"), []) == []
    assert table(("A", "BB"), [("long", "x")]) == ["A     BB", "long  x"]


@pytest.fixture
def daemon(user: User) -> Iterator[FakeDaemon]:
    user.hearth.mkdir(mode=0o700)
    with FakeDaemon(Path(user.hearth)).serving() as fake:
        yield fake


def test_how_they_are_doing_is_asked_of_the_daemon(user: User, daemon: FakeDaemon) -> None:
    servers = [
        {"name": "a", "state": "ready", "shown": "x", "pid": 7, "tools": 3, "users": 1, "why": ""},
        {"name": "b", "state": "needs_login", "shown": "https://b", "why": "log in first"},
    ]
    daemon.on("GET /mcp-servers", {"servers": servers})
    said = user.says("status")
    assert said.code == 0
    assert said.out.splitlines()[1:] == [
        "a     ready          3      1      7    x",
        "b     needs a login  -      -      -    https://b",
    ]
    assert said.err == "b: log in first\n"
    assert daemon.seen[0].path == f"/mcp-servers?directory={quoted(str(user.project))}"
    assert json.loads(user.does("status", "--json"))["servers"] == servers


def test_without_a_daemon_nobody_can_be_asked(user: User) -> None:
    said = user.says("status")
    assert said.code == 3
    assert "no daemon is running" in said.err
    assert "hint: " in said.err
