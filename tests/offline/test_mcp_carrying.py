from pathlib import Path
from typing import Any

import pytest

from hearth.offline.mcp_carrying import Carried, carried
from hearth.offline.mcp_formats import Configured


def _carried(said: dict[str, Any], name: str = "a") -> Carried:
    return carried(Configured(name, said, Path("/x/f"), "mcpServers", Path("/x"), is_project=False))


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (
            {"type": "stdio", "command": "npx", "args": ["-y", 1], "env": {"A": "${B:-c}", "N": 5}},
            {"command": "npx", "args": ["-y", "1"], "env": {"A": "${B:-c}", "N": "5"}},
        ),
        (
            {"command": "x", "args": [], "env": {}, "timeout": 60000},
            {"command": "x", "timeout": 60},
        ),
        ({"command": "x", "cwd": "sub"}, {"command": "x", "cwd": "/x/sub"}),
        ({"command": "x", "cwd": "~/sub"}, {"command": "x", "cwd": "~/sub"}),
        ({"command": "x", "cwd": "${S}/sub"}, {"command": "x", "cwd": "${S}/sub"}),
        ({"command": ["x", "y"]}, {"command": "x", "args": ["y"]}),
        (
            {"type": "http", "url": "https://a", "headers": {"Authorization": "Bearer ${T}"}},
            {"url": "https://a", "headers": {"Authorization": "Bearer ${T}"}},
        ),
        ({"type": "streamable-http", "url": "https://a"}, {"url": "https://a"}),
        ({"serverUrl": "https://a", "disabled": True}, {"url": "https://a", "disabled": True}),
        (
            {
                "url": "https://a",
                "bearer_token_env_var": "TOK",
                "http_headers": {"X": "y"},
                "env_http_headers": {"Z": "ZED"},
                "enabled": False,
                "tool_timeout_sec": 45.5,
                "scopes": ["read"],
            },
            {
                "url": "https://a",
                "headers": {"X": "y", "Z": "${ZED}", "Authorization": "Bearer ${TOK}"},
                "timeout": 45.5,
                "scopes": ["read"],
                "disabled": True,
            },
        ),
        (
            {"command": "x", "env": {"A": "1"}, "env_vars": ["B", {"name": "C"}], "enabled": True},
            {"command": "x", "env": {"A": "1", "B": "${B}", "C": "${C}"}},
        ),
    ],
)
def test_what_others_say_hearth_says_so(said: dict[str, Any], value: dict[str, Any]) -> None:
    one = _carried(said)
    assert one.value == value
    assert one.notes == ()


def test_words_of_editors_are_said_as_hearth_does() -> None:
    said = {
        "command": "x",
        "args": ["${workspaceFolder}/a", "${env:HOME}", "${input:my-key}", "${input:1st}"],
    }
    one = _carried(said)
    assert one.value == {"command": "x", "args": ["/x/a", "${HOME}", "${MY_KEY}", "${_1ST}"]}
    assert [note.split(" ")[0] for note in one.notes] == ["${workspaceFolder}", "my-key", "1st"]


def test_what_has_no_place_here_is_told_one_by_one() -> None:
    one = _carried({"command": "x", "envFile": ".env", "startup_timeout_sec": 9, "dev": {}})
    assert one.value == {"command": "x"}
    assert one.notes == (
        "left out, because hearth has nothing like it: envFile, startup_timeout_sec",
    )


def test_a_login_is_carried_and_told() -> None:
    one = _carried({"url": "https://a", "oauth": {"clientId": "c", "scopes": "read write"}})
    assert one.value == {"url": "https://a", "clientId": "c", "scopes": ["read", "write"]}
    assert "hearth mcp login" in one.notes[0]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"type": "sse", "url": "https://a/sse"}, "it speaks 'sse'"),
        ({"type": "ws", "url": "wss://a"}, "it speaks 'ws'"),
        ({"command": "/usr/bin/hearth", "args": ["mcp", "--proj", "x"]}, "hearth itself"),
        ({}, "neither"),
        ({"command": "x", "url": "https://a"}, "neither"),
        ({"command": 3}, "no text"),
        ({"command": "x", "args": "y"}, "no list"),
        ({"command": "x", "args": [{}]}, "no text"),
        ({"command": "x", "env": ["A"]}, "no object"),
        ({"": 3}, "no object"),
    ],
)
def test_what_cannot_be_carried_is_told(said: dict[str, Any], why: str) -> None:
    one = _carried(said)
    assert one.value is None
    assert why in one.notes[0]


@pytest.mark.parametrize(
    ("name", "made"),
    [("my_db", "my-db"), ("Süß & gut!", "S-gut"), ("x" * 60, "x" * 40), ("__", "server")],
)
def test_a_name_that_hearth_does_not_take_is_made_one(name: str, made: str) -> None:
    one = _carried({"command": "x"}, name)
    assert one.name == made
    assert "is called" in one.notes[0]
