"""The branches of a conversation."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import comes_back
from tests.contracts.playing_talks import CHOICE, Talk, call, thinking

from hearth.core.views.branches import Branches, Tree, branches
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.commands import ForkPoint
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.lines import Line


def seen(talk: Talk) -> Branches:
    return branches(talk.envelopes(), talk.folded().talk.shown)


def test_an_empty_conversation_has_none() -> None:
    assert seen(Talk()) == Branches()


def test_a_conversation_that_never_parted_is_one_branch() -> None:
    talk = Talk().says("one").answers(thinking("hm", "{}"), call("look")).returns().answers("uno")
    (only,) = seen(talk).rows
    assert (only.leaf, only.blocks, only.preview) == (talk.block("uno"), 5, "one")
    assert (only.model, only.current, only.parts_at) == (CHOICE.name, True, "")


@pytest.mark.promise("DP-SESS-04")
def test_each_end_is_a_branch_and_says_where_it_parts_from_the_present_one() -> None:
    talk = Talk().says("one").answers("uno").says("two").answers("due")
    old = talk.block("due")
    talk.goes(p.EditMessage(talk.block("two"), "zwei")).goes(p.RegenerateTurn()).answers("deux")
    present, other = seen(talk).rows
    assert (present.leaf, present.preview, present.current) == (talk.block("deux"), "zwei", True)
    assert (other.leaf, other.preview, other.current) == (old, "two", False)
    assert other.parts_at == talk.block("uno")
    talk.goes(p.SwitchBranch(old))
    assert [row.leaf for row in seen(talk).rows if row.current] == [old]
    assert comes_back(seen(talk))


def test_who_went_back_stands_on_a_branch_that_goes_on_elsewhere() -> None:
    talk = Talk().says("one").answers("uno").says("two").answers("due")
    talk.goes(p.SwitchBranch(talk.block("uno")))
    present, other = seen(talk).rows
    assert (present.leaf, present.current) == (talk.block("uno"), True)
    assert (other.leaf, other.parts_at) == (talk.block("due"), talk.block("uno"))


@pytest.mark.promise("DP-SESS-04", "DP-SESS-05")
def test_an_edit_that_keeps_the_rest_is_a_whole_branch_beside_the_one_it_was_made_of() -> None:
    talk = Talk().says("zero").answers("null").says("one").answers("uno").says("two").answers("due")
    old = talk.block("due")
    talk.goes(p.EditMessage(talk.block("'one'"), "eins", "keep"))
    edited = talk.block("was edited")
    here, there = seen(talk).rows
    assert (here.leaf, here.current, here.blocks, here.preview) == (edited, True, 7, "two")
    assert (there.leaf, there.blocks, there.preview) == (old, 6, "two")
    assert (there.parts_at, here.model) == (talk.block("null"), CHOICE.name)
    talk.goes(p.SwitchBranch(old))
    here, there = seen(talk).rows
    assert (here.leaf, here.blocks) == (old, 6)
    assert (there.leaf, there.blocks, there.parts_at) == (edited, 7, talk.block("null"))
    # What is answered anew behind an edit is of its branch, not of the old one.
    talk.goes(p.SwitchBranch(edited)).goes(p.RegenerateTurn()).answers("deux")
    parted = {row.leaf: row.parts_at for row in seen(talk).rows}
    two = talk.block("two")
    assert parted == {talk.block("deux"): "", edited: two, old: talk.block("null")}


def test_what_was_summed_up_still_counts() -> None:
    talk = Talk().says("one").answers("uno").says("two").answers("due")
    talk.goes(p.CompactConversation()).sums_up("they count", talk.block("two"))
    talk.says("three").answers("tre").goes(p.EditMessage(talk.block("three"), "drei"))
    here, there = seen(talk).rows
    assert (here.blocks, there.blocks, there.parts_at) == (5, 6, talk.block("due"))
    talk.goes(p.SwitchBranch(talk.block("tre")))
    assert [row.blocks for row in seen(talk).rows] == [6, 5]


def test_of_many_those_that_went_on_last_are_shown_and_all_are_counted() -> None:
    talk = Talk().says("one").answers("uno")
    for number in range(5):
        talk.goes(p.RegenerateTurn()).answers(f"answer {number}")
    tree = Tree()
    for one in talk.envelopes():
        tree.take(one)
    found = tree.branches(talk.folded().talk.shown, most=3)
    assert (found.total, len(found.rows)) == (6, 3)
    assert found.rows[0].leaf == talk.block("answer 4")
    assert found.rows[1].leaf == talk.block("answer 3")


def test_a_fork_knows_where_it_comes_from() -> None:
    talk = Talk().says("one").answers("uno")
    fork = Talk(SessionId("session-f00"), talk.world, ForkPoint(talk.state.session)).says("two")
    assert seen(fork).source == talk.state.session
    assert [row.preview for row in seen(fork).rows] == ["two"]


@pytest.mark.promise("DL-CTX-03")
def test_circles_and_missing_parents_end_the_walk() -> None:
    talk = Talk().says("one").answers("uno").says("two").answers("due")
    tree = Tree()
    first, *_, last = talk.blocks()
    for one in talk.envelopes():
        event = one.event
        if isinstance(event, t.BlockSealed) and event.block == first.block:
            event = replace(event, parent=last.block)
        tree.take(replace(one, event=event))
    assert tree.branches(talk.state.talk.line).total == 1
    assert tree.branches(Line(leaf=BlockId("b999"))).rows == ()
