from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hearth.settings.checking import Value
from hearth.settings.layers import Entry, Layer
from hearth.settings.masking import MASKED
from hearth.settings.mcp import McpSettings, PoolSettings, ServerSpec, servers_of
from hearth.settings.snapshot import Layers, compose

ME = "/me/hearth.jsonc"
PROJECT = "/project/hearth.jsonc"


def layer(source: str, values: dict[str, Value]) -> Layer:
    return Layer(source, {name: Entry(value, source, 3) for name, value in values.items()})


def found(
    person: dict[str, Any], project: dict[str, Any] | None = None, *, trusted: bool = True
) -> McpSettings:
    return servers_of(
        compose(
            Layers(
                environment=Layer("environment"),
                person=layer(ME, person),
                project=layer(PROJECT, project or {}),
                trusted=trusted,
                root="/project",
            )
        )
    )


def test_servers_of_both_files_are_known_with_where_they_come_from() -> None:
    mine = {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "timeout": 5.0}
    theirs = {"command": "./server", "cwd": "sub"}
    servers = found({"mcpServers.mine": mine}, {"mcpServers.theirs": theirs}).servers
    assert set(servers) == {"mine", "theirs"}
    one = servers["mine"]
    assert (one.command, one.args, dict(one.env)) == ("npx", ("-y", "x"), {"A": "b"})
    assert (one.timeout, one.idle_timeout, one.is_project) == (5.0, None, False)
    assert (one.source, one.root, one.cwd) == (ME, "", "")
    other = servers["theirs"]
    assert (other.is_project, other.root, other.cwd) == (True, "/project", "/project/sub")
    assert other.timeout == 120


@pytest.mark.promise("LK-POOL-08")
def test_the_pool_is_as_usual_unless_a_person_says_otherwise() -> None:
    assert found({}).pool == PoolSettings(300, 30, 50)
    said = {"mcpPool.idleTimeout": 0, "mcpPool.maxIdleServers": "unlimited"}
    assert found(said, {"mcpPool.cleanupInterval": 1.0}).pool == PoolSettings(0, 30, None)


def test_a_project_changes_no_server_of_the_person_and_may_take_it_away() -> None:
    person = {"mcpServers.a": {"command": "mine"}, "mcpServers.off": False}
    project = {"mcpServers.a": {"command": "theirs"}, "mcpServers.off": {"command": "theirs"}}
    kept = found(person, project).servers
    assert [(name, one.command) for name, one in kept.items()] == [("a", "mine")]
    assert not kept["a"].is_project
    assert found(person, {"mcpServers.a": False}).servers == {}


def test_a_server_that_both_describe_alike_is_the_persons() -> None:
    said = {"mcpServers.a": {"command": "same"}}
    assert not found(said, said).servers["a"].is_project
    assert not found(said, {"mcpServers.a": True}).servers["a"].is_project


def test_of_a_project_that_is_not_trusted_no_server_is_known() -> None:
    assert found({}, {"mcpServers.a": {"command": "x"}}, trusted=False).servers == {}


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({}, "neither command nor url"),
        ({"command": "x", "url": "https://x.example"}, "both a command and a url"),
        ({"type": "http", "command": "x"}, 'type "http"'),
        ({"type": "stdio", "url": "https://x.example"}, 'type "stdio"'),
        ({"url": "file:///etc/passwd"}, "no address of http"),
        ({"command": "a\0b"}, "no program can be given"),
        ({"command": "a", "env": {"A=B": "c"}}, "= in it"),
        ({"url": "https://x.example", "headers": {"A": "b\nC: d"}}, "several lines"),
        (True, "does not say how"),
    ],
)
def test_what_cannot_be_started_is_told_with_file_and_line(said: Any, what: str) -> None:
    settings = found({"mcpServers.a": said, "mcpServers.b": {"command": "x"}})
    assert list(settings.servers) == ["b"]
    (problem,) = settings.problems
    assert what in problem.what
    assert str(problem).startswith(f"{ME}:3: mcpServers.a: ")
    assert "right would be" in str(problem)


@pytest.mark.promise("LK-POOL-01")
def test_any_difference_in_what_runs_is_another_digest() -> None:
    one = ServerSpec("a", "x", ("y",), {"A": "1"}, "/w", "", {}, (), "")
    others = [
        replace(one, name="b"),
        replace(one, command="z"),
        replace(one, args=("y", "y")),
        replace(one, args=()),
        replace(one, env={"A": "2"}),
        replace(one, env={"A": "1", "B": ""}),
        replace(one, cwd="/v"),
        replace(one, url="https://x.example"),
        replace(one, headers={"A": "1"}),
        replace(one, scopes=("s",)),
        replace(one, client_id="c"),
    ]
    assert len({spec.digest for spec in (one, *others)}) == len(others) + 1
    same = replace(one, idle_timeout=1.0, timeout=1.0, source="/elsewhere")
    assert same.digest == one.digest
    two = replace(one, env={"B": "2", "A": "1"})
    assert two.digest == replace(one, env={"A": "1", "B": "2"}).digest


@pytest.mark.promise("LK-POOL-02")
def test_secrets_are_neither_shown_nor_in_any_text_of_a_server() -> None:
    spec = ServerSpec(
        "a", "run it", ("--token", "hush-hush"), {"MY_TOKEN": "hush-hush", "MODE": "x y"}, "/w"
    )
    assert spec.shown() == f"MY_TOKEN='{MASKED}' MODE='x y' 'run it' --token '{MASKED}' (in /w)"
    reached = ServerSpec("a", url="https://u:hush-hush@x.example", headers={"Auth": "hush-hush"})
    assert "hush-hush" not in f"{spec} {reached} {reached.shown()}"
    assert reached.shown().startswith("https://u:")


def test_nothing_in_a_command_can_hide_a_part_of_it() -> None:
    shown = ServerSpec("a", "x", ("a\x1b[2K\u202eb", "\n", "é")).shown()
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\n" not in shown
    assert "\\x1b" in shown
    assert "é" in shown


def test_references_are_filled_from_the_environment_and_what_is_missing_is_told() -> None:
    spec = ServerSpec(
        "a",
        "${BIN:-run}",
        ("${A}", "x${B:-y}z"),
        {"T": "${T}", "E": "${E:-}"},
        url="https://${H}",
        headers={"A": "Bearer ${T}"},
    )
    made, missing = spec.filled({"A": "1", "T": "tok", "H": "h.example"})
    assert (made.command, made.args) == ("run", ("1", "xyz"))
    assert made.env == {"T": "tok", "E": ""}
    assert (made.url, made.headers) == ("https://h.example", {"A": "Bearer tok"})
    assert missing == ()
    assert spec.filled({})[1] == ("A", "T", "H")
    assert spec.env["T"] == "${T}", "what is written stays as it is"


def test_a_folder_begins_at_its_file_or_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    servers = found({"mcpServers.a": {"command": "x", "cwd": "~/w"}}).servers
    assert servers["a"].cwd == str(Path("/home/me/w"))


@pytest.mark.promise("LK-SCOPE-01")
def test_a_project_enables_its_own_servers_and_no_others_than_the_person() -> None:
    person = {f"mcpServers.{name}": {"command": name} for name in ("a", "b")}
    project: dict[str, Any] = {"mcpServers.p": {"command": "p"}}
    assert found(person, project).enabled is None
    some = person | {"mcp.enabled": ("a",)}
    assert found(some, project).enabled == ("a",)
    assert found(some, project | {"mcp.enabled": ("a", "b", "p")}).enabled == ("a", "p")
    assert found(person, project | {"mcp.enabled": ("b",)}).enabled == ("b",)


@pytest.mark.promise("LK-SCOPE-01")
def test_agents_have_servers_of_their_own_and_a_project_gives_them_no_more() -> None:
    person = {f"mcpServers.{name}": {"command": name} for name in ("a", "b", "c")}
    said = person | {"mcp.enabled": ("a",), "agents.rev*.mcpServers": ("b",)}
    project = {"agents.rev*.mcpServers": ("a", "b", "c"), "agents.x.mcpServers": ("b",)}
    mine = found(said)
    assert (mine.of_agent("review"), mine.of_agent("x"), mine.of_agent("")) == (("b",), None, None)
    both = found(said, project)
    assert both.of_agent("review") == ("b",)
    assert both.of_agent("x") == ()
