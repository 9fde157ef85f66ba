"""Failures and refusals are sentences, with what helps."""

import pytest

from hearth.clients.repl.failing import failed, refused
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.core.vocabulary.failures import (
    CheckFailed,
    CodeRaised,
    Failure,
    Interrupted,
    ProjectNotFound,
    TimedOut,
    WarmUpFailed,
    WorkerCrashed,
)
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import NotNow, UnknownSession

FINDING = Diagnostic("undefined name", Severity.ERROR, 1, 0, 1, 9)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (CodeRaised("E", "no"), "E: no"),
        (CodeRaised("KeyboardInterrupt", ""), "KeyboardInterrupt"),
        (CodeRaised("E", "no", "\ntrace\nE: no\n"), "trace\nE: no"),
        (TimedOut(2, 2.5), "stopped: it ran longer than 2.0 s"),
        (Interrupted("the daemon ended"), "cut off: the daemon ended"),
        (WorkerCrashed("gone", names=("x",)), "the interpreter died: gone\nlost with it: x"),
        (WarmUpFailed("no python", "trace"), "trace\nit could not be started: no python"),
        (ProjectNotFound("/loom"), "there is no project at /loom"),
        (CheckFailed((FINDING,)), "not run: undefined name"),
    ],
)
def test_every_failure_has_its_sentence(failure: Failure, said: str) -> None:
    assert failed(failure, Paint()) == said


def test_the_last_line_of_a_traceback_stands_out() -> None:
    shown = failed(CodeRaised("E", "no", "at 1\nE: no"), Paint(colour=True))
    assert shown == "at 1\n\x1b[31mE: no\x1b[0m"


def test_colours_of_a_traceback_stay_and_nothing_else_does() -> None:
    trace = "\x1b[31mE\x1b[0m\x1b[2J\x07"
    assert (
        failed(CodeRaised("E", "no", trace), Paint(colour=True)) == "\x1b[31mE\x1b[0m\\x07\x1b[0m"
    )
    assert failed(CodeRaised("E", "no", trace), Paint()) == "E\\x07"
    assert "\x1b" not in failed(WorkerCrashed("\x1b[2J", names=("\x1b[2J",)), Paint())


def test_a_refusal_tells_what_helps_here() -> None:
    refusal = NotNow(
        why="a cell is running",
        command="reset_session",
        state=PhaseName.EVALUATING,
        remedy=("cancel_eval", "export_session", "ask somebody"),
    )
    assert refused(refusal, Paint()) == (
        "not now: a cell is running\n  Ctrl-C or .cancel stops the running cell; ask somebody"
    )
    unknown = UnknownSession(why="there is no session x", session=SessionId("x"))
    assert refused(unknown, Paint()) == "there is no session x"


def test_a_way_out_is_said_as_it_is_typed_here() -> None:
    refusal = NotNow(
        why="no copy is kept",
        command="undo_cells",
        state=PhaseName.READY,
        remedy=("fork_session with how=replay rebuilds it", "undo_code", "keep_variant"),
    )
    assert refused(refusal, Paint()).split("\n")[1] == (
        "  .branch --replay rebuilds it; .undo takes cells back;"
        " .keep N keeps one of the variants, .keep 0 none"
    )
