"""The way into every process of an interpreter: a script that is run by its path, in what it finds.

Light to import: a daemon uses it before it has imported anything else.
"""

import os
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.inside import launch
from hearth.performers.sandbox.environment import scrubbed

LAUNCHER: Final = Path(launch.__file__)
BORROW: Final = "HEARTH_BORROW"

TUNABLES: Final = "GLIBC_TUNABLES"
_HUGE: Final = "glibc.malloc.hugetlb"
"""Whether what is allocated at once may lie in huge pages."""

NOT_PASSED_ON: Final = frozenset({"PYTHONHOME", "VIRTUAL_ENV", "PYTEST_CURRENT_TEST"})
"""They tell of the process we run in, and the last makes ipykernel capture less."""


def environment_of(python: str, keep: Sequence[str] = ()) -> dict[str, str]:
    """What a process of this interpreter finds in its environment.

    Secrets stay outside, but for those that a person wants to `keep`; hearth's own settings always:
    they tell where the log is, and hold passwords.
    """
    found = scrubbed(os.environ, keep)
    kept = {name: value for name, value in found.items() if name not in NOT_PASSED_ON}
    home = Path(python).parent.parent
    if (home / "pyvenv.cfg").exists():
        kept["VIRTUAL_ENV"] = str(home)
        kept["PATH"] = os.pathsep.join((str(home / "bin"), kept.get("PATH", os.defpath)))
    # Before matplotlib is imported: afterwards its pictures would go nowhere.
    kept.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    return kept


def launcher_environment(python: str) -> dict[str, str]:
    """What the launcher finds: also where it may borrow what the project lacks.

    To copy an interpreter is to copy the table of its pages. In huge ones 500 MB are copied in less
    than a millisecond, else in 15. The C library reads this as a process starts; code and what it
    starts find their own environment, which does not have it.
    """
    found = environment_of(python)
    said = [one for one in found.get(TUNABLES, "").split(":") if one]
    if not any(one.startswith(f"{_HUGE}=") for one in said):
        said.append(f"{_HUGE}=1")
    return {**found, BORROW: sysconfig.get_path("purelib"), TUNABLES: ":".join(said)}
