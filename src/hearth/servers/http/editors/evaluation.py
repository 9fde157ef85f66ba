"""`/eval`: the cell that runs, or ran last: started, what it prints, how it ended."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from hearth.core.views.status import Status
from hearth.core.views.transcript import CellStanding, Entry, Transcript
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob, Outputs, StreamText, Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.failures import CodeRaised, Failure
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import OutputChunk, OutputCleared, Progress
from hearth.servers.http.editors.signals import Signals

MOST_TEXT: Final = 16 * 1024
"""So many of the newest characters of each stream are shown; the log has all of them."""

_NOTHING: Final[Mapping[str, Any]] = {
    "request": None,
    "cell": None,
    "state": "none",
    "code": "",
    "stdout": "",
    "stderr": "",
    "chunk": [],
    "success": None,
    "result": None,
    "type": None,
    "blob": None,
    "error": None,
    "ms": None,
}

_ENDED: Final = {
    CellStanding.FINISHED: "complete",
    CellStanding.FAILED: "error",
    CellStanding.CANCELLED: "cancelled",
}


class Evaluation:
    """The running cell, or the one that ran last."""

    name = "eval"

    def __init__(self, session: SessionId, transcript: Transcript, status: Status) -> None:
        self._now: dict[str, Any] = {"session": session, **_NOTHING}
        self._pieces = 0
        cells = [entry for entry in transcript.entries if entry.cell and _has_begun(entry)]
        if cells:
            self._now |= _entry(cells[-1])
            current = status.current
            if current is not None and current.cell == cells[-1].cell:
                self._now["request"] = current.cause

    @property
    def now(self) -> Signals:
        """All of it."""
        return self._now

    async def happened(self, envelope: Envelope) -> bool:
        """A cell started or ended."""
        event = envelope.event
        match event:
            case e.CellStarted():
                self._now = {
                    **self._now,
                    **_NOTHING,
                    "request": envelope.cause,
                    "cell": event.cell,
                    "state": "started",
                    "code": _text(event.code),
                }
            case e.CellFinished():
                result = {"result": _text(event.value), "type": event.value_type}
                more = {**result, "blob": _blob(event.value)}
                self._end(envelope, event, {"state": "complete", "success": True, **more})
            case e.CellFailed():
                error = {"error": error_of(event.failure)}
                self._end(envelope, event, {"state": "error", "success": False, **error})
            case e.CellCancelled():
                self._end(envelope, event, {"state": "cancelled", "success": False})
            case _:
                return False
        return True

    def shown(self, progress: Progress) -> bool:
        """The running cell printed something."""
        match progress:
            case OutputChunk() if progress.cell == self._now["cell"]:
                so_far = self._now[progress.stream] + progress.text
                self._pieces += 1
                # In a list, which is replaced and never merged; numbered, so that the same text
                # twice is two pieces.
                piece = {"number": self._pieces, "stream": progress.stream, "text": progress.text}
                shown = {progress.stream: so_far[-MOST_TEXT:], "chunk": [piece]}
                self._now = {**self._now, **shown}
                return True
            case OutputCleared() if progress.cell == self._now["cell"]:
                self._now = {**self._now, "stdout": "", "stderr": "", "chunk": []}
                return True
            case _:
                return False

    def _end(
        self,
        envelope: Envelope,
        event: e.CellFinished | e.CellFailed | e.CellCancelled,
        how: dict[str, Any],
    ) -> None:
        known = self._now if self._now["cell"] == event.cell else {**self._now, **_NOTHING}
        self._now = {
            **known,
            "request": known["request"] or envelope.cause,
            "cell": event.cell,
            "chunk": [],
            "ms": _ms(event.duration),
            **_printed(event.outputs),
            **how,
        }


def error_of(failure: Failure) -> dict[str, Any]:
    """A failure for people: what kind, and what it says."""
    if isinstance(failure, CodeRaised):
        traceback = _text(failure.traceback)
        return {"name": failure.name, "message": _text(failure.message), "traceback": traceback}
    told = msgspec.to_builtins(failure)
    kind = told.pop("type")
    said = told.get("message", "")
    message = said if isinstance(said, str) else said.get("head", "")
    return {"name": kind, "message": message or ", ".join(f"{k} {v}" for k, v in told.items())}


def _has_begun(entry: Entry) -> bool:
    return entry.standing not in {None, CellStanding.WAITING, CellStanding.WITHDRAWN}


def _entry(entry: Entry) -> dict[str, Any]:
    """A cell of the past."""
    ended = _ENDED.get(entry.standing) if entry.standing else None
    finished = entry.standing is CellStanding.FINISHED
    return {
        "cell": entry.cell,
        "state": ended or "started",
        "code": _text(entry.code),
        **_printed(entry.outputs),
        "success": None if ended is None else finished,
        "result": _text(entry.value) if finished else None,
        "type": entry.value_type if finished else None,
        "blob": _blob(entry.value),
        "error": None if entry.failure is None else error_of(entry.failure),
        "ms": None if entry.duration is None else _ms(entry.duration),
    }


def _printed(outputs: Outputs) -> dict[str, str]:
    """What a cell printed in all; nothing if it is too much to be here, then what came counts."""
    if isinstance(outputs, Blob):
        return {}
    texts = [one for one in outputs if isinstance(one, StreamText)]
    return {
        stream: "".join(_text(one.text) for one in texts if one.stream == stream)[-MOST_TEXT:]
        for stream in ("stdout", "stderr")
    }


def _text(text: Text) -> str:
    return text.head if isinstance(text, Blob) else text


def _blob(text: Text) -> str | None:
    """Where the whole is, if only its beginning is shown."""
    return text.sha256 if isinstance(text, Blob) else None


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
