"""A defect is told in a line, and kept whole for whoever mends it."""

from pathlib import Path

import pytest

from hearth.daemon import defects


def broken() -> ZeroDivisionError:
    try:
        _ = 1 / 0
    except ZeroDivisionError as error:
        return error
    raise AssertionError


def test_a_person_reads_one_line_and_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "home"))
    defects.tell(broken())
    told = capsys.readouterr()
    assert told.out == ""
    what, hint = told.err.splitlines()
    assert what == "error: something is wrong in hearth itself: ZeroDivisionError: division by zero"
    kept = tmp_path / "home" / "logs" / "defects.log"
    assert hint.startswith(f"hint: {kept} ")
    assert "Traceback" in kept.read_text()
    assert "in broken" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_where_nothing_can_be_written_it_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path / "file"))
    defects.tell(broken())
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_what_is_kept_does_not_grow_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path))
    monkeypatch.setattr(defects, "LARGEST", 1000)
    for _ in range(20):
        defects.tell(broken())
    assert (tmp_path / "logs" / "defects.log").stat().st_size < 3000
