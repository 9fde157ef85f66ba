"""One cell that an interpreter was given: what it showed so far, and how it came to its end."""

import asyncio
import re
import time
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.failures import CodeRaised, Interrupted, TimedOut
from hearth.core.vocabulary.ids import CellId
from hearth.performers.interpreter.collecting import Collected, plain, result_text
from hearth.performers.interpreter.connection import Request
from hearth.performers.interpreter.worker_folder import WorkerFolder

_REQUEST: Final = re.compile(r"cell:(c\d+)")

CUT_OFF: Final = frozenset({"KeyboardInterrupt", "CancelledError", "CellAbandoned", "Rescue"})
"""How code that was stopped says that it ended."""


def request_of(cell: CellId) -> str:
    """The id of the request that runs a cell: known to every daemon, also to the next one."""
    return f"cell:{cell}"


def cell_of(request: str) -> CellId | None:
    """The cell that a request ran, if it was one for a cell."""
    match = _REQUEST.fullmatch(request)
    return CellId(match[1]) if match else None


def cell_request(
    effect: fx.ExecuteInWorker | fx.LoadInWorker, code: str, script: str | None, output_limit: int
) -> Request:
    """The request that runs a cell. What only hearth's own kernel knows stands in its metadata."""
    content = {
        "code": code,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": effect.may_ask,
        "stop_on_error": False,
    }
    told: dict[str, Any] = {
        "cell": effect.cell,
        "script": script,
        "output_limit": output_limit,
        "may_ask": effect.may_ask,
        "reload": effect.reload if isinstance(effect, fx.ExecuteInWorker) else True,
    }
    if effect.copy:
        told |= {"copy": effect.cell, "ahead": True}
    name, metadata = request_of(effect.cell), {"hearth": told}
    return Request("shell", "execute_request", content, id=name, metadata=metadata)


@dataclass(slots=True)
class RunningCell:
    """A cell between its request and its end."""

    cell: CellId
    collected: Collected
    code: str = ""
    time_limit: float | None = None
    undoes: bool = False
    """All that it did is taken back if it fails."""
    is_ending: bool = False
    """It has ended, and what follows from that is not done yet."""
    started: float = field(default_factory=time.monotonic)
    heard_of: bool = False
    """The interpreter has said something about it."""
    reply: dict[str, Any] | None = None
    idle: bool = False
    cancelled: bool = False
    overdue: bool = False
    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is asked to stop once more."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    timer: asyncio.TimerHandle | None = None
    climbing: asyncio.Task[None] | None = None

    @property
    def request(self) -> str:
        """The id of its request."""
        return request_of(self.cell)

    @property
    def failed(self) -> bool:
        """Whether it came to an end that is not a good one."""
        return self.reply is not None and self.reply.get("status") != "ok"

    @property
    def is_over(self) -> bool:
        """Whether everything about it has been said."""
        return self.reply is not None and self.idle

    def close(self) -> None:
        """It ended, or nobody waits for it any more."""
        if self.timer is not None:
            self.timer.cancel()
        self.ended.set()

    def hear_unsent(self, folder: WorkerFolder) -> None:
        """What it had printed and not sent when its process died."""
        for stream in ("stdout", "stderr"):
            request, text = folder.unsent(stream)
            # It may have died between sending it and forgetting it.
            if text and request == self.request and not self.collected.ends_with(stream, text):
                self.collected.hear("stream", {"name": stream, "text": text})

    def cut_off(self, lost: r.WorkerLost) -> r.WorkerLost:
        """The same loss, with what the cell had shown by then."""
        return replace(
            lost,
            outputs=self.collected.outputs(),
            dropped=self.collected.dropped,
            duration=time.monotonic() - self.started,
        )

    def report(self, generation: int) -> r.CellEnded:
        """What there is to tell about its end."""
        outputs = self.collected.outputs()
        told = (self.reply or {}).get("hearth")
        extra: dict[str, Any] = told if isinstance(told, dict) else {}
        return r.CellEnded(
            generation=generation,
            cell=self.cell,
            ending=self._ending(result_text(outputs), str(extra.get("value_type") or "")),
            duration=self._duration(extra.get("duration")),
            outputs=outputs,
            names=_texts(extra.get("names")),
            statements=_count(extra.get("statements")),
            uses=_parts(extra.get("uses")),
            dropped=self.collected.dropped + _count(extra.get("dropped")),
        )

    def _duration(self, told: Any) -> float:
        """As it was measured inside: a cell that was taken up began before this daemon did."""
        measured = isinstance(told, int | float) and told >= 0
        return float(told) if measured else time.monotonic() - self.started

    def _ending(self, value: str, value_type: str) -> r.Ending:
        reply = self.reply or {}
        status, name = reply.get("status"), str(reply.get("ename") or "")
        if status == "ok":
            return r.Succeeded(value, value_type)
        stopped = status in {"abort", "aborted"} or name in CUT_OFF
        if stopped and self.overdue and self.time_limit is not None:
            return r.Raised(TimedOut(self.time_limit, time.monotonic() - self.started))
        if stopped and self.cancelled:
            return r.Stopped()
        if status != "error":
            return r.Raised(Interrupted("the interpreter did not run it"))
        lines = reply.get("traceback")
        traceback = "\n".join(map(str, lines)) if isinstance(lines, list) else ""
        message = str(reply.get("evalue") or "")
        return r.Raised(CodeRaised(name, plain(message), plain(traceback)))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _parts(value: Any) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}
