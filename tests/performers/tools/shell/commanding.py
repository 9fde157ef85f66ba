"""Real commands for tests, and what is left of them."""

import os
import shutil
from pathlib import Path

from hearth.performers.tools.shell.program import Launch

BASH = shutil.which("bash") or "/bin/bash"
LIMIT = 30
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/", "LANG": "C.UTF-8"}


def bash(command: str, directory: Path | str = "/") -> Launch:
    """What runs a command without a sandbox."""
    argv = (BASH, "--noprofile", "--norc", "-c", "--", command)
    return Launch(argv, str(directory), ENVIRONMENT)


def is_running(pid: int) -> bool:
    """Whether it is there and has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def pids_in(file: Path) -> list[int]:
    """The processes that wrote their number down."""
    return [int(word) for word in file.read_text().split()]
