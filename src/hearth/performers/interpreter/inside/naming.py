"""Which names of a session are the user's, and which are there for IPython."""

import re
from typing import Any

from .describing import MISSING

_INTERNAL = frozenset(
    {"In", "Out", "exit", "quit", "get_ipython", "_", "__", "___", "_ih", "_oh", "_dh"}
    | {"_i", "_ii", "_iii", "_exit_code", "__name__", "__doc__", "__package__", "__loader__"}
    | {"__spec__", "__builtin__", "__builtins__", "__session__", "__annotations__", "__file__"}
    | {"__vsc_ipynb_file__", "__conditional_annotations__"}
)
_NUMBERED = re.compile(r"_i?\d+")


def own_names(shell: Any) -> dict[str, Any]:
    """A copy of what the user defined or imported at the top level, in the order of its making."""
    hidden = getattr(shell, "user_ns_hidden", None)
    hidden = dict(hidden) if type(hidden) is dict else {}
    return {
        name: value
        for name, value in snapshot(shell).items()
        if name not in _INTERNAL
        and not _NUMBERED.fullmatch(name)
        # IPython's own until the user binds the name anew.
        and hidden.get(name, MISSING) is not value
    }


def snapshot(shell: Any) -> dict[str, Any]:
    """Every name at the top level now; cells may go on binding names meanwhile."""
    for _ in range(3):
        try:
            return {name: value for name, value in dict(shell.user_ns).items() if type(name) is str}
        except RuntimeError:  # A mapping that is no plain dict changed while it was copied.
            continue
    return {}
