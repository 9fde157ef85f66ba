"""Long results of tools: head and tail for the model, the whole in a file that only we can read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearth.core.rules.rendering import shortened
from hearth.settings.atomic import write_whole

NOT_KEPT: Final = "not kept"


@dataclass(frozen=True, slots=True)
class Shown:
    """A result as a model is given it."""

    text: str
    spilled: str = ""
    """The file that holds the whole of it."""


def shown(text: str, most: int, file: Path | None) -> Shown:
    """A result within `most` characters and a hint; the whole goes to `file`, if it is longer.

    Without a file, or if it cannot be written, the hint says that the rest is not kept.
    """
    safe = text.encode("utf-8", "replace").decode()  # half a character cannot be stored or sent
    if len(safe) <= most:
        return Shown(safe)
    try:
        if file is not None:
            spill(file, safe)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        return Shown(shortened(safe, most, f"{NOT_KEPT}: {file} cannot be written ({why})"))
    if file is None:
        return Shown(shortened(safe, most, NOT_KEPT))
    return Shown(shortened(safe, most, f"in {file}"), str(file))


def spill_file(folder: str, session: str, call: str) -> Path | None:
    """Where the result of a call is kept; None if nothing is."""
    return Path(folder, session, f"{call}.txt") if folder else None


def spill(file: Path, text: str) -> None:
    """Write a result down, for its owner's eyes alone. OSError, ValueError: it is not there."""
    if not file.is_absolute() or ".." in file.parts:
        raise ValueError("it is no place for results")
    _private(file.parent)
    write_whole(file, text.encode("utf-8", "replace"), 0o600)


def _private(folder: Path) -> None:
    """Make a folder and those above it, each its owner's alone; what is there stays as it is."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
