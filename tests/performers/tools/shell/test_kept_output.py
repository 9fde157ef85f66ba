import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.tools.shell.kept_output import MOST_FILES, Excerpt, KeptOutput


def kept(file: Path | None, most: int = 1000) -> KeptOutput:
    return KeptOutput(file, head=10, tail=10, most_on_disk=most)


def all_of(output: KeptOutput) -> Excerpt:
    return output.since(0)[0]


def test_what_is_short_is_in_memory_alone(tmp_path: Path) -> None:
    output = kept(tmp_path / "s" / "k1.out")
    output.take(b"12345")
    output.take(b"67890abcdefghij")
    output.write()
    output.close()
    assert all_of(output).text(output.where) == "1234567890abcdefghij"
    assert not output.where
    assert not (tmp_path / "s").exists()


def test_of_what_is_long_head_and_tail_are_in_memory_and_the_whole_in_a_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "results" / "s" / "k1.out"
    output = kept(file)
    written = b"".join(b"%03d " % number for number in range(50))
    for start in range(0, len(written), 7):
        output.take(written[start : start + 7])
    output.write()
    output.close()
    assert file.read_bytes() == written
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    found = all_of(output)
    assert found == Excerpt(written[:10], 180, written[-10:])
    assert output.where == f"the whole is in {file}"
    assert f"180 bytes are left out here; the whole is in {file}" in found.text(output.where)


def test_what_is_more_than_a_disk_should_hold_is_counted_and_dropped(tmp_path: Path) -> None:
    file = tmp_path / "s" / "k1.out"
    output = kept(file, most=50)
    for _ in range(100):
        output.take(b"x" * 9 + b"\n")
    output.write()
    output.close()
    assert file.stat().st_size == 50
    assert output.total == 1000
    assert all_of(output).missing == 980
    assert output.where == f"the first 50 bytes are in {file}, the rest is not kept"


def test_a_disk_that_cannot_be_written_to_is_told_and_nothing_else_is_lost(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("no folder")
    output = kept(tmp_path / "s" / "k1.out")
    output.take(b"a" * 15)
    output.take(b"b" * 15)
    output.write()
    output.take(b"c" * 10)
    output.write()
    assert "is not kept" in output.where
    assert "cannot be written" in output.where
    assert all_of(output) == Excerpt(b"a" * 10, 20, b"c" * 10)


def test_without_a_file_the_middle_is_told_as_lost() -> None:
    output = kept(None)
    output.take(b"z" * 100)
    assert not output.must_write
    output.write()
    assert output.where == "it is not kept"


def test_a_link_with_the_name_of_the_file_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    file = tmp_path / "s" / "k1.out"
    file.parent.mkdir()
    file.symlink_to(precious)
    output = kept(file)
    output.take(b"z" * 100)
    output.write()
    output.close()
    assert precious.read_text() == "mine"
    assert not file.is_symlink()
    assert file.read_bytes() == b"z" * 100


def test_whoever_writes_fast_waits_for_the_disk(tmp_path: Path) -> None:
    output = KeptOutput(tmp_path / "s" / "k1.out")
    while not output.must_write:
        output.take(b"y" * 65536)
    assert output.total < 3 * 1024 * 1024
    output.write()
    assert not output.must_write
    output.close()


def test_what_is_new_is_told_once_and_half_a_character_later() -> None:
    output = kept(None)
    output.take("a✓".encode()[:-1])
    first, position = output.since(0, is_over=False)
    assert first == Excerpt(b"a", 0, b"")
    output.take("✓".encode()[-1:])
    second, position = output.since(position, is_over=False)
    assert second.text("") == "✓"
    third, position = output.since(position)
    assert third == Excerpt(b"", 0, b"")
    assert position == output.total


@given(st.lists(st.binary(min_size=1, max_size=12), max_size=30), st.data())
def test_from_any_position_all_is_told_or_counted(pieces: list[bytes], data: st.DataObject) -> None:
    output = kept(None)
    for piece in pieces:
        output.take(piece)
    written = b"".join(pieces)
    position = data.draw(st.integers(0, len(written)))
    found, end = output.since(position)
    assert end == len(written)
    told = found.before + found.after
    assert len(told) + found.missing == len(written) - position
    assert written[position:].startswith(found.before)
    assert written.endswith(found.after)


@pytest.mark.parametrize("size", [1, 100])
def test_many_small_pieces_take_no_more_memory_than_few_large_ones(size: int) -> None:
    output = KeptOutput(None)
    for _ in range(600_000 // size):
        output.take(b"x" * size)
    assert len(output._tail) < 100


def test_a_session_keeps_so_many_long_outputs_and_the_oldest_go(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    (folder / "jobs.jsonl").touch()
    for number in range(MOST_FILES + 3):
        output = kept(folder / f"k{number}.out")
        output.take(b"z" * 100)
        output.write()
        output.close()
        os.utime(folder / f"k{number}.out", ns=(number, number))
    names = {one.name for one in folder.iterdir()}
    assert "jobs.jsonl" in names
    assert f"k{MOST_FILES + 2}.out" in names
    assert not {"k0.out", "k1.out", "k2.out"} & names
    assert len(names) == MOST_FILES + 1
