"""Findings out of whatever a server says."""

from typing import Any

import pytest

from hearth.core.vocabulary.content import Severity
from hearth.performers.language_server import reading
from hearth.performers.language_server.reading import (
    LONGEST_LINE,
    MOST_OF_A_FILE,
    Reader,
    column,
    path_of,
    reports_of,
    uri_of,
)


def item(line: int, character: int, **other: Any) -> dict[str, Any]:
    place = {"line": line, "character": character}
    return {"message": "m", "range": {"start": place, "end": place}, **other}


def test_a_diagnostic_becomes_a_finding() -> None:
    said = item(1, 4, severity=2, code="F1", message="wrong\nreally\n\nhelp: a long one")
    (one,) = Reader("s").findings("/p/a.py", [said], "x\n    y = 1\n")
    assert (one.line, one.column, one.severity, one.rule) == (2, 5, Severity.WARNING, "F1")
    assert (one.message, one.source, one.server) == ("wrong really", "y = 1", "s")


@pytest.mark.parametrize(
    ("encoding", "character"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3), ("utf-9", 4)]
)
def test_columns_are_counted_in_characters_whatever_the_server_counts(
    encoding: str, character: int
) -> None:
    (one,) = Reader("s", encoding).findings("/a", [item(0, character)], "é𝒳'x")
    assert one.column == 4


def test_a_column_behind_the_end_or_within_a_character_is_still_a_column() -> None:
    assert column("é", 99, "utf-8") == 1
    assert column("\U0001f600x", 1, "utf-16") == 0


def test_lines_end_where_the_protocol_says() -> None:
    (one,) = Reader("s").findings("/a", [item(2, 0)], "a\u2028b\x0cc\r\nd\rhere\n")
    assert one.source == "here"


@pytest.mark.parametrize(
    "items",
    [
        None,
        "text",
        {"a": 1},
        [None],
        [3],
        [{}],
        [{"message": 1, "range": {}}],
        [{"message": "m", "range": {"start": {"line": "1", "character": 0}}}],
        [{"message": "m", "range": {"start": {"line": -1, "character": 0}}}],
        [{"message": "m", "range": {"start": {"line": 10**30, "character": 0}}}],
        [{"message": "m", "range": {"start": {"line": 0, "character": 10**30}}}],
    ],
)
def test_nonsense_is_left_out(items: Any) -> None:
    assert Reader("s").findings("/a", items, "x") == ()


def test_an_unknown_severity_or_code_is_taken_for_the_worst_and_for_none() -> None:
    (one,) = Reader("s").findings("/a", [item(9, 9, severity=[1], code={"a": 1})], "x")
    assert (one.severity, one.rule, one.source) == (Severity.ERROR, "", "")


def test_what_no_log_can_hold_is_not_in_a_finding() -> None:
    said = item(0, 0, message="a \ud800\x00 \x1b[31mred", code="\udfff\n")
    (one,) = Reader("s").findings("/a", [said], "x")
    assert (one.message, one.rule) == ("a \ufffd\ufffd \ufffd[31mred", "\ufffd\ufffd")
    assert path_of("file:///a/\ud800") is None
    assert path_of("file:///a/%00") is None
    assert path_of("file:a") is None


def test_a_text_is_taken_apart_once_however_often_something_is_told_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[str] = []

    class Ends:
        def split(self, text: str) -> list[str]:
            taken.append(text)
            return text.split("\n")

    monkeypatch.setattr(reading, "_ENDS", Ends())
    reader = Reader("s")
    for text in ("a\nb", "a\nc"):
        for _ in range(3):
            (one,) = reader.findings("/a", [item(1, 0)], text)
            assert one.source == text[-1]
    assert taken == ["a\nb", "a\nc"]


def test_a_column_far_in_a_long_line_is_not_converted() -> None:
    assert column("é" * 99, LONGEST_LINE + 1, "utf-8") == LONGEST_LINE + 1


def test_so_many_and_no_more_are_kept_of_a_file() -> None:
    assert len(Reader("s").findings("/a", [item(0, 0)] * 9999, None)) == MOST_OF_A_FILE


def test_addresses_and_paths_are_one_another_again() -> None:
    path = "/p/a b/é%20#?.py"
    assert path_of(uri_of(path)) == path
    for uri in (None, 3, "http://x/a.py", "file://elsewhere/a.py", "untitled:x", "file://[x"):
        assert path_of(uri) is None


def test_a_report_about_a_project_is_read_by_file() -> None:
    answer = {
        "items": [
            {"uri": "file:///a.py", "kind": "full", "items": [1]},
            {"uri": "file:///b.py", "kind": "unchanged"},
            {"uri": "untitled:c", "items": []},
            None,
        ]
    }
    assert list(reports_of(answer)) == [("/a.py", [1])]
    assert list(reports_of(None)) == []
    assert list(reports_of({"items": 3})) == []
