"""The tool by which agents ask what is wrong."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.performers.language_server import pretended as parts

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.permitting import READ, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.language_server.diagnostics import Diagnostics
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.tools.arguments import NotValid, parsed
from hearth.performers.tools.tool import Outcome, Scene, Tool


def place_of(scene: Scene) -> Place:
    return Place(scene.directory, scene.root)


async def call(tool: Tool, scene: Scene, **arguments: Any) -> Outcome:
    """As the performer does it when everything is allowed."""
    wanted = tool.wants(arguments, scene)
    return await tool.run(arguments, replace(scene, needs=wanted.needs))


@pytest.mark.promise("DP-LSP-03")
async def test_an_error_is_told_by_file_and_counted_and_gone_when_it_is_fixed(
    servers: LanguageServers, scene: Scene, root: Path
) -> None:
    tool = Diagnostics(servers, place_of)
    (root / "a.py").write_text("import os\nx: int = ''\n")
    (root / "b.py").write_text("y = 1\n")
    told = await call(tool, scene, path="a.py")
    assert [line.split()[0] for line in told.text.splitlines()] == ["a.py:1:8", "a.py:2:10"]
    assert "(F401, ruff)" in told.text
    assert "(invalid-assignment, ty)" in told.text
    assert told.files == (str(root / "a.py"),)
    assert len([one for one in servers.given(str(root)) if one.given]) == 2
    counted = (await call(tool, scene)).text.splitlines()
    assert counted[:2] == ["1 error, 1 warning in 1 file.", "a.py: 1 error, 1 warning"]
    (root / "a.py").write_text("x: int = 1\n")
    assert (await call(tool, scene, path="a.py")).text == "a.py: no diagnostics."
    assert (await call(tool, scene)).text.splitlines()[0] == "No diagnostics."


@pytest.mark.promise("DP-LSP-04")
async def test_what_an_agent_wrote_is_what_is_looked_at(
    servers: LanguageServers, scene: Scene, root: Path
) -> None:
    tool = Diagnostics(servers, place_of)
    for number in range(3):
        (root / "a.py").write_text(f"name{number}\n")
        await servers.after_write(scene, (str(root / "a.py"),))
        text = (await call(tool, scene, path="a.py")).text
        assert f"name{number}" in text
        assert f"name{number - 1}" not in text


async def test_a_server_that_cannot_be_asked_does_not_look_like_a_clean_file(
    serving: Callable[..., LanguageServers], scene: Scene, root: Path
) -> None:
    (root / "a.py").write_text("dies\n")
    servers = serving(parts.PULLED)
    servers._pool._ways = replace(servers._ways, back_off=())
    told = await call(Diagnostics(servers, place_of), scene, path="a.py")
    assert told.text.startswith("curious could not be asked: it ended")
    assert "no diagnostics" not in told.text


def test_it_wants_to_read_the_file_or_the_project(scene: Scene, root: Path) -> None:
    tool = Diagnostics(LanguageServers(lambda _: ()), place_of)
    (need,) = tool.wants({"path": "sub/a.py"}, scene).needs
    assert (need.permission, need.target, need.resolved) == (
        READ,
        "sub/a.py",
        str(root / "sub" / "a.py"),
    )
    (need,) = tool.wants({}, scene).needs
    assert (need.target, need.usual) == (".", Verdict.ALLOW)
    outside = tool.wants({"path": "/etc/passwd"}, scene)
    assert {one.permission for one in outside.needs} == {READ, "external_directory"}
    assert not outside.may_change


async def test_nothing_is_looked_at_that_was_not_allowed(scene: Scene) -> None:
    tool = Diagnostics(LanguageServers(lambda _: ()), place_of)
    told = await tool.run({"path": "a.py"}, scene)
    assert told.is_error


def test_it_is_offered_in_projects_and_takes_a_path_or_nothing(scene: Scene) -> None:
    tool = Diagnostics(LanguageServers(lambda _: ()), place_of)
    assert tool.is_offered(scene)
    assert not tool.is_offered(Scene(SessionId("alone"), "/"))
    assert tool.read_only
    assert parsed("", tool.input_schema) == {}
    for wrong in ('{"path": 3}', '{"path": ""}', '{"file": "a"}'):
        with pytest.raises(NotValid):
            parsed(wrong, tool.input_schema)
