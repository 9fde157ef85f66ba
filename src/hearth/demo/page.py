"""How the demo looks: the log as lines, what is said between them, and refusals."""

import asyncio
from collections.abc import Callable
from typing import Final

from hearth.core.views.status import Status
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Outputs, StreamText, Text
from hearth.core.vocabulary.envelope import Envelope
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
from hearth.core.vocabulary.refusals import Refused

BOLD: Final = "1"
DIM: Final = "2"
RED: Final = "31"
GREEN: Final = "32"
CYAN: Final = "36"

_COLOURS: Final[dict[type[e.Event], str]] = {
    e.CellFinished: GREEN,
    e.SessionReady: GREEN,
    e.CellFailed: RED,
    e.SessionFaulted: RED,
    e.SessionReplayed: GREEN,
    e.StateTransitioned: DIM,
}
NAMED_PER_LINE: Final = 4


class Page:
    """Writes to a terminal, or to whatever it is given."""

    def __init__(self, write: Callable[[str], object], *, colours: bool, pause: float) -> None:
        self._write = write
        self._colours = colours
        self._pause = pause

    async def say(self, text: str) -> None:
        """Say what comes next, and give a person the time to read it."""
        await asyncio.sleep(self._pause * 3)
        self._line("")
        self._line(self._in(BOLD, text))

    async def event(self, envelope: Envelope) -> None:
        """Show an event as it is in the log."""
        await asyncio.sleep(self._pause)
        kind = type(envelope.event)
        shown = self._in(_COLOURS.get(kind, CYAN), described(envelope))
        author = envelope.origin.name or envelope.origin.actor.value
        self._line(f"  {envelope.seq:>4}  {author:<8} {shown}")

    def output(self, text: str) -> None:
        """Show what a cell writes, while it writes it."""
        for line in text.splitlines():
            self._line(f"                 │ {line}")

    def refusal(self, refusal: Refused) -> None:
        """Show why something was not done, and what is possible instead."""
        kind = str(refusal.__struct_config__.tag)
        self._line(f"     ✗  {self._in(RED, 'refused')}  {kind}: {refusal.why}")
        self._line(
            f"                 now possible: {', '.join(refusal.available[:NAMED_PER_LINE])}, …"
        )
        self._line(f"                 what helps: {', '.join(refusal.remedy)}")

    def status(self, status: Status) -> None:
        """Show how a session stands."""
        state = "stopped" if status.stopped else status.state
        self._line(
            f"  {status.name}: {state}, {status.evals} cells done, {status.errors} failed, "
            f"{status.cancelled} cancelled, interpreter number {status.generation}"
        )

    def plain(self, text: str) -> None:
        """Show a line as it is."""
        self._line(f"  {text}")

    def _line(self, text: str) -> None:
        self._write(text + "\n")

    def _in(self, colour: str, text: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colours else text


def described(envelope: Envelope) -> str:
    """An event in one line."""
    event = envelope.event
    name = str(event.__struct_config__.tag)
    match event:
        case e.CellStarted():
            detail = f"{event.cell}: {event.script or _short(event.code)}"
        case e.CellQueued():
            detail = f"{event.cell}: {_short(event.code)}"
        case e.CellFinished():
            value = f" → {_short(event.value)} ({event.value_type})" if event.value_type else ""
            detail = f"{event.cell}{value}{_printed(event.outputs)}"
        case e.CellFailed():
            detail = f"{event.cell}: {_failure(event.failure)}"
        case e.CellCancelled() | e.CellCancelRequested() | e.CellWithdrawn():
            detail = event.cell
        case e.StateTransitioned():
            detail = f"{event.before} → {event.after}"
        case e.SessionFaulted():
            detail = _failure(event.failure)
        case e.RestartScheduled():
            detail = f"in {event.delay:g} s"
        case e.SessionWarmUpStarted():
            detail = f"interpreter number {event.generation}"
        case e.DiagnosticsChecked():
            found = [one.message for one in event.diagnostics]
            detail = "; ".join(found) or "nothing found"
        case e.SessionStarted():
            detail = event.config.name
        case e.CellStopTried():
            detail = f"{event.cell}: {event.rung}"
        case e.CompletionsRequested() | e.InspectionRequested():
            detail = _short(event.code)
        case e.CompletionsReturned():
            detail = ", ".join(item.label for item in event.items[:NAMED_PER_LINE])
        case e.EnvironmentChanged():
            detail = f"{event.stale} results no longer hold" if event.stale else ""
        case e.SessionReplayed():
            detail = f"ran {', '.join(event.ran) or 'nothing'}" + (
                f", left out {', '.join(event.skipped)}" if event.skipped else ""
            )
        case e.CheckRequested():
            detail = _short(event.code)
        case _:
            detail = ""
    return f"{name:<26} {detail}".rstrip()


def _short(text: Text) -> str:
    whole = text.head if isinstance(text, Blob) else text
    return whole.replace("\n", " ⏎ ")


def _printed(outputs: Outputs) -> str:
    """The first line of what a cell printed."""
    if isinstance(outputs, Blob):
        return ""
    texts = [one.text for one in outputs if isinstance(one, StreamText)]
    lines = _short(texts[0]).split(" ⏎ ") if texts else []
    return f", printed {lines[0]!r}" if lines else ""


def _failure(failure: Failure) -> str:
    match failure:
        case CodeRaised():
            return f"{failure.name}: {_short(failure.message)}"
        case TimedOut():
            return f"ran longer than {failure.limit:g} s"
        case WorkerCrashed():
            lost = f"; lost: {', '.join(failure.names)}" if failure.names else ""
            return _short(failure.message) + lost
        case WarmUpFailed():
            return _short(failure.message)
        case Interrupted():
            return failure.message
        case ProjectNotFound():
            return f"no project at {failure.path}"
        case CheckFailed():
            return f"{len(failure.diagnostics)} errors"
