"""`AGENTS.md` and `CLAUDE.md`: what a project tells the agents that work in it.

From the root of the repository down to the working directory, so that the nearest has the last
word. Without a repository, from the root of the file system. What cannot be read, is no plain file,
belongs to somebody else or leads out of the repository is passed over in silence.
"""

import codecs
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from hearth.settings.reading import first_bytes
from hearth.settings.walking import ancestors

NAMES: Final = ("AGENTS.md", "CLAUDE.md")
"""In the order in which those of one folder are told."""

LARGEST: Final = 32_768
"""So many bytes of each are told."""
MOST: Final = 40
"""So many files are told; of more the nearest ones."""
_BOM: Final = "\ufeff"


@dataclass(frozen=True)
class InstructionFile:
    """What one file says."""

    path: str
    """From the root of the repository; without one, from the working directory."""
    text: str
    sha256: str
    """Of its first bytes: as many as are told at most."""
    size: int
    """Of the whole file, in bytes."""
    truncated: bool = False


@dataclass(frozen=True)
class _Found:
    """A file that may be told, and how it is known again under another name."""

    file: InstructionFile
    identity: tuple[int, int]


def find_instructions(directory: Path) -> tuple[InstructionFile, ...]:
    """What agents in this directory are told by files, the most general first. Never fails.

    The same file is told once, however many names lead to it. May wait for the disk.
    """
    try:
        here = Path(os.path.realpath(directory))
    except (OSError, ValueError):  # a path that no system takes: nothing is there
        return ()
    folders = list(ancestors(here))
    root = next((one for one in folders if _is_repository(one)), None)
    if root is not None:
        folders = folders[: folders.index(root) + 1]
    owners = {os.geteuid(), 0, *_owner(here)}
    found: dict[tuple[int, int], InstructionFile] = {}
    for folder in reversed(folders):
        for one in _in_folder(folder, root or folder, owners):
            path = os.path.relpath(folder / one.file.path, root or here)
            found.setdefault(one.identity, replace(one.file, path=_shown(path)))
    return tuple(found.values())[-MOST:]


def _is_repository(folder: Path) -> bool:
    """Whether a repository begins here: `.git` is a folder, or a file in a further worktree."""
    try:
        return stat.S_IFMT((folder / ".git").stat().st_mode) in {stat.S_IFDIR, stat.S_IFREG}
    except OSError:
        return False  # not there, or not for us to see


def _owner(folder: Path) -> Iterator[int]:
    try:
        yield folder.stat().st_uid
    except OSError:
        return  # it is not there: then nobody's files count but ours


def _in_folder(folder: Path, within: Path, owners: set[int]) -> Iterator[_Found]:
    """What is told of one folder: both files, unless they say the same."""
    texts: set[str] = set()
    for name in NAMES:
        found = _read(folder / name, within, owners)
        if found is not None and found.file.text.strip() and found.file.text not in texts:
            texts.add(found.file.text)
            yield found


def _read(path: Path, within: Path, owners: set[int]) -> _Found | None:
    try:
        # In a folder that many may write to, like /tmp, anybody could leave instructions for us, or
        # a link that has us tell a file of our own.
        if os.lstat(path).st_uid not in owners:
            return None
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(within):
            return None  # a link could lead to any secret of the person's
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None  # not there, or closed to us
    try:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode) or known.st_uid not in owners:
            return None
        content = first_bytes(descriptor, LARGEST + 1)
    except OSError:
        return None  # it cannot be read after all
    finally:
        os.close(descriptor)
    return _Found(_told(path.name, content, known.st_size), (known.st_dev, known.st_ino))


def _told(name: str, content: bytes, size: int) -> InstructionFile:
    is_cut, told = len(content) > LARGEST, content[:LARGEST]
    # Half a character at the cut is left out; what is no UTF-8 at all is shown as such.
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(told, final=not is_cut)
    text = text.removeprefix(_BOM)
    if is_cut:
        text = f"{text}\n[cut: {LARGEST:,} of {max(size, len(content)):,} bytes are shown]"
    return InstructionFile(name, text, sha256(told).hexdigest(), size, is_cut)


def _shown(path: str) -> str:
    """A path as text: half characters of strange names cannot be told."""
    return os.fsencode(path).decode("utf-8", "replace")
