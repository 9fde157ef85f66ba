"""A summary is asked for as answers are: behind the same bytes."""

import pytest
from tests.performers.language_model.held import CLAUDE
from tests.performers.language_model.taped import MARK, Taped, bare, messages, steps

from hearth.core.vocabulary.blocks import Role, ThinkingBlock
from hearth.core.vocabulary.ids import BlockId, block_id
from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.messages import UserMessage
from hearth.performers.language_model.tape import NothingToSay


@pytest.mark.promise("DL-COMP-01")
async def test_a_summary_is_asked_for_behind_the_very_bytes_that_are_cached() -> None:
    taped = Taped()
    taped.held.begin()
    taped.held.user("long ago")
    steps(taped, 20)
    newest = block_id(taped.held.user("the newest"))
    before = await taped.draft()
    ask = taped.held.ask(purpose="summary", keep_recent_tokens=3, focus="the loom")
    draft = await taped.summary(ask)
    assert draft.keeps == newest
    assert draft.opening == before.opening
    assert b"the newest" not in draft.body
    last = draft.messages[-1]
    assert isinstance(last, UserMessage)
    assert "the loom" in last.text
    asked = b"," + taped.encoding.encode(last, CLAUDE, marked=False)
    plain = bare(draft)
    assert plain.endswith(asked)
    assert bare(before).startswith(plain.removesuffix(asked))
    assert messages(draft).count(MARK) == 1
    later = await taped.draft()
    assert later.note.shared == later.note.size, "a summary is not the request before"


async def test_no_request_has_thinking_of_an_earlier_prefix_where_a_model_refuses_it() -> None:
    taped = Taped()
    bound = ModelChoice("anthropic", "claude-opus-5-5", CLAUDE.dialect, 1_000_000, 32_000)
    taped.held.choice = bound
    taped.held.begin()
    taped.held.user("long ago")
    for step, text in enumerate(("old", "new"), 1):
        native = f'{{"type":"thinking","thinking":"{text} thought","signature":"s"}}'
        taped.held.begin(reason=text)
        taped.held.seal(Role.ASSISTANT, ThinkingBlock("", native, bound.name), step=step)
        steps(taped, 1, step)
    taped.held.user("the newest")
    answer = await taped.draft()
    ask = taped.held.ask(purpose="summary", keep_recent_tokens=3)
    summary = await taped.summary(ask)
    for request in (answer, summary):
        assert b"new thought" in request.body
        assert b"old thought" not in request.body
    asked = b"," + taped.encoding.encode(summary.messages[-1], bound, marked=False)
    assert bare(answer).startswith(bare(summary).removesuffix(asked))


async def test_all_can_be_summed_up_and_nothing_cannot() -> None:
    taped = Taped()
    taped.held.begin()
    with pytest.raises(NothingToSay):
        await taped.summary(taped.held.ask(purpose="summary"))
    taped.held.user("one " * 100)
    draft = await taped.summary(taped.held.ask(purpose="summary"))
    assert draft.keeps == BlockId("")
    assert len(draft.messages) == 2
