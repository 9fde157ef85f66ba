"""The mark that the next daemon finds, and the journal's segments that nobody needs any more."""

from pathlib import Path

from hearth.performers.interpreter.heard import HeardMark, unlink_before
from hearth.performers.interpreter.inside import journal


def test_the_next_daemon_finds_what_the_last_one_wrote(tmp_path: Path) -> None:
    first = HeardMark(tmp_path / "heard")
    assert first.read() == 0, "nothing was heard yet"
    first.write(7)
    second = HeardMark(tmp_path / "heard")
    assert second.read() == 7, "also while the other has not let go: it may have been killed"
    first.write(2**63)
    assert second.read() == 2**63
    first.close()
    second.close()
    assert (tmp_path / "heard").stat().st_mode & 0o077 == 0


def test_a_mark_that_was_let_go_of_is_harmless(tmp_path: Path) -> None:
    mark = HeardMark(tmp_path / "heard")
    mark.write(3)
    mark.close()
    mark.close()
    mark.write(4)
    assert mark.read() == 0
    again = HeardMark(tmp_path / "heard")
    assert again.read() == 3
    again.close()


def test_a_mark_that_is_cut_short_or_too_long_can_be_read(tmp_path: Path) -> None:
    for content, number in ((b"", 0), (b"\x05", 5), (b"\x06" + bytes(7) + b"rest", 6)):
        (tmp_path / "heard").write_bytes(content)
        mark = HeardMark(tmp_path / "heard")
        assert mark.read() == number
        mark.close()


def test_only_segments_with_nothing_unheard_in_them_go(tmp_path: Path) -> None:
    writer = journal.Writer(tmp_path / "journal", segment_bytes=60)
    for _ in range(6):
        writer.put(journal.IOPUB, [b"x" * 20])
    firsts = [first for first, _ in journal.segments(tmp_path / "journal")]
    assert len(firsts) > 2, "each segment holds few records"
    for number in range(7):
        unlink_before(tmp_path / "journal", number)
        left = [one for one, _, _ in journal.read_after(tmp_path / "journal", number)]
        assert left == list(range(number + 1, 7)), f"everything above {number} is there"
    assert len(journal.segments(tmp_path / "journal")) == 1, "the one being written stays"
    writer.put(journal.IOPUB, [b"later"])
    assert [one for one, _, _ in journal.read_after(tmp_path / "journal", 6)] == [7]


def test_a_journal_that_is_not_there_has_nothing_to_remove(tmp_path: Path) -> None:
    unlink_before(tmp_path / "journal", 5)
    assert not (tmp_path / "journal").exists()
