from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.settings.rule_values import rules_in, sorted_out

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["allow", "deny"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.sampled_from(["action", "matches", "not"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.promise("DP-PERM-02")
def test_a_mere_action_is_for_everything() -> None:
    assert rules_in("allow") == rules_in({"*": "allow"})
    assert list(rules_in("allow")) == ["*"]


def test_rules_keep_their_order_and_their_examples() -> None:
    said: Any = {"b": "deny", "a": {"action": "ask", "matches": ["a"], "not": ["b"]}}
    assert sorted_out(said).unreadable == ()
    found = rules_in(said)
    assert list(found) == ["b", "a"]
    assert (found["a"].action, found["a"].matches, found["a"].not_) == ("ask", ("a",), ("b",))


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ("alow", "is no action"),
        ("ALLOW", "is no action"),
        ("", "is no action"),
        (True, "is neither a text nor an object"),
        (None, "is neither a text nor an object"),
        (["allow"], "is neither a text nor an object"),
        ({}, "is no rule with examples"),
        ({"action": "no"}, "is no rule with examples"),
        ({"action": "ask", "example": []}, "is no rule with examples"),
        ({"action": "ask", "matches": "a"}, "is no rule with examples"),
        ({"action": "ask", "matches": ["\ud800"]}, "half a character"),
    ],
)
def test_a_rule_that_cannot_be_read_is_named_and_the_others_stay(rule: Any, what: str) -> None:
    found = sorted_out({"git push *": "deny", "x": rule, "y": "ask"})
    assert found.value == {"git push *": "deny", "y": "ask"}
    [wrong] = found.unreadable
    assert wrong.pattern == "x"
    assert what in wrong.what


@pytest.mark.parametrize("pattern", ["", "a" * 2001, "\udcff"])
def test_a_pattern_that_is_none_is_told(pattern: str) -> None:
    found = sorted_out({pattern: "allow"})
    assert found.value == {}
    assert "pattern" in found.unreadable[0].what


@pytest.mark.parametrize("value", [None, 5, True, ["allow"], "alow"])
def test_of_what_is_no_rules_at_all_nothing_is_left(value: Any) -> None:
    found = sorted_out(value)
    assert rules_in(found.value) == {}
    assert found.unreadable[0].pattern is None


@given(anything)
def test_whatever_is_left_can_be_read(value: Any) -> None:
    found = sorted_out(value)
    rules = rules_in(found.value)
    assert sorted_out(found.value).unreadable == ()
    if not found.unreadable:
        assert found.value == value
    assert all(one.action in {"allow", "ask", "deny"} for one in rules.values())
