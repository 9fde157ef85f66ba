"""Tools that ask about code and names."""

from pathlib import Path

import pytest
from tests.contracts.scenes import SCENES
from tests.servers.http.serving import served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Completion, CompletionKind
from hearth.performers.interpreter.scene import Scene
from hearth.servers.mcp.tools.questions import MOST

S = "session-aaaaaa"


@pytest.mark.promise("SF-MCP-07", "SF-MCP-08")
async def test_a_check_tells_what_is_new_or_all_of_it(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        first = await call(client, "check_code", code="undefined")
        assert first["diagnostics"] == [
            {"message": "undefined name", "severity": "error", "start": [1, 0], "end": [1, 9]}
        ]
        again = await call(client, "check_code", code="undefined")
        assert (again["diagnostics"], again["known_before"]) == ([], 1)
        assert (
            len((await call(client, "check_code", code="undefined", full=True))["diagnostics"]) == 1
        )
        async with connected(daemon, name="another") as other:
            assert (await call(other, "check_code", code="undefined"))["diagnostics"]


@pytest.mark.promise("SF-MCP-09")
@pytest.mark.parametrize("era", ERAS)
async def test_completions_are_label_kind_and_detail_alone(tmp_path: Path, era: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon, era) as client:
        await daemon.begin()
        said = await call(client, "get_completions", code="xs.ap", cursor=5, session=S)
        assert said["items"] == [{"label": "append", "kind": "method"}]
        at_the_end = await call(client, "get_completions", code="xs.ap", session=S)
        assert at_the_end["items"] == said["items"]
        assert set(said.fields) == {"items", "session", "state", "available_actions"}


async def test_many_items_are_ended_and_counted(tmp_path: Path) -> None:
    many = tuple(Completion(f"a{number}", CompletionKind.METHOD) for number in range(MOST + 7))
    scenes = {**SCENES, "a": Scene(completions=many)}
    async with served(tmp_path, scenes) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "get_completions", code="a")
        assert (len(said["items"]), said["more"]) == (MOST, 7)


async def test_an_object_is_inspected(tmp_path: Path) -> None:
    known = Inspection(
        found=True, name="f", kind="function", signature="f(x)", doc="Does it.", line=3
    )
    scenes = {**SCENES, "f": Scene(inspection=known)}
    async with served(tmp_path, scenes) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "inspect", code="f")
        assert (said["found"], said["signature"], said["line"]) == (True, "f(x)", 3)
        assert (await call(client, "inspect", code="nothing"))["found"] is False


@pytest.mark.parametrize("tool", ["explore_module", "explore_type"])
async def test_what_is_not_found_is_said(tmp_path: Path, tool: str) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, tool, name="json")
        assert said["found"] is False
        assert "members" not in said.fields


async def test_names_are_listed(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="x = 1")
        assert "variables" in (await call(client, "list_variables", prefix="x")).fields


@pytest.mark.promise("SF-AFF-08")
async def test_questions_are_answered_while_a_cell_runs(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="hang", wait=0)
        said = await call(client, "get_completions", code="xs.ap")
        assert (said["state"], len(said["items"])) == ("evaluating", 1)
