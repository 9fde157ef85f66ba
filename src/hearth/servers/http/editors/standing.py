"""`/status`: how a session stands, what it counts, and who is connected to it."""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from hearth.api import Hearth, Viewed
from hearth.core.views.approvals import Permissions
from hearth.core.views.status import Status
from hearth.core.views.transcript import CellStanding, Transcript
from hearth.core.views.validity import Environment
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import Progress
from hearth.servers.http.editors.evaluation import error_of
from hearth.servers.http.editors.signals import Signals

MOST_RUNS: Final = 200
"""So many of the newest cells are measured."""
MOST_TYPES: Final = 500

_CLASS = re.compile(r"^class\s+([^\W\d]\w*)", re.MULTILINE)


class Standing:
    """A session at a glance, kept current."""

    name = "status"

    def __init__(
        self,
        hearth: Hearth,
        seen: tuple[Status, Transcript, Environment],
        connections: Callable[[], Mapping[str, int]],
        asked: tuple[int, Callable[[], int]],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`asked`: how much waits for a person here, and what tells how much does everywhere."""
        self._hearth = hearth
        self._asked, self._asked_everywhere = asked
        self._status, transcript, self._environment = seen
        self._connections = connections
        self._clock = clock
        self._code: dict[CellId, Text] = {}
        finished = [one for one in transcript.entries if one.standing is CellStanding.FINISHED]
        times = [one.duration for one in transcript.entries if one.duration is not None]
        self._runs: deque[float] = deque(times, MOST_RUNS)
        self._types: dict[str, None] = {}
        for entry in finished:
            self._define(entry.code)

    @property
    def now(self) -> Signals:
        """All of it."""
        status = self._status
        last = status.last_duration
        return {
            "session": status.session,
            "name": status.name,
            "directory": status.directory,
            "state": str(status.state),
            "available": [str(one) for one in status.available],
            "current": None if status.current is None else str(status.current.cell),
            "waiting": status.waiting,
            "approvals": self._asked,
            "approvals_everywhere": self._asked_everywhere(),
            "failure": None if status.failure is None else error_of(status.failure),
            "eval_count": status.evals,
            "error_count": status.errors,
            "cancelled_count": status.cancelled,
            "last_eval_ms": None if last is None else round(last * 1000, 3),
            "started_at": None if status.started_at is None else status.started_at.isoformat(),
            "uptime": self._uptime(),
            "generation": status.generation,
            "stale": status.stale_events,
            "stopped": status.stopped,
            "python": status.python,
            "version": status.version,
            "types": list(self._types),
            "distributions": sorted(self._environment.parts),
            "performance": performance(self._runs),
            "connections": dict(self._connections()),
        }

    async def happened(self, envelope: Envelope) -> bool:
        """Anything may have changed: the view is asked, which is never behind its events."""
        event = envelope.event
        session = self._status.session
        match event:
            case e.CellStarted():
                self._code[event.cell] = event.code
            case e.CellFinished() | e.CellFailed() | e.CellCancelled():
                self._runs.append(event.duration)
                code = self._code.pop(event.cell, "")
                if isinstance(event, e.CellFinished):
                    self._define(code)
            case e.SessionReset() | e.SessionHardReset():
                self._types.clear()
                self._code.clear()
            case e.EnvironmentChanged():
                viewed = await self._hearth.view("environment", session)
                if isinstance(viewed, Viewed) and isinstance(viewed.value, Environment):
                    self._environment = viewed.value
            case t.ApprovalRequested() | t.ApprovalAnswered() | t.TurnFinished():
                viewed = await self._hearth.view("permissions", session)
                if isinstance(viewed, Viewed) and isinstance(viewed.value, Permissions):
                    self._asked = len(viewed.value.asked)
            case _:
                pass
        viewed = await self._hearth.view("status", session)
        if isinstance(viewed, Viewed) and isinstance(viewed.value, Status):
            self._status = viewed.value
        return True

    def shown(self, progress: Progress) -> bool:
        """Nothing of that is shown here."""
        del progress
        return False

    def _uptime(self) -> float:
        """Seconds since it began, whole ones: it is told with what else changes."""
        began = self._status.started_at
        return 0.0 if began is None else float(int((self._clock() - began).total_seconds()))

    def _define(self, code: Text) -> None:
        text = code.head if isinstance(code, Blob) else code
        for name in _CLASS.findall(text):
            self._types.pop(name, None)
            self._types[name] = None
        while len(self._types) > MOST_TYPES:
            del self._types[next(iter(self._types))]


def performance(seconds: Sequence[float]) -> dict[str, Any]:
    """How long cells took, in milliseconds."""
    ordered = sorted(seconds)
    if not ordered:
        return {"count": 0, "mean_ms": None, "median_ms": None, "p95_ms": None, "max_ms": None}
    return {
        "count": len(ordered),
        "mean_ms": round(sum(ordered) / len(ordered) * 1000, 3),
        "median_ms": _at(ordered, 0.5),
        "p95_ms": _at(ordered, 0.95),
        "max_ms": _at(ordered, 1.0),
    }


def _at(ordered: Sequence[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000, 3)
