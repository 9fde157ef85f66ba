"""What lies in a session's mailbox, and what is decided of it but not yet durable."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

from hearth.api import Accepted
from hearth.core.rules.session import Decision, decide
from hearth.core.views.session_fold import SessionFold, fold, see
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.events import (
    ConversationCompacted,
    RetryScheduled,
    StepFinished,
    TurnFinished,
)
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.inputs import Input
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.engine.refusing import duplicate, quarantined
from hearth.engine.spilling import bounded
from hearth.log.event_log import BlobStore

SEALING = (StepFinished, RetryScheduled, TurnFinished, ConversationCompacted)

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
    is_sealing: bool = False
    """An answer is complete, or will be begun anew: what was shown of it is done with."""

    async def take(self, letter: Letter, known: int | None, blobs: BlobStore) -> None:
        """Decide a letter on what those before it led to.

        `known` is where its consequences begin if it was accepted before. Raises what the rules
        raise: a defect.
        """
        if known is not None:
            self.letters.append((letter, duplicate(letter.cause.id, known)))
            return
        try:
            decision = decide(self.fold.state, letter.cause)
        except Exception as defect:
            self.letters.append((letter, quarantined(self.fold.state.session, defect)))
            raise
        self.letters.append((letter, decision))
        if isinstance(decision, Refused):
            return
        self.ids.add(letter.cause.id)
        self.is_sealing |= any(isinstance(fact.event, SEALING) for fact in decision.facts)
        kept = [await bounded(fact, blobs) for fact in decision.facts]
        # The decided state holds what was said, not the blobs that are stored in its place.
        as_said = all(one is fact for (one, _), fact in zip(kept, decision.facts, strict=True))
        for fact, draft in kept:
            self.drafts.append(draft)
            self.fold = see(self.fold, decision.state, fact) if as_said else fold(self.fold, fact)
        self.effects.extend(decision.effects)
