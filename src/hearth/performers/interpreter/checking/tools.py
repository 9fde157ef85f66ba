"""Where ruff and ty are, and the environment that they run in."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from hearth.performers.sandbox.environment import scrubbed


class Unavailable(Exception):
    """A tool cannot be asked; the text says why and what would help, for people."""


def find(tool: str) -> str:
    """The path of a tool: the one that was installed beside hearth, else one on the PATH."""
    beside = Path(sys.executable).parent / tool
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which(tool)
    if found is None:
        raise Unavailable(f"{tool} is not installed; `pip install {tool}` beside hearth would help")
    return found


def environment(given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The daemon's environment without what would change the findings behind our back."""
    variables = os.environ if given is None else given
    return {
        name: value
        for name, value in scrubbed(variables).items()
        if not name.startswith(("RUFF_", "TY_")) and name not in {"VIRTUAL_ENV", "CONDA_PREFIX"}
    }
