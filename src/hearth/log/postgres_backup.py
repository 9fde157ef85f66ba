r"""A complete copy of a PostgreSQL log as a directory, and the way back.

The directory holds `backup.json` (format, schema version, and for every table its number of rows
and the SHA-256 of its file) and one `<table>.csv` per table: PostgreSQL's own CSV with a header,
binary columns as hex. `psql` reads it without hearth: `\copy events from 'events.csv' csv header`.
Leases and the search index are left out; they belong to the place, not to the data.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from hearth.log.event_log import CorruptRow, LogError, NewerSchema, StoreDown
from hearth.log.postgres_leases import LOCK
from hearth.log.postgres_schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from hearth.log.postgres_connection import Connection

_FORMAT: Final = "hearth-postgres-1"
_MANIFEST: Final = "backup.json"
_TABLES: Final = ("counter", "events", "streams", "snapshots", "blobs")


class Table(msgspec.Struct, frozen=True):
    """One file of a backup."""

    name: str
    rows: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What a backup says of itself."""

    format: str
    schema_version: int
    tables: tuple[Table, ...]


async def write_backup(connection: Connection, target: Path) -> None:
    """Copy everything as it stands at one moment. LogError if the target exists or cannot be."""
    partial = target.with_name(f"{target.name}.partial")
    try:
        await asyncio.to_thread(_begin, partial, target)
        try:
            tables = await _copy_out(connection, partial)
            manifest = Manifest(_FORMAT, SCHEMA_VERSION, tuple(tables))
            await asyncio.to_thread(_finish, partial, target, manifest)
        except BaseException:
            await asyncio.to_thread(shutil.rmtree, partial, ignore_errors=True)
            raise
    except FileExistsError:
        raise LogError(f"{target} is there already; a backup never overwrites") from None
    except OSError as error:
        raise StoreDown(f"the backup {target} cannot be written: {error.strerror}") from error


async def read_backup(connection: Connection, source: Path) -> None:
    """Fill an empty log with what a backup holds. CorruptRow, NewerSchema, LogError."""
    try:
        manifest = await asyncio.to_thread(_verified, source)
    except OSError as error:
        raise StoreDown(f"the backup {source} cannot be read: {error.strerror}") from error
    async with connection.transaction():
        await connection.execute(LOCK)
        if await connection.fetchval("SELECT last > 0 FROM counter"):
            raise LogError("a backup is restored into an empty log only, and this one has events")
        await connection.execute("DELETE FROM counter")
        for table in manifest.tables:
            await connection.copy_to_table(
                table.name, source=source / f"{table.name}.csv", format="csv", header=True
            )


async def _copy_out(connection: Connection, directory: Path) -> list[Table]:
    paths = {name: directory / f"{name}.csv" for name in _TABLES}
    rows: dict[str, int] = {}
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        for name, path in paths.items():
            done = await connection.copy_from_table(name, output=path, format="csv", header=True)
            rows[name] = int(done.rpartition(" ")[2])
    return [
        Table(name, rows[name], await asyncio.to_thread(_synced_digest, path))
        for name, path in paths.items()
    ]


def _begin(partial: Path, target: Path) -> None:
    if target.exists():
        raise FileExistsError(target)
    partial.mkdir(mode=0o700, parents=True)


def _finish(partial: Path, target: Path, manifest: Manifest) -> None:
    path = partial / _MANIFEST
    path.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    _sync(path)
    _sync(partial)
    partial.rename(target)
    _sync(target.parent)


def _verified(source: Path) -> Manifest:
    try:
        manifest = msgspec.json.decode((source / _MANIFEST).read_bytes(), type=Manifest)
    except msgspec.DecodeError as error:
        raise CorruptRow(f"{source / _MANIFEST} is damaged: {error}") from error
    if manifest.format != _FORMAT or {table.name for table in manifest.tables} != set(_TABLES):
        raise LogError(f"{source} is no backup of a PostgreSQL log that this hearth can read")
    if manifest.schema_version > SCHEMA_VERSION:
        raise NewerSchema(f"{source} was written by a newer hearth")
    for table in manifest.tables:
        path = source / f"{table.name}.csv"
        if _digest(path) != table.sha256:
            raise CorruptRow(f"{path} is damaged: it is not what the backup wrote")
    return manifest


def _synced_digest(path: Path) -> str:
    _sync(path)
    return _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
