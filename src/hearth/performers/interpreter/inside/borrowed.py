"""ipykernel and what it stands on, taken from hearth's environment where the project has none.

What the project has stays the project's: a borrowed module is looked for last, except those of
ipykernel itself that are too old to be used.
"""

import importlib.metadata
import os
import re
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Final

VARIABLE: Final = "HEARTH_BORROW"
OLDEST: Final = {"ipykernel": 7, "jupyter_client": 8, "IPython": 8}
CLOSURE: Final = frozenset(
    {
        "ipykernel",
        "ipykernel_launcher",
        "IPython",
        "jupyter_client",
        "jupyter_core",
        "traitlets",
        "zmq",
        "tornado",
        "comm",
        "debugpy",
        "psutil",
        "matplotlib_inline",
        "nest_asyncio",
        "nest_asyncio2",
        "dateutil",
        "six",
        "decorator",
        "pexpect",
        "ptyprocess",
        "prompt_toolkit",
        "pygments",
        "stack_data",
        "executing",
        "asttokens",
        "pure_eval",
        "wcwidth",
        "jedi",
        "parso",
        "ipython_pygments_lexers",
        "backcall",
        "pickleshare",
        "platformdirs",
        "packaging",
        "typing_extensions",
        "exceptiongroup",
        "colorama",
        "appnope",
    }
)


class _Lender(MetaPathFinder):
    """Finds modules of certain packages in one folder, whatever sys.path says."""

    def __init__(self, folder: str, names: frozenset[str]) -> None:
        self._folder = folder
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Only whole packages: what is inside one is found by its own path."""
        if path is not None or fullname not in self._names:
            return None
        return PathFinder.find_spec(fullname, [self._folder], target)


def borrow() -> None:
    """Make ipykernel importable, or end with one line that says what would help."""
    version = _own("ipykernel")
    if version is not None and version >= OLDEST["ipykernel"]:
        return
    folder = os.environ.get(VARIABLE, "")
    problem = _unfit(folder)
    if problem:
        python = ".".join(map(str, sys.version_info[:2]))
        having = "has none" if version is None else f"has version {version}"
        raise SystemExit(
            f"a session needs ipykernel {OLDEST['ipykernel']} or newer, and {sys.executable} "
            f"(Python {python}) {having}; {problem}; "
            f"hint: {sys.executable} -m pip install 'ipykernel>={OLDEST['ipykernel']}'"
        )
    outdated = frozenset(name for name, oldest in OLDEST.items() if _is_older(name, oldest))
    if outdated:
        sys.meta_path.insert(0, _Lender(folder, outdated))
    sys.meta_path.append(_Lender(folder, CLOSURE))


def _own(name: str) -> int | None:
    """The main version of what the project itself has; read, not imported: that takes long."""
    spec = PathFinder.find_spec(name)
    if spec is None or not spec.origin:
        return None
    try:
        text = (Path(spec.origin).parent / "_version.py").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(r"""^__version__\s*=\s*["'](\d+)""", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _is_older(name: str, oldest: int) -> bool:
    try:
        return int(importlib.metadata.version(name).split(".", 1)[0]) < oldest
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return False


def _unfit(folder: str) -> str:
    """Why nothing can be borrowed from there; empty if it can."""
    if not folder:
        return "nothing was offered to borrow"
    here = sys.version_info[:2]
    named = re.search(r"python(\d+)\.(\d+)", folder)
    if named and tuple(map(int, named.groups())) != here:
        return f"hearth's own is for Python {'.'.join(named.groups())}"
    backend = Path(folder) / "zmq" / "backend" / "cython"
    if not any(path.name.endswith(tuple(EXTENSION_SUFFIXES)) for path in backend.glob("_zmq*")):
        return f"{folder} holds none that this Python can load"
    return ""
