import errno
import os
import threading
from pathlib import Path

import pytest

from hearth.performers.tools.files.opening import NotOpened
from hearth.performers.tools.files.replacing import replace


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_new_file_is_made_with_its_folders(tmp_path: Path) -> None:
    replace(str(tmp_path / "a" / "b" / "new"), None, b"content")
    assert (tmp_path / "a" / "b" / "new").read_bytes() == b"content"
    assert names(tmp_path / "a" / "b") == ["new"]
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "a" / "b" / "new").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_file_is_replaced_as_a_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"old")
    file.chmod(0o750)
    replace(str(file), b"old", b"new and longer")
    assert file.read_bytes() == b"new and longer"
    assert file.stat().st_mode & 0o7777 == 0o750
    assert names(tmp_path) == ["run.sh"]


def test_what_changed_in_between_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"of somebody else")
    for before in (b"old", None, b"of somebody els"):
        with pytest.raises(NotOpened, match="changed in this very moment"):
            replace(str(file), before, b"new")
    assert file.read_bytes() == b"of somebody else"
    assert names(tmp_path) == ["a"]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    (tmp_path / "folder").symlink_to(tmp_path)
    for name, before in (("link", b"old"), ("link", None), ("nowhere", None), ("folder/x", None)):
        with pytest.raises(NotOpened):
            replace(str(tmp_path / name), before, b"new")
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["folder", "link", "nowhere", "target"]


def test_another_name_of_the_same_file_keeps_what_it_had(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"old")
    os.link(tmp_path / "outside", tmp_path / "inside")
    replace(str(tmp_path / "inside"), b"old", b"new")
    assert (tmp_path / "outside").read_bytes() == b"old"
    assert (tmp_path / "inside").read_bytes() == b"new"


@pytest.mark.parametrize("before", [b"old", None])
@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes | None, failing: str
) -> None:
    file = tmp_path / "a"
    if before is not None:
        file.write_bytes(before)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(NotOpened, match=r"the disk is full\. What was there is unchanged"):
        replace(str(file), before, b"new")
    monkeypatch.undo()
    assert names(tmp_path) == ([] if before is None else ["a"])
    assert before is None or file.read_bytes() == before


def test_a_file_system_without_hard_links_is_written_to_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", unable)
    replace(str(tmp_path / "a"), None, b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_file_that_may_not_be_written_to_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old")
    real = os.open

    def closing(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "a" and flags & os.O_WRONLY:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", closing)
    with pytest.raises(NotOpened, match="permission denied"):
        replace(str(file), b"old", b"new")
    assert file.read_bytes() == b"old"


def test_a_file_that_is_swapped_for_a_link_again_and_again_is_never_written_through(
    tmp_path: Path,
) -> None:
    outside, file = tmp_path / "outside", tmp_path / "file"
    outside.write_bytes(b"old")
    file.write_bytes(b"old")
    (tmp_path / "link").symlink_to(outside)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            file.rename(tmp_path / "aside")
            (tmp_path / "link").rename(file)
            file.rename(tmp_path / "link")
            (tmp_path / "aside").rename(file)

    swapping = threading.Thread(target=swap)
    swapping.start()
    content = b"old"
    try:
        for number in range(300):
            try:
                replace(str(file), content, following := b"%d" % number)
                content = following
            except NotOpened:
                continue
    finally:
        over.set()
        swapping.join(20)
    assert outside.read_bytes() == b"old"
    assert not [name for name in names(tmp_path) if name.startswith(".hearth-")]
