"""Payloads in PostgreSQL, beyond what the contract of every blob store asks."""

from collections.abc import AsyncIterator

import pytest
from tests.log.postgres_server import PostgresMaker, making

from hearth.log.event_log import StoreDown


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


async def test_a_large_payload_comes_back_whole(maker: PostgresMaker) -> None:
    log = await maker.make()
    content = bytes(range(256)) * 40_000
    blob = await log.blobs.put(content, "application/octet-stream")
    assert blob.size == len(content)
    assert await log.blobs.get(blob.sha256) == content


async def test_payloads_survive_a_crash_of_the_server(maker: PostgresMaker) -> None:
    log = await maker.make()
    blob = await log.blobs.put(b"kept")
    maker.server.stop("immediate")
    with pytest.raises(StoreDown):
        await log.blobs.put(b"lost")
    with pytest.raises(StoreDown):
        await log.blobs.get(blob.sha256)
    maker.server.start()
    assert await log.blobs.get(blob.sha256) == b"kept"
    other = await log.blobs.put(b"lost")
    assert await log.blobs.get(other.sha256) == b"lost"


async def test_putting_again_writes_nothing(maker: PostgresMaker) -> None:
    log = await maker.make()
    await log.blobs.put(b"the same")
    connection = await maker.connect(log._database.schema)
    before = await connection.fetchval("SELECT xmin::text || ctid::text FROM blobs")
    await log.blobs.put(b"the same")
    assert await connection.fetchval("SELECT xmin::text || ctid::text FROM blobs") == before
    await connection.close()
