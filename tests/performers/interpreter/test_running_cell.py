"""How a cell came to its end, in the words of the log."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.failures import CodeRaised, Interrupted, TimedOut
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.collecting import Collected
from hearth.performers.interpreter.inside.unsent import Unsent
from hearth.performers.interpreter.running_cell import CUT_OFF, RunningCell, cell_of, request_of
from hearth.performers.interpreter.worker_folder import WorkerFolder

CELL = CellId("c12")


def cell(reply: dict[str, Any] | None, **more: Any) -> RunningCell:
    return RunningCell(CELL, Collected(CELL, 1000, 1000), reply=reply, **more)


def error(name: str, **more: Any) -> dict[str, Any]:
    return {"status": "error", "ename": name, "evalue": "", "traceback": [], **more}


def test_every_daemon_gives_the_request_of_a_cell_the_same_name() -> None:
    assert request_of(CELL) == cell(None).request == "cell:c12"
    assert cell_of(request_of(CELL)) == CELL


@pytest.mark.parametrize(
    "request_id", ["", "c12", "cell:", "cell:c12 ", "cell:x", "xcell:c12", "cell:c1\n"]
)
def test_other_requests_are_of_no_cell(request_id: str) -> None:
    assert cell_of(request_id) is None


async def test_it_is_over_when_it_was_answered_and_everything_was_said() -> None:
    one = cell(None)
    assert not one.is_over
    one.idle = True
    assert not one.is_over
    one.reply = {"status": "ok"}
    assert one.is_over
    assert not one.ended.is_set()
    one.close()
    assert one.ended.is_set()


def test_a_cell_that_ran_is_told_with_all_that_is_known_of_it() -> None:
    told = {
        "names": ["a", "b"],
        "value_type": "int",
        "statements": 3,
        "dropped": 10,
        "uses": {"numpy": "h1"},
        "duration": 1.5,
    }
    one = cell({"status": "ok", "hearth": told})
    one.collected.hear("stream", {"name": "stdout", "text": "hi"})
    one.collected.hear("execute_result", {"data": {"text/plain": "42"}})
    outputs = (StreamText("stdout", "hi"), RichData({"text/plain": "42"}, is_result=True))
    assert one.report(4) == r.CellEnded(
        generation=4,
        cell=CELL,
        ending=r.Succeeded("42", "int"),
        duration=1.5,
        outputs=outputs,
        names=("a", "b"),
        statements=3,
        uses={"numpy": "h1"},
        dropped=10,
    )


def test_what_was_dropped_there_and_here_is_added_up() -> None:
    one = RunningCell(CELL, Collected(CELL, 2, 0), reply={"status": "ok", "hearth": {"dropped": 5}})
    one.collected.hear("stream", {"text": "abcd"})
    assert one.report(1).dropped == 7


@pytest.mark.parametrize(
    "told", [{}, {"hearth": None}, {"hearth": {"duration": "long"}}, {"hearth": []}]
)
def test_without_a_time_of_the_interpreters_own_ours_is_told(told: dict[str, Any]) -> None:
    duration = cell({"status": "ok", **told}).report(1).duration
    assert 0 <= duration < 60


def test_an_interpreter_that_tells_nonsense_about_itself_is_not_believed() -> None:
    told = {"names": "abc", "statements": "many", "dropped": "x", "uses": ["x"], "value_type": 3}
    found = cell({"status": "ok", "hearth": told}).report(1)
    assert (found.names, found.statements, found.dropped, found.uses) == ((), 0, 0, {})
    msgspec.json.encode(found)


def test_an_exception_is_told_without_colours() -> None:
    reply = error("ValueError", evalue="\x1b[1mbad\x1b[0m", traceback=["\x1b[31mline 1", "line 2"])
    ending = cell(reply).report(1).ending
    assert ending == r.Raised(CodeRaised("ValueError", "bad", "line 1\nline 2"))


@pytest.mark.parametrize("name", sorted(CUT_OFF))
def test_a_cell_that_was_cancelled_and_cut_off_was_stopped(name: str) -> None:
    assert cell(error(name), cancelled=True).report(1).ending == r.Stopped()


@pytest.mark.parametrize("name", sorted(CUT_OFF))
def test_a_cell_that_raises_the_same_by_itself_failed(name: str) -> None:
    ending = cell(error(name)).report(1).ending
    assert isinstance(ending, r.Raised)
    assert isinstance(ending.failure, CodeRaised)
    assert ending.failure.name == name


def test_a_cell_that_was_over_its_time_is_told_so_also_if_somebody_cancelled_it_too() -> None:
    for cancelled in (True, False):
        one = cell(error("KeyboardInterrupt"), overdue=True, time_limit=2.0, cancelled=cancelled)
        ending = one.report(1).ending
        assert isinstance(ending, r.Raised)
        assert isinstance(ending.failure, TimedOut)
        assert ending.failure.limit == 2.0


@pytest.mark.parametrize("more", [{"cancelled": True}, {"overdue": True, "time_limit": 1.0}])
def test_a_cell_that_reached_its_end_although_it_was_to_stop_succeeded(
    more: dict[str, Any],
) -> None:
    assert cell({"status": "ok"}, **more).report(1).ending == r.Succeeded()


def test_an_error_of_its_own_is_told_although_it_was_to_stop() -> None:
    ending = cell(error("ZeroDivisionError"), cancelled=True).report(1).ending
    assert isinstance(ending, r.Raised)
    assert isinstance(ending.failure, CodeRaised)


def test_a_cell_that_was_not_even_begun_says_that_nothing_is_known() -> None:
    for status in ("abort", "aborted", "what?", None):
        ending = cell({"status": status}).report(1).ending
        assert ending == r.Raised(Interrupted("the interpreter did not run it"))
    assert cell({"status": "aborted"}, cancelled=True).report(1).ending == r.Stopped()


def test_what_was_printed_and_not_sent_at_the_end_is_heard_once(tmp_path: Path) -> None:
    folder = WorkerFolder(tmp_path)
    Unsent(tmp_path / "unsent-stdout").add("cell:c1", "last words\n")
    Unsent(tmp_path / "unsent-stderr").add("cell:c7", "of another cell\n")
    running = RunningCell(CellId("c1"), Collected(CellId("c1"), 1000, 1000))
    running.hear_unsent(folder)
    running.hear_unsent(folder)  # as if it had been sent just before the end
    assert running.collected.outputs() == (StreamText("stdout", "last words\n"),)
