"""Statuses of sessions that nobody began."""

from typing import Any

from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName


def status(**more: Any) -> Status:
    """A session that is ready, apart from what is said otherwise."""
    usual: dict[str, Any] = {
        "session": SessionId("session-a1b2c3"),
        "name": "shop",
        "directory": "/home/ann/shop",
        "state": PhaseName.READY,
        "available": tuple(Affordance),
        "evals": 0,
        "errors": 0,
        "cancelled": 0,
        "last_code": "",
        "last_duration": None,
        "started_at": None,
        "last_activity": None,
        "projects": (),
        "stale_events": 0,
        "generation": 1,
    }
    return Status(**{**usual, **more})
