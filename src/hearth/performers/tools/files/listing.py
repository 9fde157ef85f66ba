"""Which files are below a folder: what git does not ignore, or all, and never through links."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from hearth.performers.snapshots.pipes import let_through
from hearth.performers.tools.files.allowed import below
from hearth.performers.tools.files.programs import Bounds, path_of, program, run

MOST: Final = 200_000
"""So many files are listed."""
_DEEPEST: Final = 60
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LEFT_OUT: Final = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache",
        ".ruff_cache", ".pytest_cache", ".tox", ".nox",
    }
)  # fmt: skip
"""What nobody looks for, where git does not say what is ignored."""
_SAFELY: Final = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
)  # fmt: skip
"""What a repository may not have git do."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files below a folder, by their paths from there, sorted."""

    files: list[str]
    by_git: bool = False
    """Without what git ignores."""
    is_cut: bool = False
    """There are more."""


async def listed(folder: int, root: str, *, ignored: bool, bounds: Bounds | None = None) -> Listing:
    """What is below an open folder; with `ignored` also what git ignores."""
    if not ignored:
        found = await _by_git(folder, root, bounds or Bounds())
        if found is not None and found.files:
            return await asyncio.to_thread(_with_nested, folder, found)
        # Where git knows of nothing, the folder itself is ignored, or new and empty.
    return await asyncio.to_thread(_walked, folder, ignored=ignored)


async def _by_git(folder: int, root: str, bounds: Bounds) -> Listing | None:
    git = await asyncio.to_thread(program, "git", root)
    if git is None:
        return None
    command = (
        git, *_SAFELY, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
        "--deduplicate",
    )  # fmt: skip
    try:
        here = await asyncio.to_thread(os.path.realpath, path_of(folder))
        with let_through(Path(root if root and below(here, root) else here)):
            ran = await run(command, folder, None, bounds)
    except (OSError, ValueError):
        return None  # it cannot be started: then we look ourselves
    if ran.code != 0 and not ran.is_cut:
        return None  # no repository, or one of somebody whom git does not trust
    names = os.fsdecode(ran.output).split("\0")[:-1]
    return Listing(sorted(names)[:MOST], by_git=True, is_cut=ran.is_cut or len(names) > MOST)


def _with_nested(folder: int, found: Listing) -> Listing:
    """Of a repository within this one, which git only names, its files."""
    nested = [name for name in found.files if name.endswith("/")]
    if not nested:
        return found
    files = [name for name in found.files if not name.endswith("/")]
    for name in nested:
        inside = _below(folder, name)
        if inside is None:
            continue
        try:
            files += islice(walk(inside, ignored=False, above=name), MOST + 1 - len(files))
        finally:
            os.close(inside)
    return Listing(sorted(files)[:MOST], by_git=True, is_cut=found.is_cut or len(files) > MOST)


def _below(folder: int, path: str) -> int | None:
    """A folder below an open one, through no link; None if it is none any more."""
    descriptor = os.dup(folder)
    try:
        for part in path.strip("/").split("/"):
            following = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = following
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _walked(folder: int, *, ignored: bool) -> Listing:
    files: list[str] = []
    for path in walk(folder, ignored=ignored):
        if len(files) == MOST:
            return Listing(sorted(files), is_cut=True)
        files.append(path)
    return Listing(sorted(files))


def walk(folder: int, *, ignored: bool, above: str = "", depth: int = 0) -> Iterator[str]:
    """Every file below an open folder, links by their own names."""
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    yield f"{above}{entry.name}"
                elif entry.name != ".git" and (ignored or entry.name not in _LEFT_OUT):
                    folders.append(entry.name)
    except OSError:
        return  # what may not be looked at is not listed
    for name in folders if depth < _DEEPEST else ():
        try:
            inside = os.open(name, _FOLDER, dir_fd=folder)
        except OSError:
            continue  # it is closed to us, gone, or a link by now
        try:
            yield from walk(inside, ignored=ignored, above=f"{above}{name}/", depth=depth + 1)
        finally:
            os.close(inside)
