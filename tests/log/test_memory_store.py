"""How a store in memory is shared, spoiled and copied."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.contracts.facts import new_session, some

from hearth.core.vocabulary import codec
from hearth.log.blobs import BlobFiles
from hearth.log.event_log import CorruptRow, LogError
from hearth.log.memory import MemoryLog
from hearth.log.memory_store import MemoryBlobs, MemoryStore, write_copy


async def test_content_is_one_stores_own() -> None:
    store = MemoryStore()
    blob = await MemoryBlobs(store).put(b"content")
    assert await MemoryBlobs(store).get(blob.sha256) == b"content"
    with pytest.raises(KeyError):
        await MemoryBlobs(MemoryStore()).get(blob.sha256)
    store.contents[blob.sha256] = b"other"
    with pytest.raises(CorruptRow):
        await MemoryBlobs(store).get(blob.sha256)


async def test_a_damaged_row_keeps_its_place() -> None:
    log = MemoryLog()
    await log.open()
    session = new_session()
    rows = await log.append(session, 0, some(3))
    log.store.damage_row(rows[1].seq)
    found = log.store.stored(session)
    assert [(row.seq, row.version) for row in found] == [(row.seq, row.version) for row in rows]
    assert [found[0], found[2]] == [rows[0], rows[2]]
    with pytest.raises(codec.Unreadable):
        codec.decode_fact(found[1].data)


def test_a_copy_is_a_file_and_overwrites_nothing(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    write_copy(target, [(7, "session-a", 1, "in.0", "session_ready", b"{}")], [], [b"content"])
    with closing(sqlite3.connect(target / "hearth.db")) as connection:
        assert connection.execute("SELECT seq, id FROM events").fetchall() == [(7, "in.0")]
    assert len(list(BlobFiles(target / "blobs").digests())) == 1
    with pytest.raises(LogError, match="copy"):
        write_copy(target, [], [], [])
