"""The contract between the engine and those who carry out effects."""

from typing import Protocol

from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.reports import Report


class Stage(Protocol):
    """Where a performer speaks, on behalf of one session. Neither call waits or fails."""

    def report(self, report: Report) -> None:
        """Put a report into the session's mailbox."""

    def show(self, progress: Progress) -> None:
        """Show progress to whoever follows the session right now."""


class Performer(Protocol):
    """Carries out some kinds of effect. It never raises: what goes wrong is a report."""

    @property
    def effects(self) -> frozenset[type[Effect]]:
        """The kinds it carries out."""

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Carry out one effect; may go on speaking on the stage after it has returned."""

    async def close(self) -> None:
        """Let go of everything held in this process. Not: end what is meant to outlive it."""
