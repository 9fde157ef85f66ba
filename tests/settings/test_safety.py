from typing import Any, get_args

import msgspec
import pytest

from hearth.core.vocabulary.permitting import Verdict
from hearth.settings.safety import Action, ExemplifiedRule, Rules, Server


def test_the_actions_are_the_verdicts_that_there_are() -> None:
    assert get_args(Action) == tuple(Verdict)


@pytest.mark.parametrize(
    "said", ["ask", {}, {"*": "deny"}, {"a": {"action": "allow", "matches": ["a"], "not": ["b"]}}]
)
def test_rules_are_one_action_or_patterns_with_one_each(said: Any) -> None:
    assert msgspec.to_builtins(msgspec.convert(said, Rules)) is not None


def test_what_a_rule_with_examples_and_a_server_may_leave_out_is_empty() -> None:
    rule = msgspec.convert({"action": "deny"}, ExemplifiedRule)
    assert (rule.matches, rule.not_) == ((), ())
    server = msgspec.convert({}, Server)
    assert (server.command, server.files, server.options) == ((), (), {})
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"command": []}, Server)
