"""Makers of the stores that need no server."""

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from hearth.log.event_log import EventLog
from hearth.log.memory import MemoryLog
from hearth.log.sqlite import SqliteLog
from hearth.log.sqlite_check import BACKUP_NAME


class SqliteMaker:
    """Each log in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._numbers = count(1)
        self._made: list[tuple[EventLog, Path]] = []

    async def make(self) -> SqliteLog:
        return await self._open(self._directory / f"store-{next(self._numbers)}" / "hearth.db")

    async def reopen(self, log: EventLog) -> SqliteLog:
        await log.close()
        return await self._open(self.path_of(log))

    async def second(self, log: EventLog) -> SqliteLog:
        return await self._open(self.path_of(log))

    async def restore(self, backup: Path) -> SqliteLog:
        return await self._open(backup / BACKUP_NAME)

    async def damage_row(self, log: EventLog, seq: int) -> None:
        with closing(sqlite3.connect(self.path_of(log))) as connection, connection:
            connection.execute(
                "UPDATE events SET data = CAST(? AS BLOB) WHERE seq = ?", ('{"id":', seq)
            )

    async def damage_blob(self, log: EventLog, sha256: str) -> None:
        path = self.path_of(log).parent / "blobs" / sha256[:2] / sha256[2:]
        path.write_bytes(b"X" + path.read_bytes()[1:])

    async def close(self) -> None:
        for log, _ in self._made:
            await log.close()

    def path_of(self, log: EventLog) -> Path:
        return next(path for made, path in self._made if made is log)

    async def _open(self, path: Path) -> SqliteLog:
        log = SqliteLog(path)
        self._made.append((log, path))
        await log.open()
        return log


class MemoryMaker:
    """Logs of one store share it in memory; a backup is an SQLite one."""

    def __init__(self, directory: Path) -> None:
        self._files = SqliteMaker(directory)
        self._made: list[MemoryLog] = []

    async def make(self) -> MemoryLog:
        return await self._open(MemoryLog())

    async def reopen(self, log: EventLog) -> MemoryLog:
        await log.close()
        return await self.second(log)

    async def second(self, log: EventLog) -> MemoryLog:
        assert isinstance(log, MemoryLog)
        return await self._open(MemoryLog(log.store))

    async def restore(self, backup: Path) -> EventLog:
        return await self._files.restore(backup)

    async def damage_row(self, log: EventLog, seq: int) -> None:
        assert isinstance(log, MemoryLog)
        log.store.damage_row(seq)

    async def damage_blob(self, log: EventLog, sha256: str) -> None:
        assert isinstance(log, MemoryLog)
        log.store.contents[sha256] = b"damaged"

    async def close(self) -> None:
        for log in self._made:
            await log.close()
        await self._files.close()

    async def _open(self, log: MemoryLog) -> MemoryLog:
        self._made.append(log)
        await log.open()
        return log
