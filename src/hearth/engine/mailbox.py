"""What lies in a session's mailbox, and what is decided of it but not yet durable."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hearth.api import Accepted
from hearth.core.rules.session import Decision, decide
from hearth.core.views.session_fold import SessionFold, fold, see
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.events import (
    CompactionStarted,
    RetryScheduled,
    StepFinished,
    TurnFinished,
)
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.inputs import Asked, Input
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.engine.refusing import duplicate, quarantined
from hearth.engine.spilling import bounded
from hearth.log.event_log import BlobStore

# A summary is begun also where an answer became too long in the middle; nobody sees it written.
SEALING = (StepFinished, RetryScheduled, TurnFinished, CompactionStarted)

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
    published: list[Stored] = field(default_factory=list)
    """What followers have seen of it while it is being appended."""

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

    def accept(self, rows: Sequence[Stored]) -> list[Accepted]:
        """Answer whoever waits, now that it is durable as these rows; what was accepted."""
        accepted: list[Accepted] = []
        place = 0
        for letter, decision in self.letters:
            if isinstance(decision, Refused):
                letter.reply(decision)
                continue
            one = Accepted(
                id=letter.cause.id,
                session=self.fold.state.session,
                seq=rows[place].seq if decision.facts else 0,
                warning=decision.warning,
            )
            place += len(decision.facts)
            letter.reply(one)
            accepted.append(one)
        return accepted

    def refuse(self, trouble: Refusal) -> None:
        """Answer whoever waits: nothing of it will be."""
        for letter, _ in self.letters:
            letter.reply(trouble)

    def held(self, trouble: Refusal) -> list[Letter]:
        """The reports, which wait until they can be saved; whoever asked is told why not."""
        waiting: list[Letter] = []
        for letter, decision in self.letters:
            if isinstance(decision, Refused):
                letter.reply(decision)
            elif isinstance(letter.cause, Asked):
                letter.reply(trouble)
            else:
                waiting.append(letter)
        return waiting
