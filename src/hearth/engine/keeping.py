"""Blobs while the store is down: kept as files beside the spool, and brought to it later."""

import asyncio
import logging

from hearth.core.vocabulary.content import Blob
from hearth.log.blobs import BlobFiles
from hearth.log.event_log import BlobStore, CorruptRow, StoreDown

_said = logging.getLogger(__name__)


class KeptBlobs:
    """A BlobStore that can wait for the store behind it.

    An event that names a blob may be appended only after `bring`: the blob must be there first.
    """

    def __init__(self, store: BlobStore, beside: BlobFiles | None) -> None:
        self._store = store
        self._beside = beside
        self._waiting: set[str] = set()
        self._looked = False

    async def put(self, content: bytes, media_type: str = "text/plain") -> Blob:
        """Durable in the store, or beside it. StoreDown if neither takes it."""
        try:
            return await self._store.put(content, media_type)
        except StoreDown:
            if self._beside is None:
                raise
        blob = await self._beside.put(content, media_type)
        self._waiting.add(blob.sha256)
        return blob

    async def get(self, sha256: str) -> bytes:
        """The content, wherever it is. KeyError, CorruptRow, StoreDown."""
        try:
            return await self._store.get(sha256)
        except (KeyError, StoreDown):
            if self._beside is None:
                raise
            try:
                return await self._beside.get(sha256)
            except KeyError:
                pass
            raise

    async def bring(self) -> None:
        """Give the store what was kept for it, by this process or one before. StoreDown."""
        if self._beside is None:
            return
        if not self._looked:
            self._waiting |= await asyncio.to_thread(set, self._beside.digests())
            self._looked = True
        for digest in tuple(self._waiting):
            await self._bring(self._beside, digest)
            self._waiting.discard(digest)

    async def _bring(self, beside: BlobFiles, digest: str) -> None:
        try:
            content = await beside.get(digest)
        except KeyError:
            return  # somebody else who appends has just brought it
        except CorruptRow:
            _said.exception("a blob that waited for the store cannot be brought to it")
            return
        await self._store.put(content)
        await asyncio.to_thread(beside.path_of(digest).unlink, missing_ok=True)
