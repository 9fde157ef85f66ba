"""Projects that the tests of states make, look at and turn upside down."""

import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from hearth.performers.snapshots.git import Deadline, Git, find_git


class Thing(NamedTuple):
    """A file or a link, as far as it is kept."""

    kind: str
    content: bytes
    is_program: bool = False


def things(root: Path) -> dict[bytes, Thing]:
    """All files and links of a project, but for git's own."""
    found = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if one != ".git"]
        for path in (Path(folder, name) for name in (*files, *folders)):
            status = path.lstat()
            within = os.fsencode(path.relative_to(root))
            if stat.S_ISLNK(status.st_mode):
                found[within] = Thing("link", os.fsencode(path.readlink()))
            elif stat.S_ISREG(status.st_mode):
                found[within] = Thing("file", path.read_bytes(), bool(status.st_mode & 0o100))
    return found


def within(root: Path, path: bytes) -> Path:
    """Where something is; its name need not be text."""
    return root / os.fsdecode(path)


def clear(path: Path) -> None:
    """Take away whatever is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def put(root: Path, path: bytes, thing: Thing) -> None:
    """Put a file or a link there, whatever was there or on the way."""
    whole = within(root, path)
    for folder in reversed([one for one in whole.parents if one.is_relative_to(root)]):
        if folder.is_symlink() or not folder.is_dir():
            clear(folder)
            folder.mkdir()
    clear(whole)
    if thing.kind == "link":
        whole.symlink_to(os.fsdecode(thing.content))
    else:
        whole.write_bytes(thing.content)
        whole.chmod(0o755 if thing.is_program else 0o644)


def project(folder: Path, **files: str) -> Path:
    """A project with these files, named without their endings."""
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def git_for(folder: Path, root: Path, seconds: float = 30) -> Git:
    """The git of this machine with a repository that is there already, or will be."""
    return Git(find_git(root, os.environ.get("PATH")), folder, root, Deadline(seconds))
