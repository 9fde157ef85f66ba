"""What keeps an interpreter apart from the rest of the machine."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec


class Walls(msgspec.Struct, frozen=True, kw_only=True):
    """How far an interpreter is kept apart."""

    contained: bool = False
    """It runs in the sandbox: it writes to its project, and sees no keys and no other processes."""
    network: bool = False
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    """Variables that it gets although they look like secrets; `*` stands for anything."""


NONE: Final = Walls()
WallsOf: TypeAlias = Callable[[str], Walls]
"""What is wanted for interpreters of the project in this root, or of none (""). In a thread."""


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """The place of an interpreter that is contained."""

    walls: Walls = NONE
    directory: str = "/"
    root: str = ""
    """What it may write to; empty: nothing."""
    shown: tuple[str, ...] = ()
    """Start-up files of the person's, which are hearth's own and hidden otherwise."""


OPEN: Final = Ground()
"""Nowhere in particular: without walls."""
