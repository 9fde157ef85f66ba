"""Which loaded modules are the project's own, and what their files said when they were loaded.

A module's file may have changed since; what runs is what was loaded. It is read when the module is
first seen, which is right after the warm-up or the cell that imported it. Where it may have been
saved in between, what was loaded is unknown, and has a hash of its own.
"""

import os
import struct
import sys
import threading
import time
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

_NOT_OURS: Final = tuple(
    f"{folder}{os.sep}"
    for file in (Path(__file__), Path(os.__file__))
    for folder in {file.parent, file.resolve().parent}
)
"""Where hearth's inside and Python itself lie."""
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_LARGEST: Final = 1_000_000
"""Of larger files only the hash is kept."""


class Source(NamedTuple):
    """The file of a module as it was loaded."""

    file: str
    digest: str
    content: bytes
    """b"" if it is too large, not Python, or not known."""


def digest(*contents: bytes) -> str:
    """Sixteen characters that stand for some content."""
    return blake2b(b"\0".join(contents), digest_size=8).hexdigest()


def file_of(module: object) -> str:
    """The file a module came from; "" for one that came from none."""
    file = asked(module, "__file__")
    return file if isinstance(file, str) else ""


def asked(module: object, name: str) -> Any:
    """An attribute of what stands in `sys.modules`; None if it has none."""
    try:
        return getattr(module, name, None)
    except Exception:  # noqa: BLE001 - lazy modules and stand-ins run code of their own when asked
        return None


def site_of(file: str) -> str:
    """The folder a file is installed in, like …/site-packages; "" for a file of no distribution."""
    for mark in _INSTALLED:
        folder, found, _ = file.partition(mark)
        if found:
            return folder + found[:-1]
    return ""


def is_source(file: str) -> bool:
    """Whether a file belongs to no distribution, not to Python and not to hearth's inside."""
    return file.startswith(os.sep) and not site_of(file) and not file.startswith(_NOT_OURS)


class Sources:
    """What is known about the loaded modules of this process."""

    def __init__(self) -> None:
        self.root = ""
        self.since = 0
        """When the project was begun, in nanoseconds: its files were loaded later."""
        self.paths: tuple[str, ...] = ()
        self._below: tuple[str, ...] = ()
        self.changes = 0
        """Grows when something here changes."""
        self._seen: dict[str, Source] = {}
        self._specs: dict[str, int] = {}
        """Of every module that was looked at: which spec it had. A reload gives it a new one."""
        self._count = -1
        self._looked = time.time()
        self._lock = threading.Lock()

    def begin(self, root: str, paths: tuple[str, ...]) -> None:
        """From now on the project is the one under `root`, with these search paths."""
        self.root, self.paths, self.since = root, paths, time.time_ns()
        below = [one for one in (root, *paths) if one]
        self._below = tuple(
            {f"{one}{os.sep}" for path in below for one in (path, os.path.realpath(path))}
        )

    def begin_anew(self) -> None:
        """In a copy: a thread that is not here may have been looking when it was made."""
        if self._lock.locked():
            self._lock = threading.Lock()
            self._specs = {name: self._specs[name] for name in self._seen if name in self._specs}
            self._count = -1

    def is_ours(self, file: str) -> bool:
        """Whether a file is the project's own: under its root or its search paths."""
        return is_source(file) and file.startswith(self._below)

    def loaded(self) -> dict[str, Source]:
        """Every loaded module that belongs to no distribution, by name. Do not change it."""
        if len(sys.modules) != self._count:
            with self._lock:
                count, now = len(sys.modules), time.time()
                self._look(list(sys.modules))
                self._count, self._looked = count, now
        return self._seen

    def look_again(self) -> None:
        """Notice modules that were loaded anew under the same name."""
        with self._lock:
            self._look(list(self._seen))

    def replace(self, name: str, file: str, content: bytes) -> None:
        """The module was loaded anew from this content."""
        self._seen[name] = Source(file, digest(content), content[:_LARGEST])
        self._specs[name] = id(asked(sys.modules.get(name), "__spec__"))
        self.changes += 1

    def forget(self) -> list[str]:
        """Take the project's own modules out of the loaded ones; their names."""
        names = [
            name
            for name, module in list(sys.modules.items())
            if name != "__main__" and self.is_ours(file_of(module))
        ]
        for name in names:
            sys.modules.pop(name, None)
        self._look(names)
        self._count = -1
        return names

    def _look(self, names: list[str]) -> None:
        for name in names:
            module = sys.modules.get(name)
            spec = id(asked(module, "__spec__"))
            if self._specs.get(name) == spec and module is not None:
                continue
            self._specs[name] = spec
            if self._seen.pop(name, None) is not None:
                self.changes += 1
            file = file_of(module)
            if module is not None and name != "__main__" and is_source(file):
                self._seen[name] = _read(file, asked(module, "__cached__"), self._looked)
                self.changes += 1
            elif module is None:
                self._specs.pop(name, None)


def modules_from(file: str) -> list[tuple[str, ModuleType]]:
    """The loaded modules that came from a file, the ones loaded last first."""
    true, name = os.path.realpath(file), Path(file).name
    # What is first in `sys.modules` began to load first, so it depends on what comes behind it.
    return [
        (known_as, module)
        for known_as, module in reversed(list(sys.modules.items()))
        if file_of(module).endswith(name)
        and known_as != "__main__"
        and os.path.realpath(file_of(module)) == true
        and is_source(true)
    ]


def _read(file: str, cached: Any, since: float) -> Source:
    """What a module was loaded from, some time after `since`; `cached`: where its bytecode is."""
    try:
        content, status = Path(file).read_bytes(), Path(file).stat()
    except OSError:
        return Source(file, "", b"")  # it was deleted since: nothing can be said about it
    if status.st_mtime > since and not _is_compiled_from(status, cached):
        return Source(file, digest(content, b"not known"), b"")
    keep = file.endswith(".py") and len(content) <= _LARGEST
    return Source(file, digest(content), content if keep else b"")


def _is_compiled_from(status: os.stat_result, cached: Any) -> bool:
    """Whether bytecode was made from the file as it is now, by the time and size noted in it."""
    if not isinstance(cached, str):
        return False
    try:
        with Path(cached).open("rb") as file:
            head = file.read(16)
    except OSError:
        return False  # no bytecode is kept
    noted = int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF
    return head[4:16] == struct.pack("<III", 0, *noted)


SOURCES: Final = Sources()
