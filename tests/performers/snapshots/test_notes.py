"""What is noted beside the states."""

from pathlib import Path

from hearth.performers.snapshots.notes import MOST_BEGUN, Notes


def test_what_was_left_out_of_a_state_is_known_until_it_is_forgotten(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    assert notes.left_out_of("t1") == frozenset()
    notes.add_left_out("t1", [])
    assert list(tmp_path.iterdir()) == []
    notes.add_left_out("t1", [b"big", b"two\nlines"])
    notes.add_left_out("t1", [b"big", b"\xff"])
    assert Notes(tmp_path).left_out_of("t1") == {b"big", b"two\nlines", b"\xff"}
    assert notes.left_out_of("t2") == frozenset()
    notes.forget("t1")
    notes.forget("t1")
    assert notes.left_out_of("t1") == frozenset()


def test_only_unusual_permissions_are_noted(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.add_modes({})
    notes.add_modes({b"a": 0o644, b"b": 0o755})
    assert list(tmp_path.iterdir()) == []
    notes.add_modes({b"key": 0o600, b"\xff": 0o700})
    notes.add_modes({b"a": 0o444})
    assert Notes(tmp_path).modes() == {b"key": 0o600, b"\xff": 0o700, b"a": 0o444}
    notes.add_modes({b"key": 0o644})
    assert notes.modes() == {b"\xff": 0o700, b"a": 0o444}


def test_broken_notes_are_as_none(tmp_path: Path) -> None:
    (tmp_path / "modes.json").write_text("[1")
    assert Notes(tmp_path).modes() == {}
    (tmp_path / "modes.json").write_text("[1]")
    assert Notes(tmp_path).modes() == {}
    Notes(tmp_path).add_modes({b"key": 0o600})
    assert Notes(tmp_path).modes() == {b"key": 0o600}


def test_what_rewinds_began_with_is_known_of_the_newest(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    assert notes.begun() == {}
    for number in range(MOST_BEGUN + 1):
        notes.begin(f"question-{number}", f"{number}")
    known = Notes(tmp_path).begun()
    assert len(known) == MOST_BEGUN
    assert "question-0" not in known
    assert known["question-1"] == "1"
    (tmp_path / "begun.json").write_text("[")
    assert notes.begun() == {}
