"""Panels that always say something: what went wrong is shown where the panel would be."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeAlias

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.panels import parts
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.wording import Clock, utc_now
from hearth.servers.http.asked import Declined

Show: TypeAlias = Callable[[Looking], Awaitable[Html]]
ShowNow: TypeAlias = Callable[[Looking, datetime], Awaitable[Html]]
ShowSession: TypeAlias = Callable[[Looking, SessionId, datetime], Awaitable[Html]]

_said = logging.getLogger(__name__)


def said(show: ShowNow, clock: Clock = utc_now) -> Show:
    """A panel that is told what time it is, and whose trouble is shown instead of raised."""

    async def shown(looking: Looking) -> Html:
        try:
            return await show(looking, clock())
        except Declined as declined:
            return parts.trouble(declined.trouble.message, declined.trouble.hint)
        except Exception:  # noqa: BLE001 - one panel must not take the stream with it
            _said.exception("a panel could not be drawn")
            what = "This cannot be shown now: something went wrong inside hearth."
            return parts.trouble(what, "logs/daemon.log tells more")

    return shown


def said_of(show: ShowSession, clock: Clock = utc_now) -> Show:
    """The same for a panel about one session; without one it says so."""

    async def shown(looking: Looking, now: datetime) -> Html:
        if looking.session is None:
            return parts.nothing("This is about one session. Open one to see it.")
        return await show(looking, looking.session, now)

    return said(shown, clock)
