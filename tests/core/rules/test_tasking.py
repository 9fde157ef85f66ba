"""An agent's list of tasks: what it answers, and what outlives it."""

import pytest
from tests.contracts.given import Script, given
from tests.contracts.talks import ASKING, answered, call, prepared, sealed

from hearth.core.rules.doing import MOST_TASKS
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.blocks import ToolResultBlock
from hearth.core.vocabulary.deeds import Task, TaskState
from hearth.core.vocabulary.ids import BlockId, RequestId

ADD = '{"op":"add","title":" Plot  the wheels","description":"All four."}'


def told(script: Script, arguments: str, request: int = 1) -> ToolResultBlock:
    outcome = script.when(answered(request, call("tasks", arguments)))
    (result,) = (one for one in sealed(outcome.facts) if isinstance(one, ToolResultBlock))
    assert [type(one) for one in outcome.effects] == [m.AskModel]
    return result


@pytest.mark.promise("DP-TOOL-08")
def test_tasks_are_added_told_changed_and_listed() -> None:
    script = given(*ASKING)
    assert told(script, ADD, 1).result == "Added as 1."
    assert told(script, '{"op":"add","title":"Rest","state":"blocked"}', 2).result == "Added as 2."
    changed = told(script, '{"op":"update","id":"1","state":"in_progress"}', 3)
    assert changed.result == "1. [in_progress] Plot the wheels"
    listed = told(script, '{"op":"list"}', 4)
    assert listed.result == "1. [in_progress] Plot the wheels\n2. [blocked] Rest"
    assert told(script, '{"op":"get","id":"1"}', 5).result == (
        "1. [in_progress] Plot the wheels\nAll four."
    )
    assert script.state.talk.tasks == (
        Task("1", "Plot the wheels", "All four.", TaskState.IN_PROGRESS),
        Task("2", "Rest", "", TaskState.BLOCKED),
    )


@pytest.mark.promise("DP-TOOL-08")
def test_a_summary_does_not_touch_the_list() -> None:
    script = given(*ASKING)
    told(script, ADD)
    script.happened(answered(2, m.Written("done")), p.CompactConversation(), prepared(2))
    script.happened(m.SummaryMade(RequestId("r3"), "so far", BlockId("")))
    assert [one.title for one in script.state.talk.tasks] == ["Plot the wheels"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"op":"add"}', "A task needs a title."),
        ('{"op":"add","title":" "}', "A task needs a title."),
        ('{"op":"add","title":"x","id":"7"}', "not yours to choose"),
        ('{"op":"update","id":"9","state":"done"}', "There is no task '9'. There are: none."),
        ('{"op":"get"}', "There is no task ''."),
        ('{"op":"sing"}', "not valid"),
        ('{"op":"add","title":"x","state":"asleep"}', "not valid"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(arguments: str, why: str) -> None:
    script = given(*ASKING)
    result = told(script, arguments)
    assert result.is_error
    assert why in str(result.result)
    assert script.state.talk.tasks == ()


def test_an_empty_list_and_a_change_that_is_none_say_so() -> None:
    script = given(*ASKING)
    assert told(script, '{"op":"list"}').result == "There are no tasks."
    told(script, ADD, 2)
    assert str(told(script, '{"op":"update","id":"1"}', 3).result).startswith("Nothing to change")


def test_the_list_has_an_end() -> None:
    adds = [call("tasks", f'{{"op":"add","title":"n{n}"}}') for n in range(MOST_TASKS)]
    script = given(*ASKING, answered(1, *adds))
    assert len(script.state.talk.tasks) == MOST_TASKS
    assert told(script, ADD, 2).is_error
