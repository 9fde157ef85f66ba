"""Tools that take back what was run, and bring it back."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.scenes import SCENES
from tests.servers.copying import SIZE, CopyingInterpreter, copied
from tests.servers.http.serving import Served
from tests.servers.mcp.clients import ERAS, call, connected

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.failures import WorkerCrashed
from hearth.core.vocabulary.ids import InputId
from hearth.performers.interpreter.scene import Scene
from hearth.servers.mcp.tools.undoing import became
from hearth.servers.mcp.waiting import Waited

S = "session-aaaaaa"


@pytest.fixture
def copying() -> CopyingInterpreter:
    return CopyingInterpreter({**SCENES, "y = 2": Scene(names=("y",))})


@pytest.fixture
async def daemon(tmp_path: Path, copying: CopyingInterpreter) -> AsyncIterator[Served]:
    async with copied(tmp_path, copying) as one:
        await one.begin()
        yield one


@pytest.mark.parametrize("era", ERAS)
async def test_cells_are_taken_back_and_brought_back(
    daemon: Served, copying: CopyingInterpreter, era: str
) -> None:
    async with connected(daemon, era) as client:
        await call(client, "run_code", code="x = 1", session=S)
        said = await call(client, "run_code", code="y = 2", session=S)
        assert "undo_code" in said["available_actions"]
        assert "redo_code" not in said["available_actions"]
        said = await call(client, "undo_code", session=S)
        assert (said["undone"], said["can_redo"], said["can_undo"]) == (["c2"], True, ["c1"])
        assert said["state"] == "ready"
        assert "redo_code" in said["available_actions"]
        assert set(copying.holds(S)) == {"x"}
        said = await call(client, "redo_code", session=S)
        assert said["redone"] == ["c2"]
        assert set(copying.holds(S)) == {"x", "y"}
        assert "redo_code" not in said["available_actions"]


async def test_several_are_taken_back_at_once_or_from_one_on(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    async with connected(daemon) as client:
        await call(client, "run_code", code="x = 1")
        await call(client, "run_code", code="y = 2")
        said = await call(client, "undo_code", count=2)
        assert said["undone"] == ["c1", "c2"]
        assert "can_undo" not in said.fields
        assert copying.holds(S) == {}
        await call(client, "run_code", code="x = 1")
        await call(client, "run_code", code="y = 2")
        said = await call(client, "undo_code", cell="c3")
        assert said["undone"] == ["c3", "c4"]


async def test_what_can_be_taken_back_is_in_the_status(daemon: Served) -> None:
    async with connected(daemon) as client:
        await call(client, "run_code", code="x = 1")
        said = await call(client, "get_status")
        assert said["can_undo"] == {"cells": ["c1"], "bytes": SIZE}
        assert "can_redo" not in said.fields
        await call(client, "undo_code")
        said = await call(client, "get_status")
        assert said["can_redo"] == 1
        assert said["no_longer"] == ["can_undo"]
        verbose = await call(client, "get_status", verbose=True)
        assert verbose["undo_for"] == "agents"
        seen = await call(client, "get_ui_state")
        assert [one.get("taken_back") for one in seen["output"]] == [True]


async def test_an_agent_does_not_take_back_what_a_person_ran(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    await daemon.command({"type": "choose_undo", "who": "everyone"})
    await daemon.command({"type": "run_cell", "code": "x = 1"})
    async with connected(daemon) as client:
        said = await call(client, "undo_code", session=S)
    assert said.is_error
    assert "c1" in said["error"]["message"]
    assert said["remedy"]
    assert set(copying.holds(S)) == {"x"}


@pytest.mark.parametrize(
    ("tool", "arguments"), [("undo_code", {}), ("undo_code", {"count": 3}), ("redo_code", {})]
)
async def test_where_there_is_nothing_to_take_back_that_is_said(
    daemon: Served, tool: str, arguments: dict[str, Any]
) -> None:
    async with connected(daemon) as client:
        await call(client, "run_code", code="x = 1")
        await call(client, "undo_code")
        await call(client, "run_code", code="y = 2")
        if not arguments and tool == "undo_code":
            await call(client, "undo_code")
        said = await call(client, tool, **arguments)
        assert said.is_error
        assert (said["error"]["type"], said["state"]) == ("not_now", "ready")
        assert tool == "redo_code" or said["remedy"]
        # Whoever has only tools is told of tools; what is the person's is said to be so.
        assert not any("undo_cells" in one or "choose_undo" in one for one in said["remedy"])


async def test_what_would_help_is_said_as_tools_have_it(daemon: Served) -> None:
    async with connected(daemon) as client:
        said = await call(client, "undo_code", session=S)
        assert said["remedy"][0].startswith("the person's `hearth undo --for everyone` keeps a ")
        await call(client, "run_code", code="x = 1")
        said = await call(client, "undo_code", count=9)
        assert said["remedy"][0].startswith("undo_code with cell=c1 takes it back")


async def test_an_undo_that_fails_leaves_everything_and_names_the_way_out(
    daemon: Served, copying: CopyingInterpreter
) -> None:
    async with connected(daemon) as client:
        await call(client, "run_code", code="x = 1")
        copying.forget(S)
        said = await call(client, "undo_code")
        assert said.is_error
        assert said["error"]["type"] == "undo_failed"
        assert "the interpreter is as it was" in said["error"]["message"]
        assert any("how=replay" in one for one in said["remedy"])
        assert said["state"] == "ready"
        assert set(copying.holds(S)) == {"x"}


@pytest.mark.parametrize("arguments", [{"count": 0}, {"count": 1001}, {"cell": 1}, {"what": 1}])
async def test_what_makes_no_sense_is_refused(daemon: Served, arguments: dict[str, Any]) -> None:
    async with connected(daemon) as client:
        await call(client, "run_code", code="x = 1")
        said = await call(client, "undo_code", **arguments)
        assert said.is_error
        assert said["error"]["type"] == "malformed"


def waited(event: e.Event | None) -> Waited:
    one = Waited(InputId("i1"), 1)
    if event is not None:
        one.outcome = _Ended(event)  # type: ignore[assignment] # all that is looked at
    return one


class _Ended:
    def __init__(self, event: e.Event) -> None:
        self.event = event


def test_an_interpreter_that_became_no_other_is_gone_or_not_there_yet() -> None:
    lost = became(waited(e.SessionFaulted(WorkerCrashed("killed"))))
    assert lost.is_error
    assert lost.fields["error"]["type"] == "worker_crashed"
    assert lost.fields["suggestion"]
    cut = became(waited(e.SessionWarmUpAbandoned("it was stopped")))
    assert (cut.is_error, cut.fields["error"]["message"]) == (True, "it was stopped")
    later = became(waited(None))
    assert not later.is_error
    assert later.fields["running"] is True
    assert "get_status" in later.fields["next"]
