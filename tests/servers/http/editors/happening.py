"""Events for the shapes of signals, with what stands around them."""

from itertools import count
from typing import Any

from tests.contracts.facts import ANNA, NOON

from hearth.core.views.status import Status
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import InputId, SessionId, event_id
from hearth.core.vocabulary.phases import Affordance, PhaseName

S = SessionId("session-aaaaaa")
_numbers = count(1)


def happened(event: Event, cause: str = "ask-1") -> Envelope:
    """An event in its place, because of this request."""
    number = next(_numbers)
    return Envelope(
        seq=number,
        session=S,
        version=number,
        id=event_id(InputId(cause), number),
        at=NOON,
        origin=ANNA,
        cause=InputId(cause),
        event=event,
    )


def status(**more: Any) -> Status:
    """A session that waits for code."""
    usual: dict[str, Any] = {
        "session": S,
        "name": "a session",
        "directory": "/home/ann",
        "state": PhaseName.READY,
        "available": (Affordance.RUN_CODE,),
        "evals": 0,
        "errors": 0,
        "cancelled": 0,
        "last_code": "",
        "last_duration": None,
        "started_at": NOON,
        "last_activity": NOON,
        "projects": (),
        "stale_events": 0,
        "generation": 1,
    }
    return Status(**{**usual, **more})
