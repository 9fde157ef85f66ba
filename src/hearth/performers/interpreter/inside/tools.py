"""Makes `hearth_tools` importable: what MCP servers offer, as functions that code can call.

Nothing is on disk and nothing is read before somebody imports it. A module of that name which the
project or its environment has is found first.
"""

import importlib
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Final

NAME: Final = "hearth_tools"
SOCKET: Final = "tools"
"""Where the daemon listens, in the folder that this interpreter sees."""


_moved: dict[Path, Path] = {}
"""Where the daemon listens now for those who learned it before this process became a branch."""


def here(folder: Path) -> Path:
    """The folder that the daemon listens in for this process."""
    return _moved.get(folder, folder)


class Finder:
    """The last whom Python asks where a module is. It knows `hearth_tools` and what is in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002 - Python's signature
        """How a module is made; None if it is not ours. ImportError if there is no such server."""
        if name != NAME and not name.startswith(f"{NAME}."):
            return None
        modules: Any = importlib.import_module(".tool_modules", __package__)
        if name != NAME and not modules.is_ours(sys.modules.get(NAME)):
            return None  # what lies in a package of somebody else's
        found: ModuleSpec | None = modules.spec_of(name, self.folder)
        return found


def install(folder: Path) -> None:
    """From now on `import hearth_tools` works here; the daemon listens in this folder."""
    for one in sys.meta_path:
        if isinstance(one, Finder):
            _moved.update(dict.fromkeys([one.folder, *_moved], folder))
    _moved.pop(folder, None)
    sys.meta_path[:] = [one for one in sys.meta_path if not isinstance(one, Finder)]
    sys.meta_path.append(Finder(folder))


def forget() -> None:
    """Let the next import ask anew what there is. A module of somebody else's stays."""
    modules = sys.modules.get(f"{__package__}.tool_modules")
    if modules is None:
        return  # nobody has imported it yet
    for name, module in tuple(sys.modules.items()):
        if (name == NAME or name.startswith(f"{NAME}.")) and modules.is_ours(module):
            del sys.modules[name]
