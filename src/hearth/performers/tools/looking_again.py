"""After files were taken back, what language servers know of them is no longer so."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import ProjectRewound, RewindProject
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.reports import Report

Look: TypeAlias = Callable[[str], Awaitable[None]]
"""Has whoever knows something of the project in a root look at its files again."""

_said = logging.getLogger(__name__)


class LookingAgain:
    """Carries out what another performer does, and has the files looked at that it changed."""

    def __init__(self, performer: Performer, look: Look) -> None:
        self._performer = performer
        self._look = look

    @property
    def effects(self) -> frozenset[type[Effect]]:
        """The kinds it carries out."""
        return self._performer.effects

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Carry it out and report; who waits for that does not wait for the looking."""
        hearing = _Hearing(stage)
        await self._performer.perform(session, effect, hearing)
        if not isinstance(effect, RewindProject) or effect.preview or not hearing.root:
            return
        try:
            await self._look(hearing.root)
        except Exception:  # noqa: BLE001 - the files are back, whatever becomes of looking at them
            _said.exception("the files of %s could not be looked at again", hearing.root)

    async def close(self) -> None:
        """Let go of everything held in this process."""
        await self._performer.close()


class _Hearing:
    """A stage that remembers where files were changed."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.root = ""

    def report(self, report: Report) -> None:
        if isinstance(report, ProjectRewound) and report.changes and report.kept is not None:
            self.root = report.kept.root
        self._stage.report(report)

    def show(self, progress: Progress) -> None:
        self._stage.show(progress)
