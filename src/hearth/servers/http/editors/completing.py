"""`/completions`: the answers to those who asked, and to nobody else."""

from collections.abc import Callable
from typing import Any

import msgspec

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.progress import Progress
from hearth.servers.http.editors.signals import Signals


class Completed:
    """The newest completions that this client asked for."""

    name = "completions"

    def __init__(self, session: SessionId, is_mine: Callable[[InputId], bool]) -> None:
        self._is_mine = is_mine
        self._asked: set[InputId] = set()
        self._now: dict[str, Any] = {
            "session": session,
            "request": None,
            "items": [],
            "abandoned": None,
        }

    @property
    def now(self) -> Signals:
        """All of it."""
        return self._now

    async def happened(self, envelope: Envelope) -> bool:
        """Something was asked or answered."""
        event, cause = envelope.event, envelope.cause
        if not self._is_mine(cause):
            return False
        match event:
            case e.CompletionsRequested():
                self._asked.add(cause)
                return False
            case e.CompletionsReturned():
                items = [msgspec.to_builtins(one) for one in event.items]
                self._now = {**self._now, "request": cause, "items": items, "abandoned": None}
            case e.QuestionAbandoned() if cause in self._asked:
                told = {"request": cause, "items": [], "abandoned": event.reason}
                self._now = {**self._now, **told}
            case _:
                return False
        self._asked.discard(cause)
        return True

    def shown(self, progress: Progress) -> bool:
        """Nothing of that is shown here."""
        del progress
        return False
