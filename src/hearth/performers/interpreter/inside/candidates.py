"""Proposals that are not Python's names: files, keys, IPython's magics."""

import contextlib
import itertools
import os
from pathlib import Path
from typing import Any, NamedTuple

from . import describing

MOST_FILES = 2000


class Item(NamedTuple):
    """One proposal."""

    label: str
    kind: str
    detail: str = ""


class Proposals(NamedTuple):
    """What could stand between two places of the code."""

    items: list[Item]
    start: int


def magics(shell: Any, typed: str, *, is_first: bool) -> list[Item]:
    """IPython's own commands; those for whole cells only where a cell begins."""
    registered = getattr(getattr(shell, "magics_manager", None), "magics", {})
    found = []
    if not typed.startswith("%%"):
        found += [Item(f"%{name}", "function", "magic") for name in registered.get("line", ())]
    if is_first:
        cells = registered.get("cell", ())
        found += [Item(f"%%{name}", "function", "cell magic") for name in cells]
    return sorted(
        (item for item in found if item.label.startswith(typed)),
        key=lambda item: (item.label.count("%"), item.label),
    )


def keys(value: Any) -> list[str]:
    """The text keys of a dictionary, or the columns of a table."""
    if describing.is_a(value, dict):
        some = itertools.islice(dict.keys(value), 20_000)
        with contextlib.suppress(RuntimeError):  # It changes while it is read.
            return [one for one in some if type(one) is str]
        return []
    if describing.is_trusted(value):
        columns = getattr(value, "columns", None)
        if columns is not None:
            return [one for one in itertools.islice(columns, 20_000) if type(one) is str]
    return []


def paths(typed: str, before: str) -> Proposals:
    """Files and folders that go on from a path at the end of the text."""
    folder, slash, name = typed.rpartition("/")
    start = len(before) - len(name)
    where = Path(folder + slash or ".")
    found = []
    try:
        with os.scandir(where.expanduser()) as entries:
            for entry in itertools.islice(entries, MOST_FILES):
                hidden = entry.name.startswith(".") and not name.startswith(".")
                if entry.name.startswith(name) and not hidden:
                    found.append(Item(entry.name + "/" * entry.is_dir(), "path"))
    except (OSError, ValueError, RuntimeError):
        return Proposals([], start)  # No such folder, or no such home.
    return Proposals(sorted(found), start)
