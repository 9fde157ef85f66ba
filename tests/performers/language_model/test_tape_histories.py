"""Whatever happened to a conversation, its tape sends what a fresh one would read in the log."""

import asyncio
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from tests.performers.language_model.held import T1, Held, S
from tests.performers.language_model.taped import MARK

from hearth.core.rules.lines import kept, segments_of, up_to
from hearth.core.vocabulary.blocks import NoticeBlock, NoticeKind, Role, ToolCallBlock
from hearth.core.vocabulary.ids import BlockId, CallId, block_id
from hearth.core.vocabulary.lines import Line
from hearth.core.vocabulary.modelling import AskModel
from hearth.core.vocabulary.turns import ConversationCompacted
from hearth.performers.language_model.anthropic import AnthropicCodec
from hearth.performers.language_model.reading import Reading
from hearth.performers.language_model.tape import Draft, Tapes
from hearth.performers.language_model.wires import WireEncoding

WAYS: Final = (
    "prompt",
    "step",
    "lost call",
    "notice",
    "ask",
    "ask unheard",
    "branch",
    "summary",
    "instructions",
    "restart",
)


class History:
    """A conversation to which things happen."""

    def __init__(self) -> None:
        self.held = Held()
        self.line = Line()
        self.blocks: list[BlockId] = []
        self.step = 0
        self.encoding = WireEncoding(AnthropicCodec())
        self.tapes = self.fresh()
        self.held.begin()
        self._seal("prompt")

    def fresh(self) -> Tapes:
        return Tapes(Reading(self.held.read, self.held.fetch))

    async def happen(self, way: str, choice: int) -> None:
        match way:
            case "ask" | "ask unheard":
                await self._ask(heard=way == "ask")
            case "branch":
                self._go_back(self.blocks[choice % len(self.blocks)])
            case "summary":
                self._sum_up(self.blocks[choice % len(self.blocks)])
            case "instructions":
                self.held.begin(system=f"Other words, {choice}.", reason="instructions")
            case "restart":
                self.tapes = self.fresh()
            case _:
                self._seal(way)

    def _seal(self, way: str) -> None:
        self.step += 1
        first = len(self.held.rows[S]) + 1
        match way:
            case "prompt":
                self.held.user(f"prompt {self.step}")
            case "step":
                self.held.runs(f"{self.step}", f"Out: {self.step}", step=self.step)
            case "lost call":
                lost = ToolCallBlock(CallId(f"lost-{self.step}"), "run_code", "{}", f"l{self.step}")
                self.held.seal(Role.ASSISTANT, lost, step=self.step)
            case _:
                notice = NoticeBlock(NoticeKind.NOTICE, "for people alone")
                self.held.seal(Role.SYSTEM, notice, step=self.step)
        self.blocks.append(block_id(first))

    def _go_back(self, block: BlockId) -> None:
        now = len(self.held.rows[S])
        segments = up_to(segments_of(self.line, now), block)
        self.line = Line(segments, now + 2)
        self.held.begin(reason="branch")
        self._seal("prompt")

    def _sum_up(self, keeps: BlockId) -> None:
        at = len(self.held.rows[S]) + 1
        self.line = kept(self.line, keeps, at, at - 1)
        event = ConversationCompacted(T1, block_id(at), f"summary {at}", keeps, self.line)
        self.held.add(event)
        self.blocks.append(block_id(at))
        self.held.begin(reason="compaction")

    async def _ask(self, *, heard: bool) -> None:
        ask = self.held.ask(self.line)
        draft = await self.tapes.draft(S, ask, self.encoding)
        await self._compare(draft, ask)
        if heard:
            draft.tape.sent(draft.hashes)
            self._seal("step")

    async def _compare(self, draft: Draft, ask: AskModel) -> None:
        again = await self.fresh().draft(S, ask, self.encoding)
        assert draft.body.replace(MARK, b"") == again.body.replace(MARK, b"")
        assert draft.note.size == again.note.size
        assert draft.note.shared <= draft.note.size
        opening = AnthropicCodec().opening(draft.opening)
        assert draft.body.count(MARK) - opening.count(MARK) <= 3


@given(st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 50)), max_size=25))
def test_a_tape_is_the_log_whatever_happened_in_between(happened: list[tuple[str, int]]) -> None:
    async def live() -> None:
        history = History()
        for way, choice in happened:
            await history.happen(way, choice)
        await history.happen("ask", 0)

    asyncio.run(live())


def test_a_conversation_with_everything_in_it_holds_as_well() -> None:
    async def live() -> Draft:
        history = History()
        for number, way in enumerate(WAYS * 4):
            await history.happen(way, number * 7)
            await history.happen("ask", number)
        return await history.tapes.draft(S, history.held.ask(history.line), history.encoding)

    last = asyncio.run(live())
    assert last.note.shared > 0
    assert b"for people alone" not in last.body
