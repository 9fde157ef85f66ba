"""What code leaves behind under a name by which later cells are judged.

`Path`, `open`, `print` and their like are taken for what they should be wherever code does not
bind them itself. So a cell that makes something else of them for good is asked about.
"""

import sys
from typing import Final

from hearth.performers.judging.python_folding import Folding
from hearth.performers.judging.python_known import canonical, live_origin
from hearth.performers.judging.python_methods import TRUSTED
from hearth.performers.judging.python_names import Code
from hearth.performers.judging.python_needs import Needs
from hearth.performers.judging.python_scopes import Binding, How
from hearth.performers.judging.python_values import Known, Origin, PathAt, Several, Value

_CANNOT_BE_CALLED: Final = (Known, PathAt, Several)


def look_at_lasting(code: Code, folding: Folding, needs: Needs) -> None:
    """Ask about each name that will not be what it is taken for."""
    for name in TRUSTED & code.module.bindings.keys():
        for binding in code.module.bindings[name]:
            if binding.node is not None and not _is_as_taken(name, binding, folding):
                doubt = f"later cells would be judged as if {name} were still what it was"
                needs.doubt(binding.node, doubt)


def _is_as_taken(name: str, binding: Binding, folding: Folding) -> bool:
    meant = live_origin(name) or f"builtins.{name}"
    if name == "__file__":
        return False  # paths are made of it
    match binding.how:
        case How.GONE:
            return True  # what it was before counts again, or nothing
        case How.IMPORT:
            # What modules of projects do when they are imported is not seen either.
            top = binding.origin.partition(".")[0]
            return canonical(binding.origin) == meant or top not in sys.stdlib_module_names
        case How.VALUE if binding.source is not None:
            return all(_is_harmless(one, meant) for one in folding.values(binding.source))
        case _:
            return False


def _is_harmless(value: Value, meant: str) -> bool:
    return isinstance(value, _CANNOT_BE_CALLED) or value == Origin(meant)
