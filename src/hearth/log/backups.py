"""Complete copies of a whole log, and the way back."""

import asyncio
import shutil
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from hearth.log.blobs import sync_directory
from hearth.log.event_log import EventLog, LogError, StoreDown
from hearth.log.opening import choose_log, sqlite_path
from hearth.log.sqlite_check import BACKUP_NAME


@runtime_checkable
class Restorable(EventLog, Protocol):
    """A log that can be filled from a backup while it is open."""

    async def restore(self, source: str) -> None:
        """Fill this log, which must be empty. LogError, CorruptRow."""


async def back_up(log: EventLog, directory: Path, now: datetime) -> Path:
    """Write a complete copy under a dated name into `directory`, which is made; where it is."""
    target = directory / f"hearth-{now:%Y%m%dT%H%M%S%fZ}"
    try:
        await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreDown(f"{directory} cannot be made: {error.strerror}") from error
    await log.backup(str(target))
    return target


async def restore(source: Path, url: str | None, home: Path, owner: str) -> None:
    """Make the log that `url` names out of a backup. It must be empty or not exist yet.

    A backup goes back into the kind of store it came from (one of a memory log into SQLite).
    Nobody may use that log meanwhile. LogError, StoreDown, CorruptRow, NewerSchema.
    """
    if (path := sqlite_path(url, home)) is not None:
        await asyncio.to_thread(_copy_back, source, path)
        return
    log = choose_log(url, home, owner)
    is_of_sqlite = await asyncio.to_thread((source / BACKUP_NAME).exists)
    if is_of_sqlite or not isinstance(log, Restorable):
        raise LogError(f"{source} cannot be restored into {log.name}: it is of another kind")
    try:
        await log.open()
        await log.restore(str(source))
    finally:
        await log.close()


def _copy_back(source: Path, path: Path) -> None:
    if not (source / BACKUP_NAME).is_file():
        raise LogError(f"{source} is no backup of an SQLite log")
    if path.exists():
        raise LogError(f"{path} is there already; a backup is restored into a new place only")
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if (source / "blobs").is_dir():
            shutil.copytree(source / "blobs", path.parent / "blobs", dirs_exist_ok=True)
        shutil.copyfile(source / BACKUP_NAME, partial)
        # Last, so that there is no log until all of it is there.
        partial.rename(path)
        sync_directory(path.parent)
    except OSError as error:
        raise StoreDown(f"{source} cannot be copied to {path}: {error.strerror}") from error
