"""An interpreter is asked on behalf of a tool."""

import pytest

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import NotNow, Refused
from hearth.servers.mcp.tools.asking import otherwise

REFUSED = NotNow(
    why="no interpreter", command="list_variables", state=PhaseName.FAULTED, remedy=("reset",)
)


@pytest.mark.parametrize(
    ("event", "kind", "message"),
    [
        (REFUSED, "not_now", "no interpreter"),
        (e.QuestionAbandoned("it was reset"), "abandoned", "it was reset"),
        (None, "eval_timeout", "did not answer within 60 s"),
        (e.SessionReady(), "eval_timeout", "did not answer"),
    ],
)
def test_what_did_not_answer_is_an_error_with_a_way_out(
    event: e.Event | Refused | None, kind: str, message: str
) -> None:
    said = otherwise(event)
    assert said.is_error
    assert said.fields["error"]["type"] == kind
    assert message in said.fields["error"]["message"]
    assert said.fields["remedy"]
