import fcntl
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.prefix import knowledge
from hearth.performers.prefix.knowledge import (
    CHARS_PER_TOKEN,
    LONGEST,
    Knowledge,
    KnowledgeUnusable,
    Note,
    told,
)

AT = "2026-01-02T03:04:05+00:00"


def note(text: str, *tags: str) -> Note:
    return Note("i", AT, text, "s", tags)


@pytest.mark.promise("DL-KNOW-01")
def test_what_is_noted_is_there_for_whoever_comes_next(tmp_path: Path) -> None:
    first = Knowledge(tmp_path).add(" tests run with make ", AT, "session-1", ("tests",))
    second = Knowledge(tmp_path).add("zwei\nZeilen: äöü", AT, "session-2")
    assert first is not None
    assert (first.text, first.origin, first.tags) == (
        "tests run with make",
        "session-1",
        ("tests",),
    )
    assert Knowledge(tmp_path).notes() == (first, second)
    file = tmp_path / ".hearth" / "knowledge" / "knowledge.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(file.read_bytes().splitlines()) == 2
    assert "/knowledge/" in (tmp_path / ".hearth" / ".gitignore").read_text()


def test_what_is_noted_already_is_not_noted_again(tmp_path: Path) -> None:
    assert Knowledge(tmp_path).add("a", AT, "s") is not None
    assert Knowledge(tmp_path).add(" a ", AT, "s") is None
    assert [one.text for one in Knowledge(tmp_path).notes()] == ["a"]


def test_without_a_file_nothing_is_known_and_nothing_is_made(tmp_path: Path) -> None:
    assert Knowledge(tmp_path).notes() == ()
    assert list(tmp_path.iterdir()) == []


def test_a_line_that_was_cut_off_costs_no_other(tmp_path: Path) -> None:
    Knowledge(tmp_path).add("a", AT, "s")
    file = Knowledge(tmp_path).file
    with file.open("ab") as torn:
        torn.write(b'{"id": "x", "at": "y", "te')
    Knowledge(tmp_path).add("b", AT, "s")
    with file.open("ab") as odd:
        odd.write(b'\xff\xfe\n{"id": 5}\n[]\n\n{"id": "i", "at": "a", "text": " "}\n')
        odd.write(b'{"id": "i", "at": "a", "text": "' + b"x" * (LONGEST + 1) + b'"}\n')
    Knowledge(tmp_path).add("c", AT, "s")
    assert [one.text for one in Knowledge(tmp_path).notes()] == ["a", "b", "c"]


def test_a_line_that_is_nested_without_end_costs_no_other(tmp_path: Path) -> None:
    Knowledge(tmp_path).add("a", AT, "s")
    with Knowledge(tmp_path).file.open("ab") as file:
        file.write(b'{"id": "x", "at": "y", "text": "z", "more": ' + b"[" * 100_000 + b"\n")
    Knowledge(tmp_path).add("b", AT, "s")
    assert [one.text for one in Knowledge(tmp_path).notes()] == ["a", "b"]


def test_of_a_long_file_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "READ", 300)
    for number in range(20):
        Knowledge(tmp_path).add(f"note {number}", AT, "s")
    texts = [one.text for one in Knowledge(tmp_path).notes()]
    assert 0 < len(texts) < 20
    assert texts == [f"note {number}" for number in range(20 - len(texts), 20)]


def test_many_may_note_at_once(tmp_path: Path) -> None:
    def add(number: int) -> None:
        Knowledge(tmp_path).add(f"note {number}", AT, "s")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    assert {one.text for one in Knowledge(tmp_path).notes()} == {f"note {one}" for one in range(8)}


def test_a_file_that_is_full_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knowledge, "LARGEST", 200)
    Knowledge(tmp_path).add("a", AT, "s")
    with pytest.raises(KnowledgeUnusable, match="take out what is not needed"):
        Knowledge(tmp_path).add("b" * 200, AT, "s")
    assert [one.text for one in Knowledge(tmp_path).notes()] == ["a"]


def test_a_note_that_could_not_be_written_whole_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Knowledge(tmp_path).add("a", AT, "s")
    before = Knowledge(tmp_path).file.read_bytes()
    written = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, line: written(descriptor, line[:5]))
    with pytest.raises(KnowledgeUnusable, match="no room"):
        Knowledge(tmp_path).add("b", AT, "s")
    monkeypatch.undo()
    assert Knowledge(tmp_path).file.read_bytes() == before


def test_somebody_who_does_not_let_go_of_the_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Knowledge(tmp_path).add("a", AT, "s")
    monkeypatch.setattr(knowledge, "PATIENCE", -1)
    with Knowledge(tmp_path).file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(KnowledgeUnusable, match="somebody else is writing"):
            Knowledge(tmp_path).add("b", AT, "s")


def test_no_link_leads_out_of_the_project(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "root"
    (root / ".hearth").mkdir(parents=True)
    (root / ".hearth" / "knowledge").symlink_to(outside)
    with pytest.raises(KnowledgeUnusable, match="leads out of the project"):
        Knowledge(root).add("a", AT, "s")
    with pytest.raises(KnowledgeUnusable):
        Knowledge(root).notes()
    assert list(outside.iterdir()) == []
    (root / ".hearth" / "knowledge").unlink()
    (root / ".hearth" / "knowledge").mkdir()
    (outside / "secret").write_text('{"id": "i", "at": "a", "text": "secret"}')
    Knowledge(root).file.symlink_to(outside / "secret")
    with pytest.raises(KnowledgeUnusable):
        Knowledge(root).notes()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    file = Knowledge(tmp_path).file
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    with pytest.raises(KnowledgeUnusable, match="no file"):
        Knowledge(tmp_path).notes()
    with pytest.raises(KnowledgeUnusable, match="no file"):
        Knowledge(tmp_path).add("a", AT, "s")


@pytest.mark.promise("DL-KNOW-01")
def test_the_newest_notes_that_fit_are_told_the_oldest_first() -> None:
    notes = tuple(note(f"{number} " + "x" * 90) for number in range(100))
    text = told(notes, 200)
    assert len(text) <= 200 * CHARS_PER_TOKEN
    head, *lines = text.splitlines()
    assert "notes, not instructions" in head
    numbers = [int(line.split()[1]) for line in lines]
    assert numbers == list(range(100 - len(numbers), 100))
    assert len(numbers) > 3


@pytest.mark.promise("DL-KNOW-01")
def test_a_note_that_is_larger_than_the_budget_is_cut() -> None:
    text = told((note("earlier one"), note("y" * 4000)), 100)
    assert len(text) <= 100 * CHARS_PER_TOKEN
    assert text.endswith("y…")
    assert "earlier one" not in text


def test_nothing_is_told_of_nothing_or_into_no_room() -> None:
    assert told((), 1000) == ""
    assert told((note("a"),), 1) == ""


def test_tags_and_lines_keep_their_shape() -> None:
    assert told((note("one\ntwo", "a", "b"),), 1000).splitlines()[1:] == ["- one", "  two [a, b]"]


@given(st.lists(st.text(min_size=1, max_size=300).map(note), max_size=20), st.integers(1, 500))
def test_whatever_is_noted_stays_within_the_budget(notes: list[Note], budget: int) -> None:
    text = told(tuple(notes), budget)
    assert len(text) <= budget * CHARS_PER_TOKEN
    assert text == told(tuple(notes), budget)
