import os
import stat
from pathlib import Path

import pytest

from hearth.performers.tools.spilling import Shown, shown, spill, spill_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_short_result_is_shown_as_it_is(tmp_path: Path) -> None:
    assert shown("abc", 3, tmp_path / "f") == Shown("abc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("DP-TOOL-06")
def test_a_long_result_is_shown_by_head_and_tail_and_kept_whole(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(5000))
    file = spill_file(str(tmp_path / "results"), "session-1", "k7")
    assert file == tmp_path / "results" / "session-1" / "k7.txt"
    found = shown(text, 1000, file)
    assert found.spilled == str(file)
    assert found.text.startswith("line 0\nline 1\n")
    assert found.text.endswith("line 4999\n")
    assert f"the whole is in {file}" in found.text
    assert len(found.text) < 1000 + 200
    assert file.read_text("utf-8") == text


def test_what_is_kept_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        shown("x" * 50, 10, tmp_path / "a" / "b" / "k1.txt")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a" / "b" / "k1.txt") == 0o600
    assert mode(tmp_path / "a" / "b") == 0o700
    assert mode(tmp_path / "a") == 0o700


def test_without_a_place_the_hint_says_that_the_rest_is_lost() -> None:
    assert spill_file("", "session-1", "k1") is None
    found = shown("x" * 100, 10, None)
    assert found.spilled == ""
    assert "90 characters are left out here; the whole is not kept" in found.text


def test_a_place_that_cannot_be_written_is_told_and_costs_no_result(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    found = shown("x" * 100, 10, tmp_path / "file" / "k1.txt")
    assert found.spilled == ""
    assert "cannot be written" in found.text
    assert found.text.startswith("x")


def test_half_a_character_becomes_one_that_can_be_stored(tmp_path: Path) -> None:
    assert shown("a\ud800b", 10, None).text == "a?b"
    found = shown("\ud800" * 20, 10, tmp_path / "f")
    assert found.text.encode()
    assert (tmp_path / "f").read_bytes() == b"?" * 20


@pytest.mark.parametrize("path", ["relative.txt", "/tmp/a/../b.txt"])  # noqa: S108 - never written
def test_results_are_written_to_no_strange_place(path: str) -> None:
    with pytest.raises(ValueError, match="no place for results"):
        spill(Path(path), "x")
