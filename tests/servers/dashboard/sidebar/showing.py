"""Sessions to be shown, as views would tell of them."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.servers.dashboard.sidebar.arrangement import Looked
from hearth.servers.dashboard.sidebar.desks import Desk
from hearth.servers.dashboard.sidebar.lines import Author, Line, State

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
EVIL: Final = "<img src=x onerror=alert(1)>\u202e"


def before(**ago: float) -> datetime:
    return NOW - timedelta(**ago)


ANN: Final = Author(Actor.PERSON, "ann", before(minutes=5))
BOT: Final = Author(Actor.AGENT, "scripted:quick", before(minutes=1))


def line(session: str, state: State = State.READY, **more: Any) -> Line:
    fields = {"name": session, "at": before(minutes=1), "began": before(hours=1), **more}
    stopped = state is State.STOPPED
    return Line(session=SessionId(session), state=state, stopped=stopped, **fields)


def looked(*lines: Line, **more: Any) -> Looked:
    fields = {"person": "ann", "desk": Desk(), "now": NOW, **more}
    return Looked(lines=lines, **fields)
