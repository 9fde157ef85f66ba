import json
from typing import Any

import pytest
from tests.offline.mcp_user import User

CLAUDE: dict[str, Any] = {
    "numStartups": 12,
    "mcpServers": {
        "sentry": {"type": "http", "url": "https://mcp.sentry.example/mcp"},
        "linear": {"type": "sse", "url": "https://mcp.linear.example/sse"},
        "hearth": {"type": "stdio", "command": "hearth", "args": ["mcp"], "env": {}},
    },
    "projects": {"/somewhere/else": {"mcpServers": {"far": {"command": "x"}}}},
}
CODEX = """
model = "gpt-5"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
startup_timeout_sec = 20

[mcp_servers.context7.env]
API_KEY = "abcdefgh12345678"

[mcp_servers.figma]
url = "https://mcp.figma.example/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
"""
PROJECT = {"mcpServers": {"shared": {"command": "npx", "args": ["${DSN:-local}"]}}}


@pytest.fixture
def equipped(user: User) -> User:
    """Somebody who has used other programs."""
    user.writes(json.dumps(CLAUDE), user.home / ".claude.json")
    user.writes(CODEX, user.home / ".codex" / "config.toml")
    user.writes(json.dumps(PROJECT), user.project / ".mcp.json")
    return user


def test_without_a_file_the_usual_places_are_looked_at(equipped: User) -> None:
    said = equipped.says("import")
    assert said.code == 0
    assert equipped.servers() == {
        "sentry": {"url": "https://mcp.sentry.example/mcp"},
        "context7": {
            "command": "npx",
            "args": ["-y", "@upstash/context7-mcp"],
            "env": {"API_KEY": "abcdefgh12345678"},
        },
        "figma": {
            "url": "https://mcp.figma.example/mcp",
            "headers": {"Authorization": "Bearer ${FIGMA_TOKEN}"},
        },
    }
    assert "abcdefgh" not in said.out + said.err
    for told in (
        "linear: it speaks 'sse'",
        "hearth: that is hearth itself",
        "far: it is of another project: /somewhere/else",
        "shared: it came with this project",
        "context7: left out, because hearth has nothing like it: startup_timeout_sec",
    ):
        assert told in said.err
    assert not equipped.theirs.exists()
    again = equipped.says("import")
    assert again.code == 0
    assert again.out.count("there already") == 3


def test_a_dry_run_writes_nothing_and_tells_all(equipped: User) -> None:
    told = equipped.says("import", "--dry-run", "--json")
    assert told.code == 0
    states = {one["name"]: one["state"] for one in told.json["servers"]}
    assert states["sentry"] == "would be added"
    assert states["linear"] == "left out"
    assert "abcdefgh" not in told.out
    assert not equipped.mine.exists()


def test_of_one_program_only(equipped: User) -> None:
    equipped.does("import", "--from", "codex")
    assert set(equipped.servers()) == {"context7", "figma"}
    assert "one of: claude, codex" in equipped.fails("import", "--from", "emacs")


def test_a_projects_own_go_into_its_file(equipped: User) -> None:
    said = equipped.says("import", "--project", "--from", "claude", ".mcp.json")
    assert said.code == 0
    assert equipped.servers(equipped.theirs) == PROJECT["mcpServers"]
    assert "hearth mcp approve" in said.err
    assert "secrets" not in said.err
    secret = equipped.says("import", "--project", "--from", "codex")
    assert "there are secrets among it" in secret.err


def test_where_a_server_works_is_written_as_its_file_needs_it(user: User) -> None:
    server = {"mcpServers": {"shared": {"command": "npx", "cwd": "tools"}}}
    user.writes(json.dumps(server), user.project / ".mcp.json")
    user.does("import", "--project", ".mcp.json")
    assert user.servers(user.theirs)["shared"]["cwd"] == "tools", "others have it elsewhere"
    user.does("import", ".mcp.json")
    assert user.servers()["shared"]["cwd"] == str(user.project / "tools")
    assert "there already" in user.does("import", "--project", ".mcp.json")


def test_a_file_that_is_named_is_taken_for_the_persons_own(equipped: User) -> None:
    equipped.does("import", ".mcp.json")
    assert equipped.servers() == PROJECT["mcpServers"]


def test_a_name_that_is_taken_is_refused_unless_forced(equipped: User) -> None:
    equipped.writes('{\n  // mine\n  "mcpServers": {"figma": {"command": "own"}}\n}\n')
    said = equipped.says("import", "--from", "codex")
    assert said.code == 1
    assert "name is taken" in said.out
    assert "--force" in said.err
    written = equipped.mine.read_text()
    assert '{"command": "own"}' in written
    assert "context7" in written
    assert "// mine" in written
    equipped.does("import", "--from", "codex", "--force")
    assert "mcp.figma.example" in equipped.mine.read_text()


def test_files_that_are_not_there_or_tell_nothing_are_refused(equipped: User) -> None:
    assert "there is no file" in equipped.fails("import", "none.json")
    equipped.writes("{}", equipped.project / "empty.json")
    assert "tells of no MCP server" in equipped.fails("import", "empty.json")
    equipped.writes("{", equipped.project / "broken.json")
    assert "cannot be understood" in equipped.fails("import", "broken.json")
    assert not equipped.mine.exists()


def test_where_nothing_is_found_that_is_said(user: User) -> None:
    said = user.says("import")
    assert (said.code, said.out) == (0, "")
    assert "name a file" in said.err


def test_what_was_imported_counts(equipped: User) -> None:
    equipped.does("import")
    assert [line.split()[1] for line in equipped.does("list").splitlines()[1:]] == ["enabled"] * 3
