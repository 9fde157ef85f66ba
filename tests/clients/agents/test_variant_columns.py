"""Variants stand beside each other as long as that can be read."""

from tests.clients.agents.test_variant_text import BAD, GOOD, STOPPED

from hearth.clients.agents.variant_columns import side_by_side
from hearth.clients.agents.variant_text import tried

CODES = ["xs = f()", "g()", "wait()"]


def test_each_has_a_column_of_its_own() -> None:
    shown = [text for _, text in side_by_side([GOOD, BAD, STOPPED], CODES, 80)]
    assert shown == [
        "1  ok in 12 ms · sets xs | 2  failed after 1.5 s    | 3  stopped after 12 s",
        "xs = f()                 | g()                      | wait()",
        "one                      | ValueError:              |",
        "two                      | no<U+000A>way            |",
        "[1, 2]  # list           |                          |",
    ]
    assert max(map(len, shown)) <= 80


def test_where_columns_would_be_too_narrow_they_stand_under_each_other() -> None:
    four = [GOOD, BAD, STOPPED, GOOD]
    assert side_by_side(four, CODES, 80) == tried(four, CODES)
    assert side_by_side(four, CODES, 200) != tried(four, CODES)
    assert side_by_side([GOOD], CODES, 80) == tried([GOOD], CODES)
    assert side_by_side([], [], 80) == []


def test_a_line_that_is_very_long_is_cut_after_some_lines() -> None:
    long = {"value": "x" * 500, "value_type": "str"}
    shown = [text for _, text in side_by_side([long, {}], [], 80)]
    assert len(shown) == 4
    assert shown[-1].endswith("x… |")
    assert max(map(len, shown)) <= 80


def test_words_are_kept_together_and_code_takes_one_line() -> None:
    failed = {"failure": {"type": "code_raised", "name": "E", "message": "division by zero " * 3}}
    code = "a_long_call(of_code, that_goes, on_and_on, for_a_while)"
    shown = [text for _, text in side_by_side([failed, {}], [code, "x"], 60)]
    assert [line.split(" | ")[0].rstrip(" |") for line in shown] == [
        "1  failed after 0 ms",
        "a_long_call(of_code, that_g…",
        "E: division by zero division",
        "by zero division by zero",
    ]
