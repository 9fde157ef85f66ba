"""Whose calls a worker takes what its code asks for."""

import asyncio
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from tests.journeys.live import comes_true

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.permitting import Judged, Need, Verdict
from hearth.performers.cell_tools.calling import Answered, Calling, Used
from hearth.performers.interpreter import tool_calls
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.tool_calls import ToolCalls

S, C1 = SessionId("session-a"), CellId("c1")
JUDGED = Judged(Need("mcp", "mill__turn"), Verdict.ASK)


class Tools:
    """Notes who asks, and tells of a call."""

    def __init__(self) -> None:
        self.asked: list[Calling] = []

    async def answer(self, calling: Calling, question: Mapping[str, Any]) -> bytes:
        self.asked.append(calling)
        calling.tell(Used(str(question["tool"]), Verdict.ALLOW, "{}", "a rule", "broken"))
        return b"{}"


def worker(runtime: Runtime, **more: Any) -> Any:
    """As much of a worker as is asked."""
    folder = runtime.new()
    folder.write_connection()
    told: list[r.Report] = []
    record = SimpleNamespace(session=S, walls=SimpleNamespace(contained=True))
    made = {"folder": folder, "record": record, "running": SimpleNamespace(cell=C1)}
    return SimpleNamespace(**made, generation=3, tell=told.append, told=told, **more)


def question(cell: str = "cell:c1", ask: str = "call") -> dict[str, Any]:
    return {"ask": ask, "cell": cell, "server": "mill", "tool": "turn", "arguments": {}}


@pytest.mark.parametrize(
    ("claimed", "cell"),
    [("cell:c1", C1), ("cell:c2", None), ("", None), ("nonsense", None), ("c1", None)],
)
async def test_only_the_running_cell_is_believed_to_call(
    runtime: Runtime, claimed: str, cell: CellId | None
) -> None:
    one, tools = worker(runtime), Tools()
    await ToolCalls(one, tools)._answer(question(claimed))
    assert [(each.session, each.cell, each.contained) for each in tools.asked] == [(S, cell, True)]
    (told,) = one.told
    assert isinstance(told, r.ToolUsed)
    assert (told.generation, told.cell, told.name) == (3, cell, "turn")
    assert (told.verdict, told.by, told.error) == (Verdict.ALLOW, "a rule", "broken")
    assert told.duration >= 0


async def test_between_cells_nobody_is_believed(runtime: Runtime) -> None:
    one, tools = worker(runtime), Tools()
    one.running = None
    await ToolCalls(one, tools)._answer(question())
    assert tools.asked[0].cell is None


async def test_an_interpreter_that_nobody_has_yet_has_no_tools(runtime: Runtime) -> None:
    one, tools = worker(runtime), Tools()
    one.record.session = None
    assert (
        "no session" in json.loads(await ToolCalls(one, tools)._answer(question()))["error"]["text"]
    )
    assert tools.asked == []


async def test_a_cell_that_calls_without_end_is_stopped_and_the_next_is_not(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calls, "MOST_CALLS", 2)
    one, tools = worker(runtime), Tools()
    calls = ToolCalls(one, tools)
    answers = [json.loads(await calls._answer(question())) for _ in range(3)]
    assert [("error" in each) for each in answers] == [False, False, True]
    assert "may call 2 tools" in answers[2]["error"]["text"]
    one.running.cell = CellId("c2")
    assert json.loads(await calls._answer(question("cell:c2"))) == {}


async def test_a_folder_in_which_nobody_can_listen_costs_only_the_tools(
    runtime: Runtime, caplog: pytest.LogCaptureFixture
) -> None:
    one = worker(runtime)
    (one.folder.path / "tools").mkdir()
    calls = ToolCalls(one, Tools())
    calls.open()
    calls.close()
    assert "has no tools for its code" in caplog.text


class Asking(Tools):
    """Asks a person about every call."""

    async def answer(self, calling: Calling, question: Mapping[str, Any]) -> bytes:
        used = Used(str(question["tool"]))
        try:
            answer = await calling.ask(used, "{}", (JUDGED,))
        finally:
            calling.tell(used)
        return json.dumps([answer.allowed, answer.why]).encode()


async def test_a_person_is_asked_and_the_answer_reaches_the_call_once(runtime: Runtime) -> None:
    one = worker(runtime)
    calls = ToolCalls(one, Asking())
    asking = asyncio.create_task(calls._answer(question()))
    await comes_true(lambda: bool(one.told))
    (asked,) = one.told
    assert isinstance(asked, r.ToolAsked)
    assert (asked.generation, asked.cell, asked.name) == (3, C1, "turn")
    assert asked.judged == (JUDGED,)
    calls.answered("another", Answered(allowed=False))
    calls.answered(asked.ask, Answered(allowed=True, why="yes"))
    calls.answered(asked.ask, Answered(allowed=False))
    assert json.loads(await asking) == [True, "yes"]
    calls.answered(asked.ask, Answered(allowed=False))
    assert isinstance(one.told[1], r.ToolUsed)
    assert one.told[1].ask == asked.ask


async def test_who_stops_waiting_is_told_of(runtime: Runtime) -> None:
    one = worker(runtime)
    calls = ToolCalls(one, Asking())
    asking = asyncio.create_task(calls._answer(question()))
    await comes_true(lambda: bool(one.told))
    asking.cancel()
    await asyncio.wait({asking})
    assert one.told[1].ask == one.told[0].ask
    assert calls._asked == {}


async def test_for_code_of_no_cell_nobody_is_asked(runtime: Runtime) -> None:
    one = worker(runtime)
    assert json.loads(await ToolCalls(one, Asking())._answer(question("")))[0] is False
    assert [type(each) for each in one.told] == [r.ToolUsed]
