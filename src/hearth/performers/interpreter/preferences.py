"""How interpreters are run: limits, patience and what is kept ready."""

import os
from typing import Final

import msgspec

MIB: Final = 1 << 20
MOST_MEMORY: Final = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 4 // 5
"""So much of the machine a single session may have: the rest keeps everyone else alive."""


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may want otherwise. Times are seconds, sizes bytes; None is no limit."""

    memory: int | None = MOST_MEMORY
    """Of one session with everything it started; over it, the session is ended."""
    processes: int | None = 500
    output: int = 4 * MIB
    """Printed text that is kept of one cell; the rest is counted."""
    displays: int = 32 * MIB
    """Pictures, tables and the like that are kept of one cell."""
    orphan_after: float = 600.0
    """An interpreter that no daemon comes back to ends itself after this time."""
    spares: int = 1
    """Started interpreters that wait for a session, per environment."""
    idle_template: float = 900.0
    """What is kept ready and not used for so long goes away."""
    warm_up: float = 120.0
    kill_after: float = 10.0
    """A cell that nothing stops costs its session the interpreter after this time."""
    copies: int = 10
    """So many frozen copies are kept to take cells back; the oldest goes first."""
    copy_bytes: int = 1024 * MIB
    """So much memory they may cost together."""
    answer: float = 2.0
    """So long a question about code waits for the interpreter."""
