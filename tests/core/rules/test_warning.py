"""People are told when a turn wastes what its model can read, and nothing is stopped by it."""

import pytest
from tests.contracts.given import given
from tests.contracts.talks import ASKING, CHOICE, answered, call, names, returned, sealed

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Block, NoticeBlock, ToolResultBlock

LOOK = call("look", '{"at":1}')
OTHER = call("look", '{"at":2}')
MOST = CHOICE.window * 4 // 2


def notices(blocks: list[Block]) -> list[str]:
    return [one.text for one in blocks if isinstance(one, NoticeBlock)]


@pytest.mark.promise("DP-TOOL-05", "DP-TOOL-06")
def test_150_equal_calls_that_only_read_are_run_once_told_once_and_all_get_the_result() -> None:
    script = given(*ASKING)
    outcome = script.when(answered(1, OTHER, *(LOOK,) * 150))
    assert [one.call for one in outcome.effects if isinstance(one, m.RunTool)] == ["k1", "k2"]
    (told,) = notices(sealed(outcome.facts))
    assert told.startswith("the agent called look 150 times in one step with the same arguments;")
    first = script.when(returned(2, "seen"))
    results = [one for one in sealed(first.facts) if isinstance(one, ToolResultBlock)]
    assert [one.result for one in results] == ["seen"] * 150
    assert names(script.when(returned(1)).facts) == ["BlockSealed", "ModelAsked"]


def test_two_equal_calls_are_not_worth_a_word() -> None:
    outcome = given(*ASKING).when(answered(1, LOOK, LOOK, OTHER, OTHER))
    assert notices(sealed(outcome.facts)) == []


@pytest.mark.promise("DP-TOOL-06")
def test_a_turn_in_which_tools_tell_more_than_half_of_what_fits_is_told_of_once() -> None:
    script = given(*ASKING, answered(1, LOOK, OTHER))
    assert notices(sealed(script.when(returned(1, "x" * (MOST - 100))).facts)) == []
    more = script.when(returned(2, "y" * 200))
    (told,) = notices(sealed(more.facts))
    assert "more than half" in told
    assert names(more.facts)[-1] == "ModelAsked"
    script.happened(answered(2, LOOK))
    assert notices(sealed(script.when(returned(3, "z" * 1000)).facts)) == []


def test_what_was_told_is_counted_for_each_turn_anew() -> None:
    script = given(*ASKING, answered(1, LOOK), returned(1, "x" * 1000))
    assert script.state.talk.open is not None
    assert script.state.talk.open.told == 1000
    script.happened(answered(2))
    assert [type(fact.event) for fact in script.facts if isinstance(fact.event, t.TurnFinished)]
    assert script.state.talk.open is None
