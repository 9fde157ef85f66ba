import os
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.files import quoting
from hearth.performers.tools.files.descending import Descent
from hearth.performers.tools.files.quoting import WIDEST, Quote, Quoting
from hearth.performers.tools.files.searching import Hit


def quoted(path: str, hits: list[Hit], quote: Quote) -> list[str] | None:
    with closing(Descent()) as descent:
        return Quoting(quote, descent).quoted(path, hits)


def test_lines_are_quoted_with_what_is_around_them(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"line {number}\n" for number in range(1, 21)))
    path = str(tmp_path / "a")
    assert quoted(path, [Hit(3, 1), Hit(9, 1)], Quote()) == ["3:line 3", "9:line 9"]
    assert quoted(path, [Hit(2, 1), Hit(4, 1), Hit(20, 1)], Quote(2)) == [
        "1-line 1", "2:line 2", "3-line 3", "4:line 4", "5-line 5", "6-line 6", "--",
        "18-line 18", "19-line 19", "20:line 20",
    ]  # fmt: skip
    assert quoted(path, [Hit(99, 1)], Quote()) == []


@given(
    st.lists(st.text(st.sampled_from("ab\u00fc"), max_size=9000), max_size=12),
    st.sets(st.integers(1, 14), min_size=1),
    st.booleans(),
)
def test_the_lines_that_are_quoted_are_those_of_the_file(
    lines: list[str],
    wanted: set[int],
    ends: bool,  # noqa: FBT001 - a case
) -> None:
    text = "\n".join(lines) + ("\n" if ends and lines else "")
    there = text.split("\n")
    if not there[-1]:
        there.pop()
    expected = [(one, there[one - 1]) for one in sorted(wanted) if one <= len(there)]
    picked = list(quoting._picked(text.encode(), sorted(wanted)))
    assert [(number, raw.decode()) for number, raw in picked] == expected


def test_of_a_long_line_the_part_is_shown_that_was_found(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\u00fc" * 5000 + "needle" + "y" * 5000 + "\n")
    for quote, column in ((Quote(), 5001), (Quote(in_bytes=True), 10_001)):
        [row] = quoted(str(tmp_path / "a"), [Hit(1, column)], quote) or []
        assert "needle" in row
        assert row.startswith("1:…")
        assert len(row) <= WIDEST + 4


def test_what_is_no_text_any_more_or_a_link_by_now_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "bin").write_bytes(b"a\0")
    (tmp_path / "secret").write_text("secret\n")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    for name in ("bin", "link", "pipe", "missing"):
        assert quoted(str(tmp_path / name), [Hit(1, 1)], Quote()) is None


def test_carriage_returns_and_broken_characters_do_not_come_along(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9\r\nb\n")
    assert quoted(str(tmp_path / "a"), [Hit(1, 1)], Quote()) == ["1:caf\ufffd"]


def test_neighbours_share_their_folder_and_no_folder_stays_open(tmp_path: Path) -> None:
    for name in ("a/1", "a/2", "b/1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    before = len(list(Path("/dev/fd").iterdir()))
    with closing(Descent()) as descent:
        reading = Quoting(Quote(), descent)
        for name in ("a/1", "a/2", "b/1", "b/missing", "a/1"):
            rows = reading.quoted(str(tmp_path / name), [Hit(1, 1)])
            assert rows == (None if name == "b/missing" else [f"1:{name}"])
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_wide_text_is_quoted_as_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("one\ntwo\n".encode("utf-16"))
    (tmp_path / "b").write_bytes(b"\xef\xbb\xbfone\n")
    assert quoted(str(tmp_path / "a"), [Hit(2, 1)], Quote()) == ["2:two"]
    assert quoted(str(tmp_path / "b"), [Hit(1, 1)], Quote()) == ["1:one"]
