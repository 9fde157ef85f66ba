"""What performers say goes on without secrets, in order, and large things hold nobody up."""

import threading
from typing import Any

import pytest

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.deeds import ChangeKind, FileChange
from hearth.core.vocabulary.ids import CallId, CellId, SessionId
from hearth.core.vocabulary.modelling import ToolReturned
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import (
    DisplayShown,
    OutputChunk,
    OutputCleared,
    Progress,
    ToolOutput,
    WarmUpStep,
)
from hearth.core.vocabulary.reports import Report
from hearth.performers.sandbox.cleaning import LARGE, RedactingPerformer
from hearth.performers.sandbox.redacting import REDACTED, Redactor

SECRET = "Zq8/kQ2+vX9=mm"  # noqa: S105 - nobody's
CELL = CellId("c1")
CALL = CallId("k1")
SESSION = SessionId("s1")
OTHER = SessionId("s2")
LONG = "x" * (LARGE + 1)


def _redactor(*more: str) -> Redactor:
    return Redactor(lambda: (SECRET, *more))


class _Heard:
    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.shown: list[Progress] = []

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def show(self, progress: Progress) -> None:
        self.shown.append(progress)


class _Ordered:
    """All that was said, in order."""

    def __init__(self) -> None:
        self.said: list[Report | Progress] = []

    def report(self, report: Report) -> None:
        self.said.append(report)

    def show(self, progress: Progress) -> None:
        self.said.append(progress)


class _Says:
    """A performer that says what it was given."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.StopWorker})

    def __init__(self, *said: Any) -> None:
        self._said = said
        self.closed = False

    async def perform(self, _session: SessionId, _effect: fx.Effect, stage: Stage) -> None:
        for one in self._said:
            if isinstance(
                one, OutputChunk | ToolOutput | DisplayShown | OutputCleared | WarmUpStep
            ):
                stage.show(one)
            else:
                stage.report(one)

    async def close(self) -> None:
        self.closed = True


async def _heard(*said: Any) -> _Heard:
    heard = _Heard()
    performer: Performer = RedactingPerformer(_Says(*said), _redactor())
    await performer.perform(SESSION, fx.StopWorker(1), heard)
    return heard


def _text(heard: _Heard) -> str:
    return "".join(one.text for one in heard.shown if isinstance(one, OutputChunk | ToolOutput))


async def test_a_secret_that_comes_in_pieces_is_never_shown() -> None:
    for cut in range(1, len(SECRET)):
        pieces = (f"key {SECRET[:cut]}", f"{SECRET[cut:]} end\n")
        heard = await _heard(*(OutputChunk(CELL, "stdout", one) for one in pieces))
        assert _text(heard) == f"key {REDACTED} end\n"
        heard = await _heard(*(ToolOutput(CALL, one) for one in pieces))
        assert _text(heard) == f"key {REDACTED} end\n"
    heard = await _heard(*(OutputChunk(CELL, "stdout", one) for one in f"{SECRET}\n"))
    assert _text(heard) == f"{REDACTED}\n"


async def test_streams_do_not_get_into_each_other() -> None:
    heard = await _heard(
        OutputChunk(CELL, "stdout", "a Z"),
        OutputChunk(CELL, "stderr", "b\n"),
        OutputChunk(CELL, "stdout", "q\n"),
    )
    assert [(one.stream, one.text) for one in heard.shown if isinstance(one, OutputChunk)] == [
        ("stdout", "a "),
        ("stderr", "b\n"),
        ("stdout", "Zq\n"),
    ]


async def test_what_was_held_back_is_shown_when_something_else_comes() -> None:
    picture = DisplayShown(CELL, RichData({"text/plain": SECRET}))
    heard = await _heard(OutputChunk(CELL, "stdout", "Continue? Z"), r.InputAsked(1, CELL, "?"))
    assert _text(heard) == "Continue? Z"
    heard = await _heard(OutputChunk(CELL, "stdout", "Z"), picture)
    assert _text(heard) == "Z"
    assert heard.shown[-1] == DisplayShown(CELL, RichData({"text/plain": REDACTED}))


async def test_what_was_held_back_is_forgotten_at_the_end() -> None:
    ended = r.CellEnded(1, CELL, r.Succeeded(), 0.1, (StreamText("stdout", "Z"),))
    heard = await _heard(
        OutputChunk(CELL, "stdout", "Z"),
        ended,
        OutputChunk(CELL, "stdout", "q\n"),
        OutputChunk(CELL, "stderr", "Z"),
        OutputCleared(CELL),
        OutputChunk(CELL, "stderr", "q\n"),
    )
    assert heard.reports == [ended]
    assert _text(heard) == "q\nq\n"


async def test_reports_and_other_progress_are_cleaned_on_their_way() -> None:
    heard = await _heard(
        ToolReturned(CALL, f"a {SECRET}"),
        r.OutputCameLate(1, CELL, (StreamText("stdout", SECRET),)),
        WarmUpStep(f"loading {SECRET}"),
    )
    assert heard.reports == [
        ToolReturned(CALL, f"a {REDACTED}"),
        r.OutputCameLate(1, CELL, (StreamText("stdout", REDACTED),)),
    ]
    assert heard.shown == [WarmUpStep(f"loading {REDACTED}")]


async def test_it_carries_out_and_closes_what_the_other_does() -> None:
    inner = _Says()
    outer = RedactingPerformer(inner, _redactor())
    assert outer.effects == inner.effects
    await outer.close()
    assert inner.closed


def _diff(text: str) -> ToolReturned:
    change = FileChange("/a", ChangeKind.CHANGED, diff=text)
    return ToolReturned(CALL, "ok", changes=(change,))


@pytest.mark.parametrize(
    "large",
    [
        OutputChunk(CELL, "stdout", f"{LONG}{SECRET}\n"),
        DisplayShown(CELL, RichData({"text/html": f"{LONG}{SECRET}"})),
        _diff(f"{LONG}{SECRET}"),
        r.CellEnded(1, CELL, r.Succeeded(), 0.1, (StreamText("stdout", f"{LONG}{SECRET}"),)),
    ],
    ids=lambda one: type(one).__name__,
)
async def test_what_is_large_is_cleaned_and_stays_before_what_was_said_behind_it(
    large: Any,
) -> None:
    heard = _Ordered()
    late = r.OutputCameLate(1, CELL, (StreamText("stdout", SECRET),))
    small = (ToolOutput(CALL, f"{SECRET}\n"), late, WarmUpStep("loaded"))
    performer = RedactingPerformer(_Says(ToolOutput(CALL, "first\n"), large, *small), _redactor())
    await performer.perform(SESSION, fx.StopWorker(1), heard)
    await performer.close()
    assert [type(one) for one in heard.said] == [
        ToolOutput,
        type(large),
        ToolOutput,
        r.OutputCameLate,
        WarmUpStep,
    ]
    assert SECRET not in repr(heard.said)
    assert f"{LONG}{REDACTED}" in repr(heard.said[1])


async def test_while_something_large_is_cleaned_other_sessions_go_on() -> None:
    go_on, is_looked_at = threading.Event(), threading.Event()

    def secrets() -> tuple[str, ...]:
        if threading.current_thread() is not threading.main_thread():
            is_looked_at.set()
            assert go_on.wait(30)
        return (SECRET,)

    heard, other = _Ordered(), _Ordered()
    large = _diff(f"{LONG}{SECRET}")
    performer = RedactingPerformer(_Says(large, WarmUpStep("behind")), Redactor(secrets))
    await performer.perform(SESSION, fx.StopWorker(1), heard)
    small = RedactingPerformer(_Says(WarmUpStep(SECRET)), Redactor(secrets))
    await small.perform(OTHER, fx.StopWorker(1), other)
    assert other.said == [WarmUpStep(REDACTED)]
    assert heard.said == []
    go_on.set()
    await performer.close()
    assert is_looked_at.is_set()
    assert [type(one) for one in heard.said] == [ToolReturned, WarmUpStep]


async def test_what_cannot_be_cleaned_is_not_shown_and_stops_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def secrets() -> tuple[str, ...]:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("no idea")
        return (SECRET,)

    heard = _Ordered()
    performer = RedactingPerformer(_Says(_diff(f"{LONG}{SECRET}")), Redactor(secrets))
    await performer.perform(SESSION, fx.StopWorker(1), heard)
    await performer.close()
    assert heard.said == []
    assert "could not be cleaned" in caplog.text
    performer = RedactingPerformer(_Says(WarmUpStep("on")), Redactor(secrets))
    await performer.perform(SESSION, fx.StopWorker(1), heard)
    assert heard.said == [WarmUpStep("on")]
