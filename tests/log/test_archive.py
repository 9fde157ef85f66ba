"""A session goes into a file and comes back, whole."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.contracts.event_log import StoreMaker, data_of
from tests.contracts.facts import NOON, draft_of, new_session, some
from tests.log.sessions import Life

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Draft, Envelope, Stored
from hearth.core.vocabulary.events import CellStarted
from hearth.core.vocabulary.ids import DAEMON_STREAM, CellId, EventId, SessionId
from hearth.log import archive
from hearth.log.archive import export_session, import_session
from hearth.log.archive_format import BadArchive
from hearth.log.event_log import EventLog, Lease, LogError, NotOwner, StoreDown
from hearth.log.memory import MemoryLog

BIG = "x = 1\n" * 20_000


def names_in(directory: Path) -> set[str]:
    return {one.name for one in directory.iterdir()}


async def with_blob(log: EventLog, life: Life) -> Blob:
    """One more event, whose code is kept as a blob."""
    blob = await log.blobs.put(BIG.encode())
    life.drafts.append(draft_of(CellStarted(CellId(f"c{life.state.cells + 1}"), blob)))
    return blob


async def exported(log: EventLog, path: Path) -> tuple[Life, Path]:
    life = Life(new_session())
    life.run("1+1")
    await with_blob(log, life)
    life.at = NOON
    await life.into(log)
    await export_session(log, life.state.session, path, NOON)
    return life, path


@pytest.mark.promise("SF-LOG-23")
async def test_a_session_comes_back_under_another_id(open_log: StoreMaker, tmp_path: Path) -> None:
    log = await open_log.make()
    life, path = await exported(log, tmp_path / "not" / "there" / "yet.jsonl")
    new = new_session("imported")
    assert await import_session(log, path, new) == len(life.drafts)
    old_rows = await log.read_session(life.state.session)
    new_rows = await log.read_session(new)
    assert data_of(old_rows) == data_of(life.drafts)
    old, back = [codec.envelope(r) for r in old_rows], [codec.envelope(r) for r in new_rows]
    assert [_but_place(one) for one in back] == [_but_place(one) for one in old]
    assert not {one.id for one in old} & {one.id for one in back}
    assert {row.session for row in new_rows} == {new}
    assert not await log.check()
    # The one who imported let go of it: anyone may run it now.
    assert (await (await open_log.second(log)).claim(new)).session == new


@pytest.mark.promise("SF-LOG-23")
async def test_an_export_is_whole_without_its_log(open_log: StoreMaker, tmp_path: Path) -> None:
    log = await open_log.make()
    life, path = await exported(log, tmp_path / "one.jsonl")
    elsewhere = await open_log.make()
    await import_session(elsewhere, path, life.state.session)
    event = codec.envelope((await elsewhere.read_session(life.state.session))[-1]).event
    assert isinstance(event, CellStarted)
    assert isinstance(event.code, Blob)
    assert await elsewhere.blobs.get(event.code.sha256) == BIG.encode()
    assert not await elsewhere.check()


@pytest.mark.parametrize("buffer", [1, 1000, archive.BUFFER])
async def test_an_export_reads_as_lines_of_json(
    tmp_path: Path, buffer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "BUFFER", buffer)
    log = MemoryLog()
    await log.open()
    life, path = await exported(log, tmp_path / "one.jsonl")
    header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert header == {
        "format": "hearth-session",
        "version": 1,
        "session": life.state.session,
        "exported_at": "2026-03-01T12:00:00Z",
        "events": len(life.drafts),
    }
    blobs = [line for line in lines if "blob" in line]
    events = [line for line in lines if "event" in line]
    assert (len(blobs), len(events)) == (1, len(life.drafts))
    rows = await log.read_session(life.state.session)
    assert [json.dumps(one) for one in events] == [
        json.dumps(json.loads(codec.envelope_json(row))) for row in rows
    ]
    assert names_in(tmp_path) == {"one.jsonl"}


async def test_what_is_not_there_is_not_exported(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    with pytest.raises(LogError, match="no session 'nowhere'"):
        await export_session(log, SessionId("nowhere"), tmp_path / "one.jsonl", NOON)
    assert not names_in(tmp_path)


async def test_an_export_never_overwrites(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    life, path = await exported(log, tmp_path / "one.jsonl")
    before = path.read_bytes()
    with pytest.raises(LogError, match="there already"):
        await export_session(log, life.state.session, path, NOON)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreDown, match="cannot be written"):
        await export_session(log, life.state.session, tmp_path / "file" / "in.jsonl", NOON)
    assert path.read_bytes() == before
    assert names_in(tmp_path) == {"one.jsonl", "file"}


async def test_an_export_that_is_cut_off_leaves_nothing(tmp_path: Path) -> None:
    class Stuck(MemoryLog):
        async def read_session(
            self, session: SessionId, after_version: int = 0, limit: int = 1000
        ) -> Sequence[Stored]:
            reading.set()
            await asyncio.Event().wait()
            return await super().read_session(session, after_version, limit)

    reading = asyncio.Event()
    log = Stuck()
    await log.open()
    session = await Life(new_session()).into(log)
    task = asyncio.create_task(export_session(log, session, tmp_path / "one.jsonl", NOON))
    await reading.wait()
    assert names_in(tmp_path)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not names_in(tmp_path)


async def test_damage_in_the_log_does_not_stop_an_export(
    open_log: StoreMaker, tmp_path: Path
) -> None:
    log = await open_log.make()
    life = Life(new_session())
    life.run("1+1")
    await life.into(log)
    rows = await log.read_session(life.state.session)
    await open_log.damage_row(log, rows[2].seq)
    path = tmp_path / "one.jsonl"
    await export_session(log, life.state.session, path, NOON)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["events"] == len(rows) == len(lines) - 1
    assert lines[3] == {"damaged": 3, "seq": rows[2].seq, "base64": lines[3]["base64"]}
    with pytest.raises(BadArchive, match="line 4: this event was damaged"):
        await import_session(log, path, new_session())


async def test_a_blob_that_is_gone_stays_gone_and_is_said(tmp_path: Path) -> None:
    log = MemoryLog()
    await log.open()
    life = Life(new_session())
    blob = await with_blob(log, life)
    await life.into(log)
    log.store.contents.clear()
    path = tmp_path / "one.jsonl"
    await export_session(log, life.state.session, path, NOON)
    assert f'{{"blob":"{blob.sha256}"}}\n' in path.read_text()
    await import_session(log, path, new_session())
    assert [finding.problem for finding in await log.check()] == [
        f"the blob {blob.sha256} is missing"
    ] * 2


@pytest.mark.promise("SF-LOG-23")
async def test_an_id_that_is_taken_is_refused(open_log: StoreMaker, tmp_path: Path) -> None:
    log = await open_log.make()
    life, path = await exported(log, tmp_path / "one.jsonl")
    new = new_session("imported")
    await import_session(log, path, new)
    head = await log.head()
    for taken in (life.state.session, new):
        with pytest.raises(LogError, match="exists already"):
            await import_session(log, path, taken)
    for wrong in (DAEMON_STREAM, SessionId("")):
        with pytest.raises(LogError, match="cannot be the id"):
            await import_session(log, path, wrong)
    other = await open_log.second(log)
    await other.claim(free := new_session())
    with pytest.raises(NotOwner):
        await import_session(log, path, free)
    assert await log.head() == head


class Failing(MemoryLog):
    """Takes so many appends, and then none."""

    appends = 1

    async def append(
        self,
        session: SessionId,
        expected_version: int,
        drafts: Sequence[Draft],
        lease: Lease | None = None,
    ) -> Sequence[Stored]:
        self.appends -= 1
        if self.appends < 0:
            raise StoreDown("it went away")
        return await super().append(session, expected_version, drafts, lease)


async def test_an_import_that_was_cut_off_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PAGE", 4)
    log = MemoryLog()
    await log.open()
    life = Life(new_session())
    for _ in range(5):
        life.run("1+1")
    await life.into(log)
    path = tmp_path / "one.jsonl"
    await export_session(log, life.state.session, path, NOON)
    target = Failing()
    await target.open()
    new = new_session("imported")
    with pytest.raises(StoreDown):
        await import_session(target, path, new)
    assert len(await target.read_session(new)) == 4
    target.appends = 100
    # Another file is not taken for the rest of this one.
    other, other_path = await exported(log, tmp_path / "two.jsonl")
    with pytest.raises(LogError, match="exists already"):
        await import_session(target, other_path, new)
    assert await import_session(target, path, new) == len(life.drafts)
    with pytest.raises(LogError, match="exists already"):
        await import_session(target, path, new)
    rows = await target.read_session(new)
    assert [row.version for row in rows] == list(range(1, len(life.drafts) + 1))
    assert [codec.envelope(row).event for row in rows] == [
        codec.decode_fact(draft.data).event for draft in life.drafts
    ]
    assert other.state.session not in [head.session for head in await target.heads()]


async def test_a_part_that_somebody_went_on_with_is_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PAGE", 4)
    target = Failing()
    await target.open()
    target.appends = 100
    _, path = await exported(target, tmp_path / "one.jsonl")
    target.appends = 1
    new = new_session("imported")
    with pytest.raises(StoreDown):
        await import_session(target, path, new)
    target.appends = 100
    await target.append(new, 4, some(1))
    with pytest.raises(LogError, match="exists already"):
        await import_session(target, path, new)
    assert len(await target.read_session(new)) == 5


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.integers(min_value=0), flip=st.none() | st.integers(0, 255))
async def test_no_part_of_a_file_is_taken_for_the_whole(
    tmp_path: Path, cut: int, flip: int | None
) -> None:
    log = MemoryLog()
    await log.open()
    life = Life(new_session())
    life.run("1+1")
    await life.into(log)
    path = tmp_path / f"{life.state.session}.jsonl"
    await export_session(log, life.state.session, path, NOON)
    whole = path.read_bytes()
    place = cut % len(whole)
    broken = whole[:place]
    if flip is not None:
        broken += bytes([flip]) + whole[place + 1 :]
    path.write_bytes(broken)
    target = MemoryLog()
    await target.open()
    bad: BadArchive | None = None
    try:
        await import_session(target, path, new_session())
    except BadArchive as error:
        bad = error
    if bad is None:
        # A changed letter inside a text may still make sense, a missing one never does.
        assert flip is not None
        assert await target.head() == len(life.drafts)
    else:
        assert str(path) in str(bad)
        assert 1 <= bad.line <= len(life.drafts) + 2
        assert await target.head() == 0


def _but_place(one: Envelope) -> Envelope:
    return replace(one, seq=0, version=0, session=SessionId(""), id=EventId(""))
