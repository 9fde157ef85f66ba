"""Tapes of a log that tests write by hand, and what their requests consist of."""

from typing import Final

from tests.performers.language_model.held import Held, S

from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.messages import Message
from hearth.core.vocabulary.modelling import AskModel
from hearth.performers.language_model.anthropic import AnthropicCodec
from hearth.performers.language_model.reading import Reading
from hearth.performers.language_model.summing_up import SummaryDraft, summary_draft
from hearth.performers.language_model.tape import Draft, Tapes
from hearth.performers.language_model.wires import WireEncoding

MARK: Final = b',"cache_control":{"type":"ephemeral"}'


class Counting(WireEncoding):
    """Counts what is encoded without a mark, and with one."""

    def __init__(self) -> None:
        super().__init__(AnthropicCodec())
        self.count = 0
        self.marks = 0

    def encode(self, message: Message, choice: ModelChoice, *, marked: bool) -> bytes:
        self.count += not marked
        self.marks += marked
        return super().encode(message, choice, marked=marked)


class Taped:
    """A log and the tapes of it."""

    def __init__(self) -> None:
        self.held = Held()
        self.encoding = Counting()
        self.tapes = self.restarted()

    def restarted(self) -> Tapes:
        self.tapes = Tapes(Reading(self.held.read, self.held.fetch))
        return self.tapes

    async def draft(self, ask: AskModel | None = None) -> Draft:
        draft = await self.tapes.draft(S, ask or self.held.ask(), self.encoding)
        draft.tape.sent(draft.hashes)
        return draft

    async def summary(self, ask: AskModel) -> SummaryDraft:
        return await summary_draft(self.tapes.reading, S, ask, self.encoding)


def messages(draft: Draft | SummaryDraft) -> bytes:
    """What stands between opening and closing."""
    codec = AnthropicCodec()
    opening, closing = codec.opening(draft.opening), codec.closing()
    assert draft.body.startswith(opening)
    assert draft.body.endswith(closing)
    return draft.body[len(opening) : len(draft.body) - len(closing)]


def bare(draft: Draft | SummaryDraft) -> bytes:
    """The same without the marks."""
    return messages(draft).replace(MARK, b"")


def steps(taped: Taped, count: int, first: int = 1) -> None:
    """Steps in which the model runs code."""
    for step in range(first, first + count):
        taped.held.runs(f"{step} + 1", str(step + 1), step=step)
