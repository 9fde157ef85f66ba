"""What the log tells of requests: one line each, and their ids on every other line.

Whatever is logged while a request is answered can carry `about()`: the request's id, its session
and who asked. A line of a request has the same, with its status and how long it took, as fields
of the record (`request`, `session`, `origin`, `method`, `path`, `status`, `ms`). The query is
never told: a one-time code may be in it.
"""

import logging
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Final

from hearth.core.vocabulary.origin import Origin

_said = logging.getLogger(__name__)


class _Asked:
    """What is known of a request so far."""

    __slots__ = ("origin", "over", "request", "session")

    def __init__(self, request: str) -> None:
        self.request = request
        self.session = ""
        self.origin = ""
        self.over = False


_ASKED: Final[ContextVar[_Asked | None]] = ContextVar("hearth_asked", default=None)


def about() -> Mapping[str, str]:
    """The ids of the request that is being answered here; empty outside of one."""
    asked = _ASKED.get()
    # What a request set off goes on in its surroundings, long after it was answered.
    if asked is None or asked.over:
        return {}
    told = {"request": asked.request, "session": asked.session, "origin": asked.origin}
    return {name: value for name, value in told.items() if value}


def begin(request_id: str) -> None:
    """From here on this task answers a request."""
    _ASKED.set(_Asked(request_id))


def known(standing: str, name: str) -> None:
    """What token was shown is known; whether it is enough is not."""
    if (asked := _ASKED.get()) is not None:
        asked.origin = f"{standing}:{name}"


def by(origin: Origin) -> None:
    """In whose name it is asked is known."""
    if (asked := _ASKED.get()) is not None:
        asked.origin = f"{origin.actor}:{origin.name}@{origin.door}"


def on(session: str) -> None:
    """Which session it is about is known."""
    if (asked := _ASKED.get()) is not None:
        asked.session = session


def answered(method: str, path: str, status: int, seconds: float) -> None:
    """A request came to its end. What only looked, and was let, is told to who debugs."""
    told = about()
    if (asked := _ASKED.get()) is not None:
        asked.over = True
    quiet = method in {"GET", "HEAD", "OPTIONS"} and status < 400
    level = logging.DEBUG if quiet else logging.INFO
    if not _said.isEnabledFor(level):
        return
    shown, took = path[:200], round(seconds * 1000, 2)
    more = {"method": method, "path": shown, "status": status, "ms": took}
    _said.log(
        level, "%s %s %d", method, shown.encode("unicode_escape").decode(), status,
        extra={**told, **more},
    )  # fmt: skip
