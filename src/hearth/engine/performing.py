"""Hands effects to performers and keeps their mistakes away from everyone else."""

import asyncio
import logging
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.effects import Effect, ExecuteInWorker
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import JudgeCall
from hearth.core.vocabulary.modelling import RunTool
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.reports import EffectFailed, Report
from hearth.log.event_log import BlobStore

_said = logging.getLogger(__name__)


class Performing:
    """Knows who carries out what."""

    def __init__(self, performers: Iterable[Performer], blobs: BlobStore) -> None:
        self._performers = tuple(performers)
        self._blobs = blobs
        self._by_effect = {kind: p for p in self._performers for kind in p.effects}
        self._tasks: set[asyncio.Task[None]] = set()
        self._fetching: dict[SessionId, asyncio.Event] = {}

    def begin(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Have an effect carried out; a session's effects begin in the order they are given."""
        before = self._fetching.get(session)
        fetched = asyncio.Event() if _is_blob(effect) else None
        if fetched is not None:
            self._fetching[session] = fetched
        task = asyncio.create_task(self._perform(session, effect, stage, before, fetched))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop waiting for anyone, and let every performer go."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for performer in self._performers:
            await performer.close()

    async def _perform(
        self,
        session: SessionId,
        effect: Effect,
        stage: Stage,
        before: asyncio.Event | None,
        fetched: asyncio.Event | None,
    ) -> None:
        performer = self._by_effect.get(type(effect))
        try:
            if before is not None:
                await before.wait()
            whole = effect if fetched is None else await self._fetch(session, effect, fetched)
            if performer is None:
                stage.report(EffectFailed(effect, "nobody here can do this"))
            else:
                await performer.perform(session, whole, stage)
        except Exception as defect:
            # A performer must not raise; if one does, nobody may wait for its report for ever.
            _said.exception("%s raised while performing %r", type(performer).__name__, effect)
            stage.report(EffectFailed(effect, f"{type(defect).__name__}: {defect}"))

    async def _fetch(self, session: SessionId, effect: Effect, fetched: asyncio.Event) -> Effect:
        """The effect with its code, which is kept as a blob; those behind it wait meanwhile."""
        try:
            if isinstance(effect, ExecuteInWorker) and isinstance(effect.code, Blob):
                content = await self._blobs.get(effect.code.sha256)
                return replace(effect, code=content.decode())
            if isinstance(effect, RunTool | JudgeCall) and isinstance(effect.arguments, Blob):
                content = await self._blobs.get(effect.arguments.sha256)
                return replace(effect, arguments=content.decode())
            return effect
        finally:
            fetched.set()
            if self._fetching.get(session) is fetched:
                del self._fetching[session]


def _is_blob(effect: Effect) -> bool:
    match effect:
        case ExecuteInWorker(code=text) | RunTool(arguments=text) | JudgeCall(arguments=text):
            return isinstance(text, Blob)
        case _:
            return False


class SessionStage:
    """The stage of one session."""

    def __init__(
        self,
        session: SessionId,
        told: Callable[[Report], None],
        show: Callable[[SessionId, Progress], None],
    ) -> None:
        self._session = session
        self._told = told
        self._show = show

    def report(self, report: Report) -> None:
        """Put a report into the session's mailbox."""
        self._told(report)

    def show(self, progress: Progress) -> None:
        """Show progress to whoever follows the session right now."""
        self._show(self._session, progress)
