"""What runs inside an interpreter changes its process; a test must leave its own as it was."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hearth.performers.interpreter.inside import fingerprinting, preparing, sources

LONG_AGO: Final = 1_000_000_000


@contextmanager
def unchanged_process(directory: Path) -> Iterator[None]:
    """Modules, search path, folder, variables and arguments are afterwards as they were.

    Meanwhile `directory` is the working folder, and nothing is known of any project yet.
    """
    modules, path, argv = dict(sys.modules), list(sys.path), list(sys.argv)
    variables, where = dict(os.environ), Path.cwd()
    known = [
        (one, dict(vars(one)))
        for one in (sources.SOURCES, fingerprinting.FINGERPRINT, preparing.PREPARED)
    ]
    for one, _ in known:
        vars(one).update(vars(type(one)()))
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(variables)
        sys.path[:], sys.argv[:] = path, argv
        sys.dont_write_bytecode = writes_bytecode
        for name in set(sys.modules) - set(modules):
            del sys.modules[name]
        sys.modules.update(modules)
        sys.path_importer_cache.clear()
        for one, before in known:
            vars(one).clear()
            vars(one).update(before)


def write(path: Path, content: str) -> Path:
    """A file with this content, saved long ago, in folders that are made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path
