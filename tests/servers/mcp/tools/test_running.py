"""Tools that run something."""

from pathlib import Path

import pytest
from rs_bpe.bpe import openai
from tests.contracts.scenes import SCENES
from tests.servers.copying import CopyingInterpreter, copied
from tests.servers.http.serving import served
from tests.servers.mcp.clients import call, connected

from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.performers.interpreter.scene import Scene

TOKENS = openai.o200k_base()


@pytest.mark.promise("SF-MCP-02", "SF-MCP-03", "SF-MCP-14", "SF-MCP-18")
async def test_one_and_one_is_small_and_whole(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="1+1")
        assert said.shown == {
            "result": "2",
            "type": "int",
            "hasErrors": False,
            "session": "session-aaaaaa",
            "state": "ready",
        }
        assert "cancel_eval" not in said["available_actions"]
        assert "run_code" in said["available_actions"]
        assert len(TOKENS.encode(said.text)) <= 60


@pytest.mark.promise("SF-MCP-04", "SF-MCP-06")
async def test_neither_the_code_nor_what_could_be_said_about_it_comes_back(tmp_path: Path) -> None:
    code = "x = 1  # marker-4711"
    finding = Diagnostic("unused", Severity.WARNING, 1, 0, 1, 1)
    scenes = {**SCENES, code: Scene(names=("x",), diagnostics=(finding,))}
    async with served(tmp_path, scenes) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code=code)
        assert "marker-4711" not in str(said.whole)
        assert "diagnostics" not in said.fields


@pytest.mark.promise("SF-MCP-05", "SF-MCP-15")
async def test_code_that_raises_is_an_error_with_a_suggestion_and_no_advice_to_reset(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="1/0")
        assert said.is_error
        assert said["state"] == "ready"
        assert said["error"]["name"] == "ZeroDivisionError"
        assert "stays bound" in said["suggestion"]
        assert "reset" not in said["suggestion"]
        assert "events" not in said.fields


async def test_a_long_cell_gives_its_handle(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="hang", wait=0.1)
        assert not said.is_error
        assert (said["cell"], said["running"], said["state"]) == ("c1", True, "evaluating")
        assert said["cursor"] > 0
        assert said["available_actions"][0] == "cancel_eval"
        assert "available_actions" in said.shown


@pytest.mark.promise("SF-AFF-05", "SF-AFF-06")
async def test_while_a_cell_runs_another_is_refused_or_waits(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        await call(client, "run_code", code="hang", wait=0)
        said = await call(client, "run_code", code="1+1")
        assert said.is_error
        assert said["error"]["type"] == "not_now"
        assert said["state"] == "evaluating"
        assert "cancel_eval" in said["remedy"]
        waits = await call(client, "run_code", code="1+1", if_busy="queue", wait=0.1)
        assert (waits["cell"], waits["running"]) == ("c2", True)


async def test_a_cell_that_asks_says_what(tmp_path: Path) -> None:
    scenes = {**SCENES, "ask": Scene(asks="Name? ")}
    async with served(tmp_path, scenes) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="ask", may_ask=True)
        assert said["asks"] == {"prompt": "Name? ", "password": False}
        assert said["available_actions"][0] == "answer_input"


@pytest.mark.promise("SF-MCP-11")
async def test_a_script_says_how_many_statements_ran(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "load_script", path="script.py")
        assert said["statements"] == 3
        assert "result" not in said.fields
        bad = await call(client, "load_script", path="nothing.py")
        assert bad.is_error
        assert bad["error"]["type"] == "code_raised"
        assert "statements" not in bad.fields


async def test_a_cell_that_fails_is_taken_back_where_that_was_wanted(tmp_path: Path) -> None:
    copying = CopyingInterpreter(SCENES)
    async with copied(tmp_path, copying) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="1/0", on_error="undo")
        assert said.is_error
        assert said["undone"] is True
        assert "send all of it" in said["suggestion"]
        assert "not_undone" not in said.fields
        kept = await call(client, "run_code", code="1/0")
        assert "undone" not in kept.fields
        assert "stays bound" in kept["suggestion"]
        good = await call(client, "run_code", code="1+1", on_error="undo")
        assert good["result"] == "2"
        assert not {"undone", "not_undone", "cannot_undo"} & set(good.fields)


async def test_why_a_cell_could_not_be_taken_back_is_said(tmp_path: Path) -> None:
    copying = CopyingInterpreter(SCENES, obstacles=("the thread 'pump' runs",))
    async with copied(tmp_path, copying) as daemon, connected(daemon) as client:
        await daemon.begin()
        said = await call(client, "run_code", code="1/0", on_error="undo")
        assert said.is_error
        assert said["not_undone"] == "the thread 'pump' runs"
        assert "cannot_undo" not in said.fields
        good = await call(client, "run_code", code="1+1")
        assert (good["result"], good["cannot_undo"]) == ("2", "the thread 'pump' runs")
        loaded = await call(client, "load_script", path="script.py")
        assert (loaded["statements"], loaded["cannot_undo"]) == (3, "the thread 'pump' runs")
        assert "undone" not in said.fields
        assert "stays bound" in said["suggestion"]
        wrong = await call(client, "run_code", code="1/0", on_error="ignore")
        assert wrong["error"]["type"] == "malformed"
