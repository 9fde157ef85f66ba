"""Lines that are read by where a search found them are those that reading all of a file gives."""

import os
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.files import quoting
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.opening import Opened, all_of
from hearth.performers.tools.files.quoting import WIDEST, Quote, Quoting
from hearth.performers.tools.files.searching import Hit

LATER_NS = 3_600_000_000_000


def since() -> int:
    """A search that begins long after the files were made."""
    return time.time_ns() + LATER_NS


def quoted(path: Path, hits: list[Hit], quote: Quote) -> list[str] | None:
    with closing(Descent()) as descent:
        return Quoting(quote, descent).quoted(str(path), hits)


def hits_of(content: bytes) -> list[Hit]:
    """Every line of a content, as ripgrep would tell them."""
    found, at = [], 0
    for number, line in enumerate(content.split(b"\n"), 1):
        found.append(Hit(number, 1, 0, at))
        at += len(line) + 1
    return found[:-1] if content.endswith(b"\n") or not content else found


@pytest.fixture
def wholes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read as a whole."""
    seen: list[str] = []

    def noted(file: Opened, path: str, most: int) -> bytes:
        seen.append(Path(path).name)
        return all_of(file, path, most)

    monkeypatch.setattr(quoting, "all_of", noted)
    return seen


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=12),
            st.sampled_from([b"", b"\r", b"x\r", b"\xe9", b"\xf0\x9f\x92", "\u00fc".encode()]),
            st.builds(
                lambda sign, times: sign * times,
                st.sampled_from([b"y", "\u00fc".encode(), "\U0001f525".encode(), b"\xff"]),
                st.integers(WIDEST - 3, WIDEST + 3),
            ),
            st.integers(4 * WIDEST - 3, 4 * WIDEST + 6).map(lambda size: b"z" * size),
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_both_ways_to_read_give_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    ends: bool,  # noqa: FBT001 - a case
) -> None:
    content = b"\n".join(lines) + (b"\n" if ends else b"")
    path = tmp_path_factory.getbasetemp() / "either"
    path.write_bytes(content)
    hits = hits_of(content)
    known = quoted(path, hits, Quote(in_bytes=True, since_ns=since()))
    assert known == quoted(path, hits, Quote(in_bytes=True))


def test_only_the_line_is_read_where_that_is_enough(tmp_path: Path, wholes: list[str]) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\r\ncaf\xe9 needle\r\nthree")
    quote = Quote(in_bytes=True, since_ns=since())
    hits = [Hit(2, 6, 0, 5), Hit(3, 1, 0, 18)]
    assert quoted(path, hits, quote) == ["2:caf\ufffd needle", "3:three"]
    assert wholes == []


def test_a_line_too_long_to_show_is_read_with_all_of_its_file(
    tmp_path: Path, wholes: list[str]
) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"one\n" + b"x" * 9000 + b"needle" + b"y" * 9000 + b"\n")
    [row] = quoted(path, [Hit(2, 9001, 0, 4)], Quote(in_bytes=True, since_ns=since())) or []
    assert "needle" in row
    assert row.startswith("2:…")
    assert wholes == ["long"]


def test_a_file_that_changed_since_the_search_is_read_as_it_is_now(
    tmp_path: Path, wholes: list[str]
) -> None:
    path = tmp_path / "a"
    path.write_text("one\ntwo\nthree\n")
    began = time.time_ns()
    path.write_text("zero\n\none\ntwo and more\n")
    assert quoted(path, [Hit(2, 1, 0, 4)], Quote(in_bytes=True, since_ns=began)) == ["2:"]
    assert wholes == ["a"]
    # Also where its time was put back.
    os.utime(path, ns=(0, 0))
    assert quoted(path, [Hit(3, 1, 0, 8)], Quote(in_bytes=True, since_ns=began)) == ["3:one"]
    assert wholes == ["a", "a"]
    # And another file in its place.
    other = tmp_path / "b"
    other.write_text("x\ny\nneedle\n")
    other.rename(path)
    assert quoted(path, [Hit(3, 1, 0, 8)], Quote(in_bytes=True, since_ns=began)) == ["3:needle"]
    assert wholes == ["a", "a", "a"]


def test_where_no_line_begins_any_more_nothing_is_taken_for_one(
    tmp_path: Path, wholes: list[str]
) -> None:
    path = tmp_path / "a"
    path.write_text("one\ntwo\nthree\n")
    quote = Quote(in_bytes=True, since_ns=since())
    for offset in (2, 5, 14, 99, 1 << 40, -1):
        assert quoted(path, [Hit(2, 1, 0, offset)], quote) == ["2:two"]
    assert wholes == ["a"] * 6
    path.write_bytes(b"one\nt\0o\n")
    assert quoted(path, [Hit(2, 1, 0, 4)], quote) is None


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_behind_a_mark_places_count_otherwise_and_all_is_read(
    tmp_path: Path, wholes: list[str], encoding: str
) -> None:
    path = tmp_path / "a"
    path.write_text("x\nyy needle\n", encoding)
    quote = Quote(in_bytes=True, since_ns=since())
    assert quoted(path, [Hit(1, 1, 0, 0), Hit(2, 4, 0, 2)], quote) == ["1:x", "2:yy needle"]
    assert wholes == ["a"]


def test_what_was_put_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("one\nsecret\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "linked").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    quote = Quote(in_bytes=True, since_ns=since())
    for name in ("link", "linked/secret", "pipe", "folder", "missing"):
        assert quoted(tmp_path / name, [Hit(2, 1, 0, 4)], quote) is None
