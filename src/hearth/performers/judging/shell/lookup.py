"""Where the shell finds the program that a name means."""

import os
import re
from functools import lru_cache
from typing import Final

from hearth.performers.judging.paths import Place

_BUILT_IN: Final = frozenset(
    {
        ":", "[", "break", "cd", "command", "continue", "echo", "exit", "false", "printf", "pwd",
        "read", "return", "test", "true", "type",
    }
)  # fmt: skip
"""Never looked for by the shell."""

_SHIMS: Final = re.compile(r"/shims/[^/]+\Z")
_OF_PYENV: Final = re.compile(r"/\.?pyenv/(?:plugins/[^/]+/)?shims/[^/]+\Z")
"""It takes no other than one of those that were installed with it."""
_SHIM: Final = "shim"
"""In the place of a path: a program that runs another, by what it finds where it is run."""


def is_of_project(name: str, place: Place, *, by_shell: bool = True) -> bool:
    """Whether a name may mean a program that is in the project, so that nobody knows what it does.

    It is looked for as the shell does, by the PATH of this process. What is not run by the shell
    itself, but by another program, is never built in. A shim (of asdf, mise, volta) counts as one:
    files of the project tell it what to run.
    """
    if by_shell and name in _BUILT_IN:
        return False
    path = os.environ.get("PATH", os.defpath)
    if not _leads_into(path, place.roots):
        program = _first(path, name)
        return program == _SHIM or (program != "" and place.relative(program) is not None)
    for folder in path.split(":"):
        if not folder.startswith("/"):
            return True  # the shell looks where it is, which is in the project
        if os.path.lexists(found := f"{folder}/{name}"):
            real = os.path.realpath(found)
            return (
                _is_shim(found, real)
                or _is_in(real, place.roots)
                or _is_in(os.path.realpath(folder), place.roots)
            )
    return False


@lru_cache(64)
def _leads_into(path: str, roots: tuple[str, ...]) -> bool:
    """Whether programs are looked for in the project."""
    folders = path.split(":")
    return any(
        not folder.startswith("/")
        or _is_in(folder, roots)
        or _is_in(os.path.realpath(folder), roots)
        for folder in folders
    )


@lru_cache(4096)
def _first(path: str, name: str) -> str:
    """What the first program of a name, outside of the project, really is; "" if there is none.

    Who can change that needs no trick, so it is not looked at again and again.
    """
    found = (f"{folder}/{name}" for folder in path.split(":"))
    first = next((one for one in found if os.path.lexists(one)), "")
    real = os.path.realpath(first) if first else ""
    return _SHIM if _is_shim(first, real) else real


def _is_shim(found: str, real: str) -> bool:
    is_one = _SHIMS.search(found) or _SHIMS.search(real) or real.endswith("-shim")
    return bool(is_one) and _OF_PYENV.search(found) is None


def _is_in(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(f"{root.rstrip('/')}/") for root in roots)
