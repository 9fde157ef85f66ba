"""What code has open is written once and read by each for itself, however often it is copied."""

import fcntl
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside import trapped
from tests.performers.interpreter.inside.copies import branch, copies, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, worker

from hearth.performers.interpreter.inside import descriptors, files

LINES = "".join(f"line {number}\n" for number in range(20_000))


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        yield made.ready()


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text(LINES)
    return path


def _app(folder: Path, **names: Any) -> Any:
    return SimpleNamespace(folder=folder, shell=SimpleNamespace(user_ns=names))


@pytest.mark.parametrize("how", ["'w'", "'wb'", "'a'", "'w+'", "'r+b'"])
def test_what_waited_to_be_written_is_not_written_again_by_what_is_woken(
    one: Worker, tmp_path: Path, how: str
) -> None:
    path = tmp_path / "written"
    path.touch()
    as_it_takes = "text.encode()" if "b" in how else "text"
    one.run(f"f = open({str(path)!r}, {how})\ndef put(text): f.write({as_it_takes})")
    one.run("put('before '); 1")
    one.run("put('taken back '); f.flush()", copy="a")
    undo(one, "a")
    one.run("put('after'); f.close()")
    assert path.read_text() == "before taken back after"


def test_what_waited_is_not_written_again_by_a_branch(one: Worker, tmp_path: Path) -> None:
    path = tmp_path / "written"
    one.run(f"f = open({str(path)!r}, 'w'); f.write('before ')")
    with branch(one, one.folder.parent) as other:
        other.run("f.write('there '); f.close()")
        one.run("f.write('here'); f.close()")
    assert path.read_text() == "before there here"


def test_what_waits_out_of_sight_is_not_written_again(one: Worker, tmp_path: Path) -> None:
    path = tmp_path / "written"
    one.run(f"hidden = [open({str(path)!r}, 'w')]; hidden[0].write('before ')")
    one.run("hidden[0].write('more ')", copy="a")
    one.run("hidden[0].write('taken back '); hidden[0].flush()", copy="b")
    undo(one, "b")
    one.run("hidden[0].write('after'); hidden[0].close()")
    assert path.read_text() == "before more taken back after"


class Looks:
    """How often all objects were looked through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._objects = gc.get_objects
        monkeypatch.setattr(gc, "get_objects", self._look)
        monkeypatch.setattr(files, "_KNOWN", {})
        # What the tests themselves have open is not of concern.
        others, is_users = {fd for fd, _ in descriptors.listed()}, files.is_users
        monkeypatch.setattr(
            files, "is_users", lambda app, fd, kind: fd not in others and is_users(app, fd, kind)
        )

    def _look(self) -> list[Any]:
        self.count += 1
        return self._objects()


def test_a_file_is_looked_for_among_all_objects_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, app, path = Looks(monkeypatch), _app(tmp_path / "elsewhere"), tmp_path / "written"
    files.prepared(app)
    assert looks.count == 0
    hidden = [path.open("wb")]
    for text in (b"one ", b"two "):
        hidden[0].write(text)
        files.prepared(app)
    assert (looks.count, path.read_text()) == (1, "one two ")
    hidden[0].close()
    hidden = [path.open("ab")]
    hidden[0].write(b"three ")
    files.prepared(app)
    assert (looks.count, path.read_text()) == (2, "one two three ")
    hidden[0].close()
    files.prepared(app)
    assert files._KNOWN == {}


def test_a_class_that_cannot_be_hashed_is_not_in_the_way(one: Worker, tmp_path: Path) -> None:
    path = tmp_path / "written"
    one.run("class Kind(type):\n    __hash__ = None\nclass Odd(metaclass=Kind): pass\nodd = Odd()")
    one.run(f"hidden = [open({str(path)!r}, 'w')]; hidden[0].write('before ')")
    one.run("hidden[0].write('more ')", copy="odd")
    assert "odd" in copies(one)
    one.run("hidden[0].close(); del odd, Odd, Kind")


def test_no_code_of_any_class_runs_while_a_file_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, path, value = Looks(monkeypatch), tmp_path / "written", trapped.trapped()
    with path.open("wb") as hidden:
        hidden.write(b"one")
        files.prepared(_app(tmp_path / "elsewhere", value=value))
        assert (looks.count, path.read_text()) == (1, "one")
    assert trapped.touched == []


def test_text_that_has_a_name_is_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, path = Looks(monkeypatch), tmp_path / "written"
    with path.open("w") as named:
        named.write("one")
        files.prepared(_app(tmp_path / "elsewhere", named=named))
        assert (looks.count, path.read_text()) == (0, "one")


def test_a_descriptor_that_nothing_writes_to_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, app = Looks(monkeypatch), _app(tmp_path / "elsewhere")
    fd = os.open(tmp_path / "database", os.O_RDWR | os.O_CREAT)
    for _ in range(3):
        files.prepared(app)
    assert looks.count == 1
    os.close(fd)


@pytest.mark.parametrize("how", ["'r'", "'rb'"])
def test_what_was_read_by_a_cell_that_is_taken_back_is_read_again(
    one: Worker, text: Path, how: str
) -> None:
    one.run(f"f = open({str(text)!r}, {how}); first = f.readline()")
    assert one.run("rest = f.read(); len(first) + len(rest)", copy="a").value == str(len(LINES))
    undo(one, "a")
    assert one.run("rest = f.read(); len(first) + len(rest)").value == str(len(LINES))


def test_a_branch_does_not_read_what_the_other_is_to_read(one: Worker, text: Path) -> None:
    one.run(f"f = open({str(text)!r}); f.readline()")
    text.unlink()  # what it is called is of no concern
    with branch(one, one.folder.parent) as other:
        assert other.run("len(f.read())").value == str(len(LINES) - len("line 0\n"))
        assert one.run("len(f.read())").value == str(len(LINES) - len("line 0\n"))


def test_only_what_is_read_alone_is_opened_anew(text: Path, tmp_path: Path) -> None:
    with text.open("rb", 0) as read, text.open("rb+", 0) as both, text.open("rb", 0) as twice:
        read.seek(7)
        twice.seek(9)
        duplicate = os.dup(twice.fileno())
        own = (tmp_path / "own").open("wb")
        found = {one.fd: one.place for one in files.prepared(_app(tmp_path / "elsewhere"))}
        assert found[read.fileno()] == 7
        assert not {both.fileno(), twice.fileno(), duplicate, own.fileno()} & set(found)
        # What lies in the kernel's own folder is none of code's.
        assert read.fileno() not in {one.fd for one in files.prepared(_app(tmp_path))}
        os.close(duplicate)
        own.close()


def test_one_that_is_separated_has_its_own_place(text: Path) -> None:
    with text.open("rb", 0) as first:
        first.seek(3)
        other = os.dup(first.fileno())
        files.separate([files.Opened(first.fileno(), os.O_RDONLY | os.O_CLOEXEC, 5)])
        assert (first.tell(), os.lseek(other, 0, os.SEEK_CUR)) == (5, 3)
        assert not os.get_inheritable(first.fileno())
        files.separate([files.Opened(10_000, os.O_RDONLY, 5)])  # nothing comes of one that is none
        os.close(other)


def test_a_lock_is_seen_as_long_as_it_is_held(text: Path) -> None:
    with text.open("rb") as file:
        assert not files.is_locked(file.fileno())
        fcntl.flock(file, fcntl.LOCK_SH)
        assert files.is_locked(file.fileno())
        fcntl.flock(file, fcntl.LOCK_UN)
        assert not files.is_locked(file.fileno())
    assert not files.is_locked(10_000)
