"""Content by its hash, in a table of the log's own database."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from hearth.log.blobs import fits, reference
from hearth.log.event_log import CorruptRow

if TYPE_CHECKING:
    from hearth.core.vocabulary.content import Blob
    from hearth.log.postgres_connection import Database

_HASH: Final = re.compile(r"[0-9a-f]{64}")


class PostgresBlobs:
    """A BlobStore in the table `blobs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, content: bytes, media_type: str = "text/plain") -> Blob:
        """Written again if what stands there is damaged."""
        blob = await asyncio.to_thread(reference, content, media_type)
        await self._database.ask(
            lambda connection: connection.execute(
                "INSERT INTO blobs (sha256, data) VALUES ($1, $2) ON CONFLICT (sha256)"
                " DO UPDATE SET data = excluded.data WHERE blobs.data <> excluded.data",
                blob.sha256,
                content,
            )
        )
        return blob

    async def get(self, sha256: str) -> bytes:
        """The content; KeyError if it is not there, CorruptRow if it no longer fits its hash."""
        if not _HASH.fullmatch(sha256):
            raise KeyError(sha256)
        content = await self._database.ask(
            lambda connection: connection.fetchval(
                "SELECT data FROM blobs WHERE sha256 = $1", sha256
            )
        )
        if content is None:
            raise KeyError(sha256)
        if not await asyncio.to_thread(fits, content, sha256):
            raise CorruptRow(f"the blob {sha256} is damaged")
        return bytes(content)
