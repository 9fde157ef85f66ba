"""Copies an interpreter between two of its cells, so that it is known what the copy holds."""

from dataclasses import dataclass
from typing import Final, Protocol

from hearth.api import Following, Hearth, Item, Viewed
from hearth.core.rules.interpreter import SITUATIONS
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.events import StateTransitioned
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import EventUnsaved

MOST_TRIES: Final = 5
GONE: Final = "its interpreter cannot be looked at"
NOT_LEFT_ALONE: Final = (
    f"it was not left alone for as long as a copy takes, {MOST_TRIES} times: {{what}} came between"
)


class Branched(Protocol):
    """What came of a copy."""

    @property
    def obstacles(self) -> tuple[str, ...]:
        """What is in the way, each in a sentence; none: the copy waits for its session."""


class Copying(Protocol):
    """Makes live copies of interpreters."""

    async def branch(self, source: SessionId, to: SessionId) -> Branched:
        """Copy the interpreter of a session, for another that is about to begin."""

    async def drop_branch(self, to: SessionId) -> None:
        """End a copy that no session came for."""


@dataclass(frozen=True, slots=True)
class InTheWay:
    """Why there is no copy, each in a sentence."""

    obstacles: tuple[str, ...]


async def copied(
    hearth: Hearth, copying: Copying, source: SessionId, to: SessionId
) -> int | InTheWay:
    """Have an interpreter copied. The copy holds exactly what its session did up to this version.

    What only asks may come between, however much of it does.
    """
    following = hearth.follow(source)
    try:
        between = ""
        for _ in range(MOST_TRIES):
            before = await _idle(hearth, source, following)
            if isinstance(before, InTheWay):
                return before
            made = await copying.branch(source, to)
            if made.obstacles:
                return InTheWay(made.obstacles)
            try:
                between = await _came_between(hearth, source, following, before)
            except BaseException:
                await copying.drop_branch(to)
                raise
            if not between:
                return before
            await copying.drop_branch(to)
        return InTheWay((NOT_LEFT_ALONE.format(what=between),))
    finally:
        following.close()


async def rows_of(hearth: Hearth) -> tuple[SessionRow, ...]:
    """All sessions that there are."""
    viewed = await hearth.view("sessions")
    if not isinstance(viewed, Viewed) or not isinstance(viewed.value, Sessions):
        return ()
    return viewed.value.rows


async def _idle(hearth: Hearth, session: SessionId, following: Following) -> int | InTheWay:
    """The version at which it does nothing; what it does, if it does something."""
    while True:
        rows = await rows_of(hearth)
        row = next((row for row in rows if row.session == session), None)
        if row is None or not row.resuming or row.state is not PhaseName.READY:
            break
        # The daemon was just started, and has not found it yet.
        if not await following.batch():
            return InTheWay((GONE,))  # the engine ends
    now = await _status(hearth, session)
    if now is None:
        return InTheWay((GONE,))
    if now.state is not PhaseName.READY:
        return InTheWay((SITUATIONS[now.state],))
    return now.events


async def _came_between(
    hearth: Hearth, session: SessionId, following: Following, before: int
) -> str:
    """What was done in it since that version, apart from questions; empty: nothing.

    Whatever changes what an interpreter holds makes it leave its state, and that is written down
    before it is begun.
    """
    now = await _status(hearth, session)
    if now is None:
        return GONE
    seen = before
    while seen < now.events:
        items = await following.batch()
        if not items:
            return GONE  # the engine ends
        for item in items:
            one = written(item)
            if one is None or not before < one.version <= now.events:
                continue
            seen = max(seen, one.version)
            if isinstance(one.event, StateTransitioned):
                return one.event.reason
    return ""


def written(item: Item) -> Envelope | None:
    """What became of the session, saved or not yet."""
    if isinstance(item, Stored):
        return codec.envelope(item)
    if isinstance(item.progress, EventUnsaved):
        return codec.decode_envelope(item.progress.json.encode())
    return None


async def _status(hearth: Hearth, session: SessionId) -> Status | None:
    viewed = await hearth.view("status", session)
    if isinstance(viewed, Viewed) and isinstance(viewed.value, Status):
        return viewed.value
    return None
