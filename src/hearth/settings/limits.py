"""What holds for interpreters when nobody sets it, so that a project cannot loosen even that."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from hearth.settings.checking import Value

UNLIMITED: Final = "unlimited"
MOST_MEMORY: Final = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 4 // 5

BUILT_IN: Final[Mapping[str, float]] = MappingProxyType(
    {
        "interpreter.memory": MOST_MEMORY,
        "interpreter.processes": 500,
        "interpreter.output": 4 << 20,
        "interpreter.displays": 32 << 20,
        "interpreter.orphanAfter": 600.0,
        "interpreter.spares": 1,
        "interpreter.idleTemplate": 900.0,
        "interpreter.warmUp": 120.0,
        "interpreter.killAfter": 10.0,
        "interpreter.copies": 10,
        "interpreter.copyBytes": 1 << 30,
        "interpreter.answer": 2.0,
    }
)
"""The same as the defaults of the interpreters' preferences; a test holds them together."""


def amount(value: Value) -> float:
    """A limit as a number, to compare it: no limit is more than any."""
    return value if isinstance(value, int | float) else float("inf")
