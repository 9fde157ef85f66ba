"""Tool calls in one line each."""

import pytest

from hearth.clients.cli.tool_lines import call_line, given_in, in_bytes, result_line


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ('{"code": "x = 41 + 1"}', "x = 41 + 1"),
        ('{"code": "a\\nb"}', "a …"),
        ('{"limit": 3, "path": "/src/x"}', "/src/x"),
        ('{"anything": "alone"}', "alone"),
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 2}'),
        ("{}", ""),
        ("", ""),
        ("[1]", "[1]"),
        ("{not json", "{not json"),
        ('{"code": "\\u001b[2J"}', "?[2J"),
        ("[" * 100_000, "[" * 59 + "…"),
    ],
)
def test_what_a_tool_was_given_is_short_whatever_the_model_wrote(
    arguments: str, given: str
) -> None:
    assert given_in(arguments) == given


def test_a_call_is_its_name_and_what_it_was_given() -> None:
    assert call_line("run_code", '{"code": "1 + 1"}') == "run_code  1 + 1"
    assert call_line("inspect", "{}") == "inspect"


def test_a_result_is_counted() -> None:
    assert result_line({}, "42", 2) == "→ 1 line: 42"
    assert result_line({}, "", 0) == "→ nothing"
    assert result_line({}, "a\nb\nc\n", 6) == "→ 3 lines, 6 B"
    assert result_line({}, "x" * 100, 100) == "→ 1 line, 100 B"
    assert result_line({"spilled": "/s/k1"}, "a\nb", 90_000) == "→ 2 lines, 90.0 kB, kept in /s/k1"
    assert result_line({"is_error": True}, "no such name\nmore", 20) == "✗ no such name …"
    assert result_line({"is_error": True}, "", 0) == "✗ failed"


@pytest.mark.promise("DP-LSP-05")
def test_of_what_was_written_it_is_told_what_language_servers_found() -> None:
    edited = {"name": "edit_file"}
    done = "Edited a.py in 1 place (+1 -1 lines).\n1→def f(x):\n2→    return y\n"
    told = "→ Edited a.py in 1 place (+1 -1 lines). …"
    assert result_line(edited, done, 80) == told
    assert result_line(edited, f"{done}\nIt was saved.\nAll of it.", 80) == told
    one = f"{done}\nNew diagnostics after this edit:\na.py:2:12 error no `y` (F821, ruff)"
    found = "→ New diagnostics after this edit: a.py:2:12 error no `y` (F821, ruff)"
    assert result_line(edited, one, 180) == found
    assert result_line(edited, f"{one}\na.py:1:1 error b\n", 180) == f"{found} (and 1 more)"
    assert result_line({}, one, 180) == "→ 6 lines, 180 B"


def test_sizes_have_units() -> None:
    assert [in_bytes(one) for one in (0, 999, 1500, 2_500_000)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "2.5 MB",
    ]


def test_of_a_traceback_the_line_that_says_what_went_wrong_is_shown() -> None:
    framed = (
        "-" * 40 + "\nZeroDivisionError  Traceback\n----> 1 1/0\n\nZeroDivisionError: by zero\n"
    )
    assert result_line({"is_error": True}, framed, 10) == "✗ ZeroDivisionError: by zero"
    plain = "Traceback (most recent call last):\n  x\nValueError: no"
    assert result_line({"is_error": True}, plain, 10) == "✗ ValueError: no"
    assert result_line({"is_error": True}, "not run\nbecause", 10) == "✗ not run …"
    assert result_line({"is_error": True}, "-----", 10) == "✗ failed"
