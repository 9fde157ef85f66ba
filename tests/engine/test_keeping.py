"""Blobs that wait for their store."""

from pathlib import Path

import pytest

from hearth.core.vocabulary.content import Blob
from hearth.engine.keeping import KeptBlobs
from hearth.log.blobs import BlobFiles
from hearth.log.event_log import StoreDown
from hearth.log.memory import MemoryBlobs, MemoryStore


class Faulty(MemoryBlobs):
    """While `down`, nothing is taken or given."""

    down = False

    def __init__(self) -> None:
        super().__init__(MemoryStore())

    @property
    def contents(self) -> dict[str, bytes]:
        return self._store.contents

    async def put(self, content: bytes, media_type: str = "text/plain") -> Blob:
        self._there()
        return await super().put(content, media_type)

    async def get(self, sha256: str) -> bytes:
        self._there()
        return await super().get(sha256)

    def _there(self) -> None:
        if self.down:
            raise StoreDown("it is gone")


async def test_a_store_that_works_gets_everything_at_once(tmp_path: Path) -> None:
    store = Faulty()
    blobs = KeptBlobs(store, BlobFiles(tmp_path))
    blob = await blobs.put(b"hello", "text/markdown")
    assert blob == await store.put(b"hello", "text/markdown")
    assert await blobs.get(blob.sha256) == b"hello"
    await blobs.bring()
    assert not _kept(tmp_path)
    with pytest.raises(KeyError):
        await blobs.get("0" * 64)


@pytest.mark.promise("SF-LOG-14")
async def test_what_waits_is_there_and_is_brought_when_the_store_is_back(tmp_path: Path) -> None:
    store = Faulty()
    blobs = KeptBlobs(store, BlobFiles(tmp_path))
    store.down = True
    first, second = await blobs.put(b"one"), await blobs.put(b"two")
    assert await blobs.get(first.sha256) == b"one"
    with pytest.raises(StoreDown):
        await blobs.get("0" * 64)
    with pytest.raises(StoreDown):
        await blobs.bring()
    assert len(_kept(tmp_path)) == 2
    store.down = False
    assert await blobs.get(second.sha256) == b"two"
    await blobs.bring()
    assert store.contents == {first.sha256: b"one", second.sha256: b"two"}
    assert not _kept(tmp_path)
    await blobs.bring()


async def test_what_an_earlier_process_kept_is_brought(tmp_path: Path) -> None:
    store = Faulty()
    store.down = True
    blob = await KeptBlobs(store, BlobFiles(tmp_path)).put(b"one")
    store.down = False
    await KeptBlobs(store, BlobFiles(tmp_path)).bring()
    assert store.contents == {blob.sha256: b"one"}
    assert not _kept(tmp_path)


async def test_a_damaged_one_is_said_and_keeps_no_other_from_being_brought(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Faulty()
    store.down = True
    files = BlobFiles(tmp_path)
    blobs = KeptBlobs(store, files)
    bad, good = await blobs.put(b"bad"), await blobs.put(b"good")
    files.path_of(bad.sha256).write_bytes(b"worse")
    store.down = False
    await blobs.bring()
    assert store.contents == {good.sha256: b"good"}
    assert bad.sha256 in caplog.text
    assert _kept(tmp_path) == [files.path_of(bad.sha256)]


async def test_without_a_place_beside_it_the_store_is_all_there_is() -> None:
    store = Faulty()
    blobs = KeptBlobs(store, None)
    store.down = True
    with pytest.raises(StoreDown):
        await blobs.put(b"one")
    with pytest.raises(StoreDown):
        await blobs.get("0" * 64)
    await blobs.bring()


def _kept(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]
