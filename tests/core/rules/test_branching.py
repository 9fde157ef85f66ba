"""Going on from another block: branches, edits and forks."""

import pytest
from tests.contracts.given import Script, given
from tests.contracts.talks import (
    CALLING,
    HELLO,
    IDLE,
    answered,
    messages_on,
    names,
    prepared,
    returned,
    sealed,
    text,
)

from hearth.core.rules.branching import ends_an_edit
from hearth.core.rules.lines import before, behind, segments_of, up_to
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    NoticeBlock,
    Role,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.ids import BlockId, InputId
from hearth.core.vocabulary.lines import Line


def found(script: Script, block: BlockId) -> m.BranchFound:
    """What the search for a block of the present line brings back."""
    asked = script.effects[-1]
    assert isinstance(asked, m.FindBranch)
    whole = segments_of(asked.line, asked.through)
    old = next(
        fact.event
        for fact in script.facts
        if isinstance(fact.event, t.BlockSealed) and fact.event.block == block
    )
    return m.BranchFound(
        question=asked.question,
        sealed=old,
        line=Line(up_to(whole, block), 1, block, block),
        before=Line(before(whole, block), 1, old.parent),
        after=behind(whole, block),
        model="anthropic:claude-test",
    )


def block_of(script: Script, content: object) -> BlockId:
    return next(
        fact.event.block
        for fact in script.facts
        if isinstance(fact.event, t.BlockSealed) and fact.event.content == content
    )


def two_turns() -> Script:
    again = p.SendMessage("and now?")
    return given(*IDLE, again, prepared(2), answered(2, text("now this")))


@pytest.mark.promise("DP-SESS-04", "DL-CTX-01")
def test_the_conversation_goes_on_from_the_block_and_keeps_what_it_left() -> None:
    script = two_turns()
    before_it = list(script.facts)
    answer = block_of(script, TextBlock("hello to you"))
    script.happened(p.SwitchBranch(answer))
    outcome = script.when(found(script, answer))
    assert names(outcome.facts) == ["BranchSwitched"]
    assert script.facts[: len(before_it)] == before_it
    script.happened(p.SendMessage("or so?"), prepared(3), answered(3, text("so")))
    sent = str(messages_on(script))
    assert "or so?" in sent
    assert "and now?" not in sent
    assert script.state.talk.model == "anthropic:claude-test"


@pytest.mark.promise("DP-SESS-05")
def test_an_edited_message_begins_a_branch_without_what_came_after() -> None:
    script = two_turns()
    prompt = block_of(script, TextBlock("and now?"))
    script.happened(p.EditMessage(prompt, "and then?"))
    outcome = script.when(found(script, prompt))
    assert names(outcome.facts) == ["BranchSwitched", "BlockSealed"]
    new = outcome.facts[-1].event
    assert isinstance(new, t.BlockSealed)
    assert (new.replaces, new.content) == (prompt, TextBlock("and then?"))
    assert [one.text for one in messages_on(script) if hasattr(one, "text")] == [
        "hello",
        "and then?",
    ]
    script.happened(p.RegenerateTurn(), prepared(3), answered(3, text("then that")))
    assert "then that" in str(messages_on(script))
    assert "now this" not in str(messages_on(script))


@pytest.mark.promise("DP-SESS-05")
def test_a_result_can_be_edited_with_everything_after_it_kept() -> None:
    script = given(*CALLING, returned(1, "wrong"), answered(2, text("I see")))
    result = next(
        fact.event.block
        for fact in script.facts
        if isinstance(fact.event, t.BlockSealed) and isinstance(fact.event.content, ToolResultBlock)
    )
    old = messages_on(script)
    prompt = script.state.talk.line.prompt
    script.happened(p.EditMessage(result, "right", "keep"))
    script.happened(found(script, result))
    new = messages_on(script)
    assert [type(one) for one in new] == [type(one) for one in old]
    assert "right" in str(new)
    assert "wrong" not in str(new)
    assert script.state.talk.line.prompt == prompt
    script.happened(HELLO)
    assert len(messages_on(script)) == len(new) + 1


def test_what_is_not_on_the_branch_cannot_be_edited_with_the_rest_kept() -> None:
    script = two_turns()
    prompt = block_of(script, TextBlock("hello"))
    script.happened(p.EditMessage(prompt, "x", "keep"))
    elsewhere = found(script, prompt)
    lost = m.BranchFound(elsewhere.question, elsewhere.sealed, elsewhere.line, elsewhere.before)
    assert names(script.when(lost).facts) == ["LookupFailed"]


def test_a_call_cannot_be_edited() -> None:
    script = given(*CALLING, returned(1), answered(2, text("done")))
    call = next(
        fact.event.block
        for fact in script.facts
        if isinstance(fact.event, t.BlockSealed) and isinstance(fact.event.content, ToolCallBlock)
    )
    script.happened(p.EditMessage(call, "{}"))
    assert names(script.when(found(script, call)).facts) == ["LookupFailed"]


def test_a_block_that_is_not_there_changes_nothing_and_what_waited_goes_on() -> None:
    script = given(*IDLE, p.SwitchBranch(BlockId("b2")), p.SendMessage("meanwhile"))
    asked = script.effects[-1]
    assert isinstance(asked, m.FindBranch)
    outcome = script.when(m.BranchMissing(asked.question, "b2 is no block"))
    assert names(outcome.facts)[:2] == ["LookupFailed", "TurnStarted"]
    assert TextBlock("meanwhile") in sealed(outcome.facts)


def test_an_answer_to_a_search_that_nobody_waits_for_is_ignored() -> None:
    given(*IDLE).when(m.BranchMissing(InputId("x"), "gone")).ignored()


@pytest.mark.promise("DP-SESS-05")
def test_a_prompt_that_was_edited_with_its_answer_kept_is_the_one_that_is_answered_anew() -> None:
    script = two_turns()
    prompt = block_of(script, TextBlock("and now?"))
    script.happened(p.EditMessage(prompt, "and then?", "keep"))
    script.happened(found(script, prompt))
    assert script.state.talk.line.prompt == block_of(script, TextBlock("and then?"))
    script.happened(p.RegenerateTurn(), prepared(3), answered(3, text("then that")))
    assert "then that" in str(messages_on(script))
    assert "now this" not in str(messages_on(script))


@pytest.mark.promise("DP-SESS-05")
def test_what_is_said_behind_an_edited_answer_follows_from_it() -> None:
    script = two_turns()
    answer = block_of(script, TextBlock("now this"))
    script.happened(p.EditMessage(answer, "now that", "keep"))
    script.happened(found(script, answer), HELLO)
    edited = block_of(script, TextBlock("now that"))
    parents = [fact.event.parent for fact in script.facts if isinstance(fact.event, t.BlockSealed)]
    assert parents[-1] == edited


@pytest.mark.promise("DP-SESS-05")
def test_an_edit_that_keeps_the_rest_ends_with_a_notice_that_follows_from_the_edited_block() -> (
    None
):
    script = two_turns()
    prompt = block_of(script, TextBlock("hello"))
    sent = messages_on(script)
    script.happened(p.EditMessage(prompt, "good day", "keep"))
    outcome = script.when(found(script, prompt))
    assert names(outcome.facts) == ["BranchSwitched", "BlockSealed", "BlockSealed"]
    edited, notice = (fact.event for fact in outcome.facts[1:])
    assert isinstance(edited, t.BlockSealed)
    assert isinstance(notice, t.BlockSealed)
    assert (notice.parent, notice.turn, notice.role) == (edited.block, edited.turn, Role.SYSTEM)
    assert isinstance(notice.content, NoticeBlock)
    assert prompt in notice.content.text
    assert script.state.talk.line.leaf == notice.block
    assert script.state.talk.line.prompt == block_of(script, TextBlock("and now?"))
    assert ends_an_edit(notice, edited)
    assert not ends_an_edit(edited, notice)
    assert messages_on(script)[1:] == sent[1:]  # models are not told


def test_an_edit_with_nothing_behind_it_needs_no_notice() -> None:
    script = two_turns()
    for rest in ("keep", "cut"):
        script.happened(p.EditMessage(script.state.talk.line.leaf, "now that", rest))
        outcome = script.when(found(script, script.state.talk.line.leaf))
        assert names(outcome.facts) == ["BranchSwitched", "BlockSealed"]
