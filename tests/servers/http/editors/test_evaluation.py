"""A cell is shown from its start over its output to its end, whenever somebody comes."""

from typing import Any

import pytest
from tests.contracts.facts import ANNA, NOON
from tests.servers.http.editors.happening import S, happened, status

from hearth.core.views.transcript import Transcript, transcript
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, StreamText
from hearth.core.vocabulary.failures import CodeRaised, Failure, TimedOut, WorkerCrashed
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.phases import OpenCell, PhaseName
from hearth.core.vocabulary.progress import OutputChunk, OutputCleared, WarmUpStep
from hearth.servers.http.editors.evaluation import MOST_TEXT, Evaluation, error_of

C1 = CellId("c1")


def fresh() -> Evaluation:
    return Evaluation(S, Transcript(), status())


async def test_a_new_cell_leaves_nothing_of_the_one_before() -> None:
    shown = fresh()
    await shown.happened(happened(e.CellStarted(C1, "1/0"), "first"))
    shown.shown(OutputChunk(C1, "stdout", "text"))
    await shown.happened(happened(e.CellFailed(C1, CodeRaised("ValueError", "no")), "first"))
    assert shown.now["error"]["name"] == "ValueError"
    assert await shown.happened(happened(e.CellStarted(CellId("c2"), "2"), "second"))
    now = dict(shown.now)
    assert (now["request"], now["cell"], now["state"]) == ("second", "c2", "started")
    assert {now[key] for key in ("success", "error", "result", "type", "ms")} == {None}
    assert (now["stdout"], now["stderr"], now["chunk"]) == ("", "", [])


async def test_output_gathers_within_a_bound_and_each_piece_is_told() -> None:
    shown = fresh()
    await shown.happened(happened(e.CellStarted(C1, "loop")))
    for _ in range(3):
        assert shown.shown(OutputChunk(C1, "stderr", "x" * MOST_TEXT))
    assert len(shown.now["stderr"]) == MOST_TEXT
    piece = {"number": 3, "stream": "stderr", "text": "x" * MOST_TEXT}
    assert shown.now["chunk"] == [piece], "the same text again is another piece"
    assert shown.shown(OutputCleared(C1))
    assert shown.now["stderr"] == ""


async def test_what_belongs_to_another_cell_or_to_none_is_not_shown() -> None:
    shown = fresh()
    await shown.happened(happened(e.CellStarted(C1, "1")))
    before = dict(shown.now)
    assert not shown.shown(OutputChunk(CellId("c9"), "stdout", "x"))
    assert not shown.shown(OutputCleared(CellId("c9")))
    assert not shown.shown(WarmUpStep("importing"))
    assert not await shown.happened(happened(e.SessionRenamed("x")))
    assert dict(shown.now) == before


async def test_the_end_carries_all_that_was_printed_and_where_a_long_result_is() -> None:
    shown = fresh()
    await shown.happened(happened(e.CellStarted(C1, "big")))
    outputs = (StreamText("stdout", "one\n"), StreamText("stdout", "two\n"))
    blob = Blob("a" * 64, 10**6, head="begin")
    event = e.CellFinished(C1, 0.25, blob, "str", outputs)
    assert await shown.happened(happened(event))
    now = shown.now
    assert (now["result"], now["blob"], now["type"]) == ("begin", "a" * 64, "str")
    assert (now["stdout"], now["ms"], now["success"]) == ("one\ntwo\n", 250.0, True)


async def test_output_that_is_too_much_for_an_event_stays_as_it_was_shown() -> None:
    shown = fresh()
    await shown.happened(happened(e.CellStarted(C1, "much")))
    shown.shown(OutputChunk(C1, "stdout", "the last of it"))
    await shown.happened(happened(e.CellCancelled(C1, outputs=Blob("b" * 64, 10**7))))
    assert (shown.now["stdout"], shown.now["state"]) == ("the last of it", "cancelled")


@pytest.mark.parametrize(
    ("event", "state", "success"),
    [
        (e.CellFinished(C1, 1.0, "2", "int"), "complete", True),
        (e.CellFailed(C1, CodeRaised("E", "m"), 1.0), "error", False),
        (e.CellCancelled(C1, 1.0), "cancelled", False),
    ],
)
async def test_whoever_comes_later_sees_what_the_others_see(
    event: e.CellFinished | e.CellFailed | e.CellCancelled,
    state: str,
    success: object,
) -> None:
    started, ended = happened(e.CellStarted(C1, "code")), happened(event)
    live = fresh()
    await live.happened(started)
    await live.happened(ended)
    late = Evaluation(S, transcript([started, ended]), status())
    assert (late.now["state"], late.now["success"]) == (state, success)
    assert {**live.now, "request": None} == dict(late.now)


async def test_whoever_comes_while_it_runs_knows_whose_it_is() -> None:
    started = happened(e.CellStarted(C1, "hang"), "asked")
    current = OpenCell(C1, "hang", InputId("asked"), ANNA, NOON)
    running = status(state=PhaseName.EVALUATING, current=current)
    late = Evaluation(S, transcript([started]), running)
    assert (late.now["request"], late.now["state"]) == ("asked", "started")
    assert late.now["success"] is None
    waiting = happened(e.CellQueued(CellId("c2"), "next"), "other")
    late = Evaluation(S, transcript([started, waiting]), running)
    assert late.now["cell"] == "c1", "one that waits has not begun"


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (
            CodeRaised("E", "m", "trace"),
            {"name": "E", "message": "m", "traceback": "trace"},
        ),
        (TimedOut(1.0, 2.0), {"name": "timed_out", "message": "limit 1.0, elapsed 2.0"}),
        (
            WorkerCrashed(Blob("c" * 64, 9, head="died")),
            {"name": "worker_crashed", "message": "died"},
        ),
    ],
)
def test_every_failure_has_a_name_and_says_something(
    failure: Failure, told: dict[str, Any]
) -> None:
    assert error_of(failure) == told
