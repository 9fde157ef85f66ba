"""Being alone with a file."""

import os
import threading
from pathlib import Path

import pytest

from hearth.daemon import locking
from hearth.settings import changing
from hearth.settings.changing import alone_with


def test_nobody_else_is_with_the_file_meanwhile(tmp_path: Path) -> None:
    file, threads = tmp_path / "home" / "book.json", threading.Lock()
    with alone_with(file, threads):
        assert threads.locked()
        assert file.parent.stat().st_mode & 0o777 == 0o700
        assert locking.take(str(file.with_suffix(".lock")), 0) is None
    assert not threads.locked()
    held = locking.take(str(file.with_suffix(".lock")), 0)
    assert held is not None
    os.close(held)


def test_whoever_fails_lets_the_next_one_in(tmp_path: Path) -> None:
    file, threads = tmp_path / "book.json", threading.Lock()
    with pytest.raises(KeyError), alone_with(file, threads):
        raise KeyError
    with alone_with(file, threads):
        assert threads.locked()


def test_one_who_does_not_end_is_named_by_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "book.json"
    monkeypatch.setattr(changing, "PATIENCE", 0.0)
    with (
        alone_with(file, threading.Lock()),
        pytest.raises(TimeoutError, match=r"book\.json is being written to by somebody else"),
        alone_with(file, threading.Lock()),
    ):
        pass
