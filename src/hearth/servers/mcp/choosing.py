"""Which session a call is for: the one it names, else its connection's, else that of its place.

Whatever others do or choose, a connection stays with its session until that is dead. A call that
stands for itself is resolved from its caller's directory alone.
"""

import asyncio
from pathlib import Path
from typing import Final

from hearth.api import Following, Hearth, Viewed, each
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import SessionMode
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SessionSwitched
from hearth.core.vocabulary.failures import Failure
from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownSession
from hearth.credentials.standing import Act, may
from hearth.resolving import found_at, is_usable, named, session_at
from hearth.servers.http.around import Rows
from hearth.servers.mcp.callers import Caller

PAGE: Final = 500
AT_ONCE: Final = 0.3
"""Seconds within which a session is there that needs no warming up; then it is looked for."""
WARMING: Final = 30.0
"""Seconds for which a session that was found is waited for while it warms up."""


class Choosing:
    """Finds the session of a call, or has one made."""

    def __init__(self, hearth: Hearth, rows: Rows) -> None:
        self._hearth = hearth
        self._default = DefaultSession(rows)
        self._making: dict[tuple[str, SessionMode], asyncio.Task[SessionId | Failure | Refusal]]
        self._making = {}

    async def close(self) -> None:
        """Wait for nobody any more; what is being made is made all the same."""
        for task in self._making.values():
            task.cancel()
        await asyncio.gather(*self._making.values(), return_exceptions=True)

    async def meant(self, said: str) -> SessionId | Refusal:
        """The session of exactly this id, else the one that is meant by it."""
        viewed = await self._hearth.view("status", SessionId(said))
        if not isinstance(viewed, UnknownSession) and said != DAEMON_STREAM:
            return SessionId(said)
        found = await named(self._hearth, said)
        if found == DAEMON_STREAM:
            return _unknown(said)
        return found

    async def current(self, caller: Caller) -> SessionId | None:
        """The session that the caller has now; none is looked for, or made."""
        own = caller.connection
        return own.active if own is not None and await self._lives(own.active) else None

    async def of(self, caller: Caller, *, waits: bool = True) -> SessionId | Failure | Refusal:
        """The session of a call that names none. A new one, if need be and if the caller may.

        Without `waits` it need not be ready: whoever only looks sees that it warms up.
        """
        own = caller.connection
        if own is None:
            return await self._at(caller, caller.directory, waits=waits)
        if own.active is not None and await self._lives(own.active):
            return own.active
        # One after the other: of several first calls the others find what the first one chose.
        async with own.seeding:
            if own.active is not None and await self._lives(own.active):
                return own.active
            found = await self._seeded(caller, waits=waits)
            if isinstance(found, str):
                own.active = found
                own.be_at(found, caller.origin)
            return found

    async def _seeded(self, caller: Caller, *, waits: bool) -> SessionId | Failure | Refusal:
        directory = caller.directory or await caller.roots()
        if directory:
            return await self._at(caller, directory, waits=waits)
        usable = await self._usable()
        if isinstance(usable, Refused):
            return usable
        preferred = await self._default.now()
        chosen = next((row for row in usable if row.session == preferred), None)
        # The single one, or the one that was used last: the view has those first.
        chosen = chosen or next(iter(usable), None)
        if chosen is None:
            return await self._at(caller, "", waits=waits)
        if waits:
            await self._warm(chosen.session)
        return chosen.session

    async def _usable(self) -> list[SessionRow] | Refusal:
        viewed = await self._hearth.view("sessions")
        if not isinstance(viewed, Viewed):
            return viewed
        rows = viewed.value.rows if isinstance(viewed.value, Sessions) else ()
        return [row for row in rows if is_usable(row)]

    async def _at(
        self, caller: Caller, directory: str, *, waits: bool
    ) -> SessionId | Failure | Refusal:
        """The session of a directory. Of nowhere: a bare one where the person is at home."""
        mode = SessionMode.PROJECT if directory else SessionMode.BARE
        place = directory or str(Path.home())
        if not may(caller.credential.standing, Act.WORK):
            return await found_at(self._hearth, place, mode) or _none()
        making = self._made(place, mode, caller.origin)
        if not waits:
            return await self._begun(making, place, mode)
        found = await asyncio.shield(making)
        if isinstance(found, str):
            await self._warm(found)
        return found

    async def _begun(
        self,
        making: asyncio.Task[SessionId | Failure | Refusal],
        place: str,
        mode: SessionMode,
    ) -> SessionId | Failure | Refusal:
        """As soon as it is there, even if it still warms up."""
        while True:
            done, _ = await asyncio.wait({making}, timeout=AT_ONCE)
            if done:
                return making.result()
            found = await found_at(self._hearth, place, mode)
            if found is not None:
                return found

    def _made(
        self, place: str, mode: SessionMode, origin: Origin
    ) -> asyncio.Task[SessionId | Failure | Refusal]:
        """Found or made; however many ask at once, all wait for the same one."""
        making = self._making.get((place, mode))
        if making is None:
            # A task of its own: whoever hangs up must not leave a session half begun.
            making = asyncio.create_task(session_at(self._hearth, place, origin, mode))
            self._making[place, mode] = making
            making.add_done_callback(lambda _: self._making.pop((place, mode), None))
        return making

    async def _lives(self, session: SessionId | None) -> bool:
        if session is None:
            return False
        viewed = await self._hearth.view("status", session)
        return (
            isinstance(viewed, Viewed)
            and isinstance(viewed.value, Status)
            and (not viewed.value.stopped)
        )

    async def _warm(self, session: SessionId) -> None:
        """Wait a while for one that somebody else has just begun."""
        viewed = await self._hearth.view("status", session)
        if not isinstance(viewed, Viewed) or not _is_warming(viewed):
            return
        following = self._hearth.follow(session, after=viewed.seq)
        try:
            async with asyncio.timeout(WARMING):
                await self._until_warm(session, following)
        except TimeoutError:
            pass  # whoever asks is told that it still warms up
        finally:
            following.close()

    async def _until_warm(self, session: SessionId, following: Following) -> None:
        async for _ in each(following):
            viewed = await self._hearth.view("status", session)
            if not isinstance(viewed, Viewed) or not _is_warming(viewed):
                return


class DefaultSession:
    """The session that new connections begin with, as the daemon's own stream has it."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._version = 0
        self._now: SessionId | None = None

    async def now(self) -> SessionId | None:
        """Which one it is; None if nobody chose, or it cannot be read now."""
        try:
            while rows := await self._rows(DAEMON_STREAM, self._version, PAGE):
                for row in rows:
                    self._take(row)
        except Exception:  # noqa: BLE001 - any error means: not now
            return self._now
        return self._now

    def _take(self, row: Stored) -> None:
        self._version = row.version
        event = codec.envelope(row).event
        if isinstance(event, SessionSwitched):
            self._now = event.to


def _is_warming(viewed: Viewed) -> bool:
    return isinstance(viewed.value, Status) and viewed.value.state is PhaseName.WARMING_UP


def _unknown(said: str) -> UnknownSession:
    return UnknownSession(
        session=SessionId(said),
        why=f"{said!r} is the daemon's own stream, and no session",
        remedy=("list_sessions",),
    )


def _none() -> UnknownSession:
    return UnknownSession(
        session=SessionId(""),
        why="there is no session of this directory, and this token may not begin one",
        remedy=("list_sessions", "name one of them with `session`"),
    )
