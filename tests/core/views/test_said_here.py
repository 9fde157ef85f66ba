"""A block is of a conversation on whichever branch it is, and if it was said before a fork."""

import pytest
from tests.contracts.given import SESSION
from tests.contracts.playing_talks import Talk

from hearth.core.views.said_here import SaidHere, said_here
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.commands import ForkPoint
from hearth.core.vocabulary.ids import BlockId, SessionId, block_id, block_place

FORK = SessionId("session-f00")
THIRD = SessionId("session-f01")
NOWHERE = SessionId("")


def seen(talk: Talk, block: str) -> SaidHere:
    return talk.world.driven(said_here(talk.state.session, BlockId(block)))


def branching() -> Talk:
    """Of two branches: one says eins, the other zwei."""
    talk = Talk().says("eins").answers("uno")
    talk.goes(p.SwitchBranch(talk.block("eins"))).says("zwei").answers("due")
    return talk


@pytest.mark.parametrize("said", ["eins", "uno", "zwei", "due"])
def test_all_branches_count(said: str) -> None:
    talk = branching()
    block = talk.block(said)
    assert seen(talk, block) == SaidHere(is_there=True, source=NOWHERE)
    assert seen(talk, f"{block}@{SESSION}").is_there


def test_an_event_that_is_no_block_does_not_nor_does_what_is_not_there() -> None:
    talk = branching()
    blocks = {block_place(one.block)[1] for one in talk.blocks()}
    others = set(range(1, talk.state.version + 2)) - blocks
    assert len(others) > 1
    for version in others:
        assert seen(talk, block_id(version)) == SaidHere(is_there=False, source=NOWHERE)


def test_what_was_said_before_a_fork_is_named_with_its_session() -> None:
    talk = branching()
    fork = Talk(FORK, talk.world, ForkPoint(SESSION)).says("drei").answers("tre")
    third = Talk(THIRD, talk.world, ForkPoint(FORK)).says("vier").answers("quattro")
    due = talk.block("due")
    later = talk.says("later").block("later")
    for one, source in ((fork, SESSION), (third, FORK)):
        assert seen(one, f"{due}@{SESSION}") == SaidHere(is_there=True, source=source)
        assert not seen(one, f"{later}@{SESSION}").is_there, "that was said after it branched off"
    assert seen(third, f"{fork.block('tre')}@{FORK}").is_there
    assert seen(fork, fork.block("tre")).is_there
    assert not seen(talk, f"{fork.block('tre')}@{FORK}").is_there, "it is no part of its source"
    assert not seen(fork, f"{due}@nobody").is_there
    own = {block_place(one.block)[1] for one in fork.blocks()}
    only_there = next(one.block for one in talk.blocks() if block_place(one.block)[1] not in own)
    assert seen(fork, only_there) == SaidHere(is_there=False, source=SESSION)


def test_a_fork_from_what_another_had_inherited_knows_nothing_of_what_came_between() -> None:
    talk = branching()
    fork = Talk(FORK, talk.world, ForkPoint(SESSION)).says("drei").answers("tre")
    inherited = BlockId(f"{talk.block('zwei')}@{SESSION}")
    third = Talk(THIRD, talk.world, ForkPoint(FORK, inherited)).says("vier").answers("quattro")
    assert seen(third, inherited).is_there
    assert not seen(third, f"{fork.block('tre')}@{FORK}").is_there
    assert not seen(third, f"{talk.block('due')}@{SESSION}").is_there
