"""Puts new content in the place of a file: whole or not at all, and only where it was allowed."""

import contextlib
import errno
import os
import secrets
import stat
from typing import Final

from hearth.performers.tools.files.opening import (
    NotOpened,
    check_regular,
    identity,
    opened,
    parent_of,
    sentence,
    shown,
)

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ADDRESSED: Final = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})
"""What a file system says that has no hard links."""


def replace(path: str, before: bytes | None, after: bytes) -> None:
    """Write a file anew. Durable when this returns. NotOpened, and then nothing has changed.

    `before` is what must still be there, None for nothing at all; folders are then made. The mode
    and the owner stay what they are.
    """
    with parent_of(path, make=before is None) as (folder, name):
        try:
            if before is None:
                _create(folder, name, path, after)
            else:
                _exchange(folder, name, path, before, after)
            _sync(folder)
        except OSError as error:
            raise NotOpened(sentence(error, path)) from None


def changed(path: str) -> NotOpened:
    """What to say when somebody else was there in between."""
    return NotOpened(
        f"{shown(path)} changed in this very moment. Nothing was written: read it again."
    )


def _create(folder: int, name: str, path: str, content: bytes) -> None:
    if _about(folder, name) is not None:
        raise changed(path)
    # Of a mode as of any new file of this user.
    temporary = _written(folder, content, 0o666, None)
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise changed(path) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if _about(folder, name) is not None:
            raise changed(path) from None
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        _remove(folder, temporary)


def _exchange(folder: int, name: str, path: str, before: bytes, after: bytes) -> None:
    with opened(path) as file:
        if b"".join(file.chunks(len(before) + 1)) != before:
            raise changed(path)
        about = file.about
    # A new name in the folder needs no right to write to the file itself; we want that, too.
    os.close(os.open(name, _ADDRESSED, dir_fd=folder))
    temporary = _written(folder, after, 0o600, about)
    try:
        now = _about(folder, name)
        if now is None or identity(now) != identity(about):
            raise changed(path)
        check_regular(now, path)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        _remove(folder, temporary)


def _written(folder: int, content: bytes, mode: int, like: os.stat_result | None) -> str:
    """The name of a new file in the folder with this content, durable."""
    name = f".hearth-{secrets.token_hex(8)}"
    descriptor = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        if like is not None:
            _made_like(descriptor, like)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except BaseException:
        _remove(folder, name)
        raise
    finally:
        os.close(descriptor)
    return name


def _made_like(descriptor: int, like: os.stat_result) -> None:
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
        # Only some may give files away; then it is ours, as with every editor.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode) & 0o777)


def _about(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _remove(folder: int, name: str) -> None:
    # It has become the file, or it cannot be removed and what went wrong first is told.
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _sync(folder: int) -> None:
    """Make the new name durable, where the system can."""
    with contextlib.suppress(OSError):  # the content is durable; only the name may be the old one
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
