import io
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hearth.performers.tools.files import search_inside
from hearth.performers.tools.files.search_inside import Tree, hits_in, main, searcher

PATTERNS = [
    "a", "ab", "a.b", "^a", "b$", "^$", "a*", "[^a]", "[^a]+b", r"\s", r"a\s*b", "a|b", "(ab)+",
    "a(?=b)", "(?!a)b", "a(?!b)", r"\Aa", r"b\Z", "(?i)A", r"\w+", r"a\nb", "[]a]", "[^]a]", "a++b",
    ".*", "x?", "(?s)a.b", r"\ba", "a{2}", r"[^\n]a", "\u00fc+", "(?P<n>a)(?P=n)",
]  # fmt: skip


@given(
    pattern=st.sampled_from(PATTERNS),
    text=st.text(st.sampled_from("ab \n\u00fc"), max_size=30),
    ignore_case=st.booleans(),
)
@example(pattern="a(?!b)", text="a\nb", ignore_case=False)
@example(pattern="[^a]+b", text="c\nb", ignore_case=False)
def test_the_lines_are_those_that_match_alone(
    *, pattern: str, text: str, ignore_case: bool
) -> None:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    alone = re.compile(pattern, re.MULTILINE | (re.IGNORECASE if ignore_case else 0))
    expected = [
        (number, found.start())
        for number, line in enumerate(lines)
        if (found := alone.search(line))
    ]
    assert list(searcher(pattern, ignore_case=ignore_case)(text)) == expected


def hits(file: Path, pattern: str) -> list[tuple[int, int]]:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return list(hits_in(descriptor, searcher(pattern, ignore_case=False)))
    finally:
        os.close(descriptor)


def test_lines_and_columns_are_counted_from_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\r\nsome needle\r\nneedle$\n")
    assert hits(tmp_path / "a", "needle") == [(2, 6), (3, 1)]
    assert hits(tmp_path / "a", "needle$") == [(2, 6)]
    (tmp_path / "wide").write_bytes("one\nneedle\n".encode("utf-16"))
    assert hits(tmp_path / "wide", "needle") == [(2, 1)]


def test_a_file_that_is_no_text_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"needle\n\0")
    assert hits(tmp_path / "a", "needle") == []


def test_a_large_file_is_searched_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_inside, "CHUNK", 64)
    (tmp_path / "a").write_text("".join(f"line {number}\n" for number in range(500)))
    assert hits(tmp_path / "a", "^line 4[0-9]{2}$") == [
        (number + 1, 1) for number in range(400, 500)
    ]
    (tmp_path / "b").write_text("x" * 1000 + "\nneedle\n")
    assert [line for line, _ in hits(tmp_path / "b", "needle")] == [2]


def test_nothing_is_opened_through_a_link_and_nothing_but_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p" / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("x")
    (tmp_path / "p" / "sub" / "a").write_text("x")
    (tmp_path / "p" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "p" / "out").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "p" / "pipe")
    monkeypatch.chdir(tmp_path / "p")
    tree = Tree()
    found = tree.opened("sub/a")
    assert found is not None
    os.close(found)
    refused = ["link", "out/secret", "../secret", "pipe", "sub", "no", "sub/../../secret", "\0"]
    assert [name for name in refused if tree.opened(name) is not None] == []


@pytest.mark.parametrize(
    ("mode", "said"),
    [("lines", b"a\x001:1:\na\x003:1:\n"), ("count", b"a\x002\n"), ("files", b"a\x00")],
)
def test_what_is_said_is_what_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, said: bytes
) -> None:
    (tmp_path / "a").write_text("x\ny\nx\n")
    (tmp_path / "b").write_text("y\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\0b\0missing\0")))
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["x", "-", mode, "many"]) == 0
    assert isinstance(out.buffer, io.BytesIO)
    assert out.buffer.getvalue() == said


def test_a_pattern_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["(", "-", "lines", "many"]) == search_inside.BAD_PATTERN
    assert "unterminated" in capsys.readouterr().err
