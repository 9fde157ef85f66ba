"""What is new, and what only stands elsewhere."""

import msgspec

from hearth.core.vocabulary.content import Severity
from hearth.performers.language_server.findings import Finding, in_order, new_ones


def finding(line: int, message: str = "m", source: str = "code", **other: str) -> Finding:
    severity = Severity(other.pop("severity", "error"))
    return Finding("/p/a.py", line, 1, severity, message, "R", "s", source)


def test_what_moved_with_its_line_is_not_new() -> None:
    assert new_ones([finding(3)], [finding(30)]) == ()


def test_a_second_one_like_the_first_is_new_once() -> None:
    (new,) = new_ones([finding(3)], [finding(3), finding(9)])
    assert new.line == 9


def test_the_same_words_about_another_line_of_code_are_new() -> None:
    one = finding(8, source="other(x)")
    assert new_ones([finding(3, source="call(x)")], [one]) == (one,)


def test_the_same_words_about_a_line_that_was_changed_are_not_new() -> None:
    assert new_ones([finding(1, source="x = 1")], [finding(1, source="x = 2")]) == ()


def test_where_the_text_was_not_known_only_the_words_are_compared() -> None:
    assert new_ones([finding(3, source="")], [finding(7, source="call(x)")]) == ()
    assert new_ones([finding(3, source="call(x)")], [finding(7, source="")]) == ()
    one = finding(7, "else", source="")
    assert new_ones([finding(3)], [one]) == (one,)


def test_another_severity_or_message_is_new() -> None:
    worse = finding(3, severity="error")
    assert new_ones([finding(3, severity="warning")], [worse]) == (worse,)


def test_what_is_gone_is_not_new() -> None:
    assert new_ones([finding(1), finding(2, "n")], []) == ()


def test_the_worst_comes_first_then_the_place() -> None:
    found = [finding(1, severity="info"), finding(9), finding(2, severity="warning"), finding(4)]
    assert [one.line for one in in_order(found)] == [4, 9, 2, 1]


def test_a_finding_travels_as_json() -> None:
    one = finding(3)
    assert msgspec.json.decode(msgspec.json.encode(one), type=Finding) == one
