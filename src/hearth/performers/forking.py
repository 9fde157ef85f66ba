"""Begins a session that goes on from another: with a live copy of its interpreter, or rebuilt.

It uses the same doors as everyone else; only the copy itself is made by the interpreters.
"""

import logging
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from hearth.api import Following, Hearth, Viewed, each, settle
from hearth.core.rules.forking import WAYS_OUT, no_block
from hearth.core.rules.naming import fork_name
from hearth.core.views.said_here import said_here
from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import CreateSession, ForkPoint, ReplaySession, SessionConfig
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import BlockId, InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import ForkHow
from hearth.log.looking import Read, found
from hearth.performers.fork_copies import Copying, InTheWay, copied, rows_of, written

FORK: Final = Origin(Actor.SYSTEM, "fork")
"""In whose name a fork is begun and rebuilt."""
NOBODY: Final = "nobody here can fork this"
TAKEN: Final = "another session has this id"
ANOTHER: Final = ("give it another id",)
COPY_LOST: Final = (
    "the daemon ended before its interpreter was there: it has a new and empty one; fork_session"
    " makes another"
)
REPLAY_LOST: Final = (
    "the daemon ended before its names were rebuilt; replay_session in it runs the cells again"
)
_IS_UP: Final = frozenset({PhaseName.READY, PhaseName.EVALUATING})
OBSTACLES: Final = "its interpreter cannot be copied"

_said = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Ended:
    """Why there is no fork, and what would help."""

    problem: str
    obstacles: tuple[str, ...] = ()
    remedy: tuple[str, ...] = ()


class Forking:
    """Carries out BranchSession. Give it the engine by `bind` before it is asked for anything."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.BranchSession})

    def __init__(self, copying: Copying, read: Read) -> None:
        self._copying = copying
        self._read = read
        self._hearth: Hearth | None = None
        self._names: set[str] = set()
        """Of forks that are being begun."""
        self._made: dict[SessionId, tuple[SessionId, InputId]] = {}
        """Which wish is at work on an id."""

    def bind(self, hearth: Hearth) -> None:
        """Use this engine; it cannot be given earlier, because the engine is made of performers."""
        self._hearth = hearth

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Begin the other session, and report once it is ready."""
        if not isinstance(effect, fx.BranchSession) or self._hearth is None:
            stage.report(r.EffectFailed(effect, NOBODY))
            return
        wish = (session, effect.question)
        if (other := self._made.setdefault(effect.to, wish)) is not wish:
            if other != wish:  # else it is being made, and is reported then
                point = effect.config.forked_from or ForkPoint(session)
                stage.report(_none(effect, point, _Ended(TAKEN, remedy=ANOTHER)))
            return
        try:
            stage.report(await self._forked(self._hearth, session, effect))
        except Exception as defect:  # noqa: BLE001 - a performer never raises, whatever happens
            _said.exception("the fork %s of %s went wrong", effect.to, session)
            problem = f"{type(defect).__name__}: {defect}"
            stage.report(r.ForkEnded(effect.question, problem=problem))
        finally:
            del self._made[effect.to]

    async def close(self) -> None:
        """Nothing is held between two forks."""

    async def _forked(
        self, hearth: Hearth, session: SessionId, effect: fx.BranchSession
    ) -> r.ForkEnded:
        point = effect.config.forked_from or ForkPoint(session)
        # In the log, since a daemon that was just started does not know all sessions yet.
        for row in await self._read(effect.to, 0, 1):
            there = codec.envelope(row).event
            if isinstance(there, e.SessionStarted) and _is_made_by(there.config, point):
                ended = await _found(hearth, effect, point.how)
                return replace(ended, name=there.config.name)
            return _none(effect, point, _Ended(TAKEN, remedy=ANOTHER))
        missing = await self._no_block(session, point.block)
        begun = missing or await self._begun(hearth, session, effect, point)
        if isinstance(begun, _Ended):
            return _none(effect, point, begun)
        notice = ""
        if point.how is ForkHow.REPLAY:
            notice = await _replayed(hearth, session, effect)
        return r.ForkEnded(effect.question, point.how, notice, name=begun)

    async def _no_block(self, session: SessionId, block: BlockId) -> _Ended | None:
        """That it cannot begin at a block; None if it can. Nobody has any use for half a fork."""
        if not block:
            return None
        said = await found(said_here(session, block), self._read)
        if said.is_there:
            return None
        why, remedy = no_block(block, said.source)
        return _Ended(why, remedy=remedy)

    async def _begun(
        self, hearth: Hearth, session: SessionId, effect: fx.BranchSession, point: ForkPoint
    ) -> _Ended | str:
        """Begin the session, with the copy if one is wanted: its name, or why it could not be."""
        if point.how is ForkHow.COPY:
            # First of all: one that cannot be copied leaves no session behind.
            made = await copied(hearth, self._copying, session, effect.to)
            if isinstance(made, InTheWay):
                problem = f"{OBSTACLES}: {'; '.join(made.obstacles)}"
                return _Ended(problem, made.obstacles, WAYS_OUT)
            point = replace(point, version=made)
        try:
            begun = await self._created(hearth, session, effect, point)
        except BaseException:
            await self._copying.drop_branch(effect.to)
            raise
        if isinstance(begun, _Ended):
            await self._copying.drop_branch(effect.to)
        return begun

    async def _created(
        self, hearth: Hearth, session: SessionId, effect: fx.BranchSession, point: ForkPoint
    ) -> _Ended | str:
        rows = await rows_of(hearth)
        name = effect.config.name or fork_name(
            next((row.name for row in rows if row.session == session), ""),
            (*self._names, *(one for row in rows for one in (row.session, row.name))),
        )
        self._names.add(name)
        following = hearth.follow(effect.to)
        try:
            config = replace(effect.config, name=name, forked_from=point)
            made = await settle(hearth, effect.to, CreateSession(config), FORK)
            if isinstance(made, Refused):
                return _Ended(made.why, remedy=made.remedy)
            if not isinstance(made.outcome.event, e.SessionReady):
                return _Ended("its interpreter could not be started")
            await _goes_on(following)
        finally:
            following.close()
            self._names.discard(name)
        return name


def _is_made_by(config: SessionConfig, point: ForkPoint) -> bool:
    """Whether a session was begun before the daemon ended, by the very wish that this is about."""
    fork = config.forked_from
    return fork is not None and (fork.session, fork.asked) == (point.session, point.asked)


def _none(effect: fx.BranchSession, point: ForkPoint, ended: _Ended) -> r.ForkEnded:
    return r.ForkEnded(
        question=effect.question,
        how=point.how,
        problem=ended.problem,
        obstacles=ended.obstacles,
        remedy=ended.remedy,
    )


async def _goes_on(following: Following) -> None:
    """Until its conversation goes on from the other one, or nothing was said there."""
    async for item in each(following):
        one = written(item)
        if one is not None and isinstance(one.event, e.ConversationForked | e.LookupFailed):
            return


async def _found(hearth: Hearth, effect: fx.BranchSession, how: ForkHow) -> r.ForkEnded:
    """What there is of a fork that was being made when the daemon ended."""
    if how is ForkHow.COPY:
        status = await _up(hearth, effect.to)
        if status is None or status.state not in _IS_UP or status.generation > 1:
            # No session had come for the copy: it ended with the daemon.
            return r.ForkEnded(effect.question, ForkHow.NEW, COPY_LOST)
    if how is ForkHow.REPLAY and not await _was_replayed(hearth, effect.to):
        return r.ForkEnded(effect.question, how, REPLAY_LOST)
    return r.ForkEnded(effect.question, how)


async def _up(hearth: Hearth, session: SessionId) -> Status | None:
    """How it stands once its interpreter is there, or is not to be."""
    following = hearth.follow(session)
    try:
        while True:
            viewed = await hearth.view("status", session)
            if not isinstance(viewed, Viewed) or not isinstance(viewed.value, Status):
                return None
            if viewed.value.state is not PhaseName.WARMING_UP:
                return viewed.value
            await following.batch()
    finally:
        following.close()


async def _was_replayed(hearth: Hearth, session: SessionId) -> bool:
    """Whether a replay in it came to its end."""
    viewed = await hearth.view("status", session)
    if not isinstance(viewed, Viewed) or not isinstance(viewed.value, Status):
        return False
    last = viewed.value.events
    following = hearth.follow(session, after=0)
    try:
        async for item in each(following):
            if isinstance(item, Stored):
                if isinstance(codec.envelope(item).event, e.SessionReplayed):
                    return True
                if item.version >= last:
                    return False
    finally:
        following.close()
    return False


async def _replayed(hearth: Hearth, source: SessionId, effect: fx.BranchSession) -> str:
    """Run the cells again; what was not the same, in words."""
    done = await settle(hearth, effect.to, ReplaySession(source, effect.before), FORK)
    if isinstance(done, Refused):
        return f"its names were not rebuilt: {done.why}"
    event = done.outcome.event
    if not isinstance(event, e.SessionReplayed):
        return "its names were not rebuilt: the replay was cut off"
    parts = (
        event.problem and f"the replay ended early: {event.problem}",
        event.failed and f"failed this time: {', '.join(event.failed)}",
        event.differing and f"came out otherwise: {', '.join(d.cell for d in event.differing)}",
        event.missing and f"missing now: {', '.join(event.missing)}",
    )
    return "; ".join(part for part in parts if part)
