"""A log that tests write to by hand, behind the three verbs: real followers, no interpreters."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.contracts.facts import of_size
from tests.contracts.manual_clock import ManualClock

from hearth.api import Accepted, Following, Viewed
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.refusals import Refusal, UnknownSession
from hearth.engine.subscribers import Subscribers
from hearth.log.memory import MemoryLog

S = SessionId("session-aaaaaa")
T = SessionId("session-bbbbbb")
SMALL = 300
PATIENCE = 25.0


class Played:
    """Implements `hearth.api.Hearth`, as far as streams need it."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.subscribers = Subscribers(self.log, ManualClock())
        self.rows: list[Stored] = []
        self.seen_by_views = True
        """Whether views know the sessions; they do not know one that is yet to be created."""

    async def write(self, number: int = 1, session: SessionId = S, size: int = SMALL) -> None:
        """Append so many rows; they are with every follower when this returns."""
        version = sum(row.session == session for row in self.rows)
        drafts = [of_size(size) for _ in range(number)]
        self.rows += await self.log.append(session, version, drafts)

    def show(self, text: str, session: SessionId = S) -> None:
        """Show some output to whoever follows now."""
        self.subscribers.show(session, OutputChunk(CellId("c1"), "stdout", text))

    def of(self, session: SessionId | None, after: int = 0) -> list[int]:
        """The rows that a stream of this session must have after this cursor."""
        mine = (row for row in self.rows if session in {None, row.session})
        return [row.seq for row in mine if row.seq > after]

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        raise NotImplementedError

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        mine = self.of(session)
        if not self.seen_by_views or (session is not None and not mine):
            return UnknownSession(why=f"nothing is known of {name}", session=session or S)
        return Viewed(Sessions(), mine[-1] if mine else 0)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        return self.subscribers.follow(session, after)


@asynccontextmanager
async def played() -> AsyncIterator[Played]:
    """One that is open."""
    hearth = Played()
    await hearth.log.open()
    await hearth.subscribers.open()
    try:
        yield hearth
    finally:
        await hearth.subscribers.close()


async def so(condition: Callable[[], object]) -> None:
    """Let others run until this is so, where nobody tells when it is."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - for what has no event to wait for
            await asyncio.sleep(0)


def ids_in(stream: bytes) -> list[int]:
    """The cursors of the rows in a stream, in the order in which they stand there."""
    return [int(found) for found in re.findall(rb"^id: (\d+)\ndata", stream, re.MULTILINE)]


def texts_in(stream: bytes) -> list[str]:
    """The output that a stream shows, piece by piece."""
    return [found.decode() for found in re.findall(rb'"text":"([^"]*)"', stream)]
