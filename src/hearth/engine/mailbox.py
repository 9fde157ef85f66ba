"""What lies in a session's mailbox, and what is decided of it but not yet durable."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

from hearth.api import Accepted
from hearth.core.rules.session import Decision
from hearth.core.views.session_fold import SessionFold
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.inputs import Input
from hearth.core.vocabulary.refusals import Refusal

Answer: TypeAlias = Accepted | Refusal


@dataclass(slots=True)
class Letter:
    """An input, and who waits for the answer."""

    cause: Input
    answer: "asyncio.Future[Answer] | None" = None
    shown: bool = False
    """Its consequences were shown to followers although they could not be saved."""

    def reply(self, answer: Answer) -> None:
        """Answer whoever waits and is still there."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_result(answer)


@dataclass(slots=True)
class Batch:
    """What is decided and not yet durable."""

    fold: SessionFold
    letters: list[tuple[Letter, Decision | Refusal]] = field(default_factory=list)
    ids: set[InputId] = field(default_factory=set)
    drafts: list[Draft] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
