"""Runs the recorded cells of a session again in a fresh interpreter, and tells how it went.

It uses the same doors as everyone else: it reads the log, and asks for one cell after the other.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import Final

from hearth.api import Hearth, Settled, Viewed, each, settle
from hearth.core.rules.comparing import difference
from hearth.core.rules.replay import Action, Closer, History, Step
from hearth.core.views.status import Status
from hearth.core.views.validity import Environment
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Difference
from hearth.core.vocabulary.commands import ForkPoint, LoadScript, RunCell
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.failures import CodeRaised, Interrupted, WorkerCrashed
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.progress import ReplayStep
from hearth.core.vocabulary.refusals import NotNow, Refusal, Refused
from hearth.core.vocabulary.undoing import ForkHow

REPLAY: Final = Origin(Actor.SYSTEM, "replay")
"""Who runs the cells again."""
NOT_HERE: Final = (
    "its interpreter was copied from that of {}, and what that held is not here; with that session"
    " imported under its own id, it can be run again"
)

_ABSENT: Final = re.compile(r"No module named '([^']+)'")
_NOT_IN: Final = re.compile(
    r"module '(?P<module>[^']+)' has no attribute '(?P<name>[^']+)'"
    r"|cannot import name '(?P<member>[^']+)' from '(?P<package>[^']+)'"
)
_said = logging.getLogger(__name__)


class _CutShort(Exception):
    """The replay cannot go on."""


class _Account:
    """What became of the cells so far."""

    def __init__(self) -> None:
        self.ran: list[CellId] = []
        self.skipped: list[CellId] = []
        self.partial: list[CellId] = []
        self.failed: list[CellId] = []
        self.differing: list[Difference] = []
        self.missing: dict[str, list[CellId]] = {}

    def lacks(self, step: Step, parts: tuple[str, ...]) -> None:
        """Something this cell needs is not there."""
        for part in parts:
            self.missing.setdefault(part, []).append(step.cell)

    def ended(self, step: Step, end: Closer) -> None:
        """A cell was run to some end."""
        self.ran.append(step.cell)
        if step.partial:
            self.partial.append(step.cell)
        if not isinstance(end, e.CellFinished):
            self.failed.append(step.cell)
        other = difference(step.cell, step.end, end)
        if other is not None:
            self.differing.append(other)
            self.lacks(step, _absent(step, end))

    def report(self, question: InputId, problem: str) -> r.ReplayEnded:
        """All of it."""
        lacking = self.missing.items()
        return r.ReplayEnded(
            question,
            ran=tuple(self.ran),
            skipped=tuple(self.skipped),
            partial=tuple(self.partial),
            failed=tuple(self.failed),
            differing=tuple(self.differing),
            missing=tuple(f"{part} (used by {', '.join(cells)})" for part, cells in lacking),
            problem=problem,
        )


class Replaying:
    """Carries out ReplayHistory. Give it the engine by `bind` before it is asked for anything."""

    effects: frozenset[type[fx.Effect]] = frozenset({fx.ReplayHistory})

    def __init__(self, fetch: Callable[[str], Awaitable[bytes]]) -> None:
        self._fetch = fetch
        """Code that is kept as a blob, by its hash."""
        self._hearth: Hearth | None = None

    def bind(self, hearth: Hearth) -> None:
        """Use this engine; it cannot be given earlier, because the engine is made of performers."""
        self._hearth = hearth

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """Run the cells, one after the other. Ends early, and says why, where it cannot go on."""
        if not isinstance(effect, fx.ReplayHistory) or self._hearth is None:
            stage.report(r.EffectFailed(effect, "nobody here can replay this"))
            return
        account, problem = _Account(), ""
        try:
            await self._replay(self._hearth, session, effect, stage, account)
        except (_CutShort, ConnectionError, codec.Unreadable) as end:
            problem = str(end)
        except Exception as defect:  # noqa: BLE001 - a performer never raises, whatever happens
            # What was run so far is told in any case.
            _said.exception("the replay of %s in %s went wrong", effect.source, session)
            problem = f"{type(defect).__name__}: {defect}"
        stage.report(account.report(effect.question, problem))

    async def close(self) -> None:
        """Nothing is held between two replays."""

    async def _replay(
        self,
        hearth: Hearth,
        session: SessionId,
        effect: fx.ReplayHistory,
        stage: Stage,
        account: _Account,
    ) -> None:
        steps = await _planned(hearth, session, effect)
        total = sum(step.action is Action.RUN for step in steps)
        for step in steps:
            match step.action:
                case Action.SKIP:
                    account.skipped.append(step.cell)
                case Action.REPORT:
                    account.lacks(step, step.missing)
                case Action.RUN:
                    stage.show(ReplayStep(step.cell, len(account.ran) + 1, total))
                    command = await self._command(step)
                    outcome = await _outcome(hearth, session, command)
                    account.ended(step, _end_of(step, outcome))

    async def _command(self, step: Step) -> RunCell | LoadScript:
        if step.script:
            return LoadScript(step.script, step.time_limit, replays=step.cell)
        return RunCell(
            await self._code(step),
            time_limit=step.time_limit,
            if_busy="queue",
            reload=step.reload,
            replays=step.cell,
        )

    async def _code(self, step: Step) -> str:
        if not isinstance(step.code, Blob):
            return step.code
        try:
            return (await self._fetch(step.code.sha256)).decode()
        except Exception as error:
            _said.exception("the code of %s cannot be fetched", step.cell)
            raise _CutShort(f"the code of {step.cell} cannot be read: {error}") from error


async def _planned(
    hearth: Hearth, session: SessionId, effect: fx.ReplayHistory
) -> tuple[Step, ...]:
    here, _ = await _environment(hearth, session)
    there, last = await _environment(hearth, effect.source)
    history = History()
    await _read(hearth, history, effect.source, effect.before, last)
    # What this interpreter has not loaded yet is as the other one knew it.
    return history.plan({**there.parts, **here.parts}, here.fingerprint)


async def _read(
    hearth: Hearth, history: History, source: SessionId, before: int, last: int
) -> None:
    """Fold a log up to a version, or to what is its end now (`last`), whichever comes first.

    That of a copied interpreter begins with what the other held when it was copied.
    """
    following = hearth.follow(source, after=0)
    try:
        async for item in each(following):
            if not isinstance(item, Stored):
                continue
            if before and item.version >= before:
                return
            envelope = codec.envelope(item)
            if isinstance(event := envelope.event, e.SessionStarted):
                fork = event.config.forked_from
                if fork is not None and fork.how is ForkHow.COPY and fork.version:
                    await _read_copied(hearth, history, fork)
            history.take(envelope)
            if item.seq >= last:
                return
        raise _CutShort(f"the log of {source} could not be read to its end")
    finally:
        following.close()


async def _read_copied(hearth: Hearth, history: History, fork: ForkPoint) -> None:
    """Fold what the other held. It is not here where the fork alone was imported."""
    viewed = await hearth.view("status", fork.session)
    if not isinstance(viewed, Viewed) or not _holds(viewed.value, fork.version):
        raise _CutShort(NOT_HERE.format(fork.session))
    await _read(hearth, history, fork.session, fork.version + 1, viewed.seq)


def _holds(status: object, version: int) -> bool:
    """Whether a session is as long as it was then."""
    return isinstance(status, Status) and status.events >= version


async def _environment(hearth: Hearth, session: SessionId) -> tuple[Environment, int]:
    viewed = await hearth.view("environment", session)
    if not isinstance(viewed, Viewed) or not isinstance(viewed.value, Environment):
        why = viewed.why if isinstance(viewed, Refused) else "it is no environment"
        raise _CutShort(f"{session} cannot be looked at: {why}")
    return viewed.value, viewed.seq


async def _outcome(
    hearth: Hearth, session: SessionId, command: RunCell | LoadScript
) -> Settled | Refusal:
    """What the command led to. A script cannot wait in the queue, so we wait for it here."""
    while True:
        following = hearth.follow(session)  # before we ask, so that no end is missed
        try:
            done = await settle(hearth, session, command, REPLAY)
            busy = isinstance(done, NotNow) and done.state is PhaseName.EVALUATING
            if not busy or isinstance(command, RunCell):
                return done
            async for item in each(following):
                event = codec.envelope(item).event if isinstance(item, Stored) else None
                if isinstance(event, e.StateTransitioned):
                    break
        finally:
            following.close()


def _end_of(step: Step, outcome: Settled | Refusal) -> Closer:
    """How the cell ended, if it was run and its session is still there."""
    if isinstance(outcome, Refused):
        raise _CutShort(f"{step.cell} could not be run: {outcome.why}")
    match outcome.outcome.event:
        case e.CellFailed(failure=WorkerCrashed() | Interrupted()):
            raise _CutShort(f"{step.cell} was cut off: the interpreter was lost")
        case e.CellFinished() | e.CellFailed() as end:
            return end
        case e.CellCancelled():
            # Whoever cancels a cell of a replay wants the replay to end.
            raise _CutShort(f"{step.cell} was cancelled")
        case e.CellWithdrawn(reason=reason):
            raise _CutShort(f"{step.cell} was not run: {reason}")
        case other:
            tag = other.__struct_config__.tag
            raise _CutShort(f"{step.cell} ended in an unexpected way: {tag}")


def _absent(step: Step, end: Closer) -> tuple[str, ...]:
    """The module that a cell failed to find: by its import, or in the package it was part of."""
    if not isinstance(end, e.CellFailed) or not isinstance(end.failure, CodeRaised):
        return ()
    message = end.failure.message
    text = message.head if isinstance(message, Blob) else message
    if found := _ABSENT.search(text):
        return (found[1],)
    if found := _NOT_IN.search(text):
        part = f"{found['module'] or found['package']}.{found['name'] or found['member']}"
        return (part,) if part in step.end.uses else ()
    return ()
