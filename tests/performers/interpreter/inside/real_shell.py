"""IPython's own shell, without a history and away from anybody's home."""

import importlib
from pathlib import Path
from typing import Any


def real_shell(folder: Path) -> Any:
    """A shell that keeps what it writes in the folder."""
    # By name: IPython's classes are only partly typed.
    shells = importlib.import_module("IPython.core.interactiveshell")
    config = importlib.import_module("traitlets.config").Config()
    config.HistoryManager.enabled = False
    return shells.InteractiveShell(ipython_dir=str(folder), config=config)
