"""What every event log must do, whichever store is behind it.

A test module makes the suite run by deriving one class from `EventLogContract`; the fixture
`open_log` gives a StoreMaker for each store in turn. Nothing here knows a store by its name.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.facts import draft_of, new_session, of_size, renamed, some, started

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.content import Blob, StreamText
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.events import CellFailed, CellFinished, SessionStarted
from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.ids import CellId, EventId, SessionId
from hearth.log.event_log import (
    DuplicateEvent,
    EventLog,
    EventTooLarge,
    LogError,
    NotOwner,
    Snapshot,
    StoreDown,
    VersionConflict,
)

PATIENCE = 20.0
"""Seconds after which something that should have happened counts as missing."""


class StoreMaker(Protocol):
    """Makes event logs on one kind of store, and does to them what only its store can."""

    async def make(self) -> EventLog:
        """An opened log on a fresh store that no other test sees."""

    async def reopen(self, log: EventLog) -> EventLog:
        """Close the log, and open a new object on the same data: a restart."""

    async def second(self, log: EventLog) -> EventLog:
        """Another owner's opened log on the same data, at the same time."""

    async def restore(self, backup: Path) -> EventLog:
        """An opened log on what `backup` wrote."""

    async def damage_row(self, log: EventLog, seq: int) -> None:
        """Replace the stored bytes of an event by something no word fits."""

    async def damage_blob(self, log: EventLog, sha256: str) -> None:
        """Change the stored bytes of a blob."""

    async def close(self) -> None:
        """Close every log this made, and remove their stores."""


class Heard:
    """A commit listener that remembers, and wakes whoever waits."""

    def __init__(self) -> None:
        self.calls: list[Sequence[Stored]] = []
        self._woken = asyncio.Event()

    def __call__(self, rows: Sequence[Stored]) -> None:
        self.calls.append(rows)
        self._woken.set()

    @property
    def rows(self) -> list[Stored]:
        """Everything that came with a commit, in the order it came."""
        return [row for rows in self.calls for row in rows]

    async def until(self, reached: Callable[[], bool]) -> None:
        """Return once a call has made it true."""
        async with asyncio.timeout(PATIENCE):
            while not reached():
                self._woken.clear()
                await self._woken.wait()


def data_of(rows: Sequence[Stored] | Sequence[Draft]) -> list[bytes]:
    """The stored bytes alone."""
    return [row.data for row in rows]


async def read_all(log: EventLog, page: int = 1000) -> list[Stored]:
    """Every row of the log, by its cursor."""
    rows: list[Stored] = []
    while part := await log.read(rows[-1].seq if rows else 0, limit=page):
        rows.extend(part)
    return rows


def assert_sound(rows: Sequence[Stored]) -> None:
    """Rows of a whole log: seq strictly grows, and each session counts from 1 without a gap."""
    seqs = [row.seq for row in rows]
    assert seqs == sorted(set(seqs))
    reached: dict[SessionId, int] = {}
    for row in rows:
        assert row.version == reached.get(row.session, 0) + 1
        reached[row.session] = row.version


class EventLogContract:
    """Derive once, in a module that has the fixture `open_log`."""

    # appending

    @pytest.mark.promise("SF-LOG-07", "SF-LOG-08", "SF-LOG-10", "LK-SESS-04")
    async def test_rows_come_back_as_they_were_appended(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        drafts = some(3)
        rows = await log.append(session, 0, drafts)
        assert [row.version for row in rows] == [1, 2, 3]
        assert {row.session for row in rows} == {session}
        assert data_of(rows) == data_of(drafts)
        assert list(await log.read_session(session)) == list(rows)
        assert list(await log.read()) == list(rows)
        assert all(isinstance(row.data, bytes) for row in await log.read())
        envelope = codec.envelope(rows[1])
        assert (envelope.id, envelope.seq, envelope.session) == (drafts[1].id, rows[1].seq, session)
        assert await log.head() == rows[-1].seq

    async def test_an_empty_append_changes_nothing(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        assert list(await log.append(new_session(), 0, [])) == []
        assert await log.head() == 0
        assert list(await log.heads()) == []

    @pytest.mark.promise("SF-LOG-08")
    async def test_a_wrong_expected_version_is_refused(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        await log.append(session, 0, some(2))
        for wrong in (0, 1, 3):
            with pytest.raises(VersionConflict) as caught:
                await log.append(session, wrong, some(1))
            assert caught.value.session == session
            assert (caught.value.expected, caught.value.actual) == (wrong, 2)
        unknown = new_session()
        with pytest.raises(VersionConflict) as caught:
            await log.append(unknown, 1, some(1))
        assert caught.value.actual == 0
        assert len(await read_all(log)) == 2
        assert unknown not in [head.session for head in await log.heads()]

    @pytest.mark.promise("SF-LOG-10")
    async def test_appending_the_same_again_gives_what_stands(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        drafts = some(3)
        first = await log.append(session, 0, drafts)
        later = await log.append(session, 3, some(1))
        assert list(await log.append(session, 0, drafts)) == list(first)
        assert list(await log.append(session, 3, drafts[1:])) == list(first[1:])
        other = await open_log.second(log)
        assert list(await other.append(session, 0, drafts)) == list(first)
        assert await read_all(log) == [*first, *later]

    @pytest.mark.promise("SF-LOG-10")
    async def test_an_id_that_stands_elsewhere_is_refused(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session, another = new_session(), new_session()
        old, new = some(2), some(2)
        rows = await log.append(session, 0, old)
        elsewhere = [
            (session, 2, [old[1], new[0]]),
            (session, 2, [new[0], old[0]]),
            (session, 2, [old[1], old[0]]),
            (another, 0, old),
            (another, 0, [new[0], old[0]]),
            (another, 0, [new[0], new[0]]),
        ]
        for where, expected, drafts in elsewhere:
            with pytest.raises(DuplicateEvent):
                await log.append(where, expected, drafts)
        assert await read_all(log) == list(rows)
        assert await log.find(new[0].id) is None
        assert [head.session for head in await log.heads()] == [session]

    @pytest.mark.promise("SF-LOG-10")
    async def test_an_event_over_the_bound_is_refused_with_all(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        largest = of_size(codec.MAX_EVENT_BYTES)
        assert len(largest.data) == codec.MAX_EVENT_BYTES
        with pytest.raises(EventTooLarge):
            await log.append(session, 0, [renamed(), of_size(codec.MAX_EVENT_BYTES + 1)])
        assert await log.head() == 0
        rows = await log.append(session, 0, [largest])
        assert data_of(await log.read_session(session)) == data_of(rows) == [largest.data]

    @pytest.mark.promise("SF-LOG-10")
    async def test_one_bad_append_fails_alone(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        sessions = [new_session() for _ in range(10)]
        contested = new_session()
        results = await asyncio.gather(
            *(log.append(session, 0, some(2)) for session in sessions),
            log.append(contested, 0, some(2)),
            log.append(contested, 0, some(2)),
            log.append(contested, 7, some(2)),
            *(log.append(session, 2, some(1)) for session in sessions),
            return_exceptions=True,
        )
        lost = [one for one in results if isinstance(one, BaseException)]
        assert [type(one) for one in lost] == [VersionConflict, VersionConflict]
        rows = await read_all(log)
        assert_sound(rows)
        assert len(rows) == 32
        assert len(await log.read_session(contested)) == 2

    async def test_a_cancelled_append_harms_nobody(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session, given_up = new_session(), new_session()
        async with asyncio.TaskGroup() as group:
            lost = group.create_task(log.append(given_up, 0, some(2)))
            kept = group.create_task(log.append(session, 0, some(2)))
            group.create_task(_cancel(lost))
        assert lost.cancelled()
        assert data_of(await log.read_session(session)) == data_of(kept.result())
        await log.append(session, 2, some(1))
        assert_sound(await read_all(log))
        assert len(await log.read_session(given_up)) in {0, 2}

    @pytest.mark.promise("SF-LOG-08")
    @settings(
        max_examples=12,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(
        st.lists(
            st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), max_size=6),
            min_size=1,
            max_size=4,
        )
    )
    async def test_any_interleaving_is_dense_and_ordered(
        self, open_log: StoreMaker, scripts: list[list[tuple[int, int]]]
    ) -> None:
        log = await open_log.make()
        sessions = [new_session() for _ in range(4)]

        async def play(script: list[tuple[int, int]]) -> list[Stored]:
            written: list[Stored] = []
            for place, number in script:
                written += await _append_somehow(log, sessions[place], some(number))
            return written

        written = await asyncio.gather(*(play(script) for script in scripts))
        rows = await read_all(log, page=7)
        assert_sound(rows)
        assert sorted((row for part in written for row in part), key=_seq) == rows
        assert {head.session: head.version for head in await log.heads()} == {
            row.session: row.version for row in rows
        }
        await log.close()

    # reading

    @pytest.mark.promise("SF-LOG-08", "SF-LOG-18")
    async def test_reading_is_filtered_by_what_is_asked(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        one, two = new_session(), new_session()
        a = await log.append(one, 0, [renamed("a"), started("b")])
        b = await log.append(two, 0, [started("c"), renamed("d")])
        c = await log.append(one, 2, [draft_of(SessionStarted(SessionConfig(name="e")))])
        rows = [*a, *b, *c]
        assert list(await log.read()) == rows
        assert list(await log.read(a[1].seq)) == [*b, *c]
        assert list(await log.read(c[-1].seq)) == []
        assert list(await log.read(limit=3)) == rows[:3]
        assert list(await log.read(limit=0)) == []
        assert list(await log.read(session=one)) == [*a, *c]
        assert list(await log.read(a[0].seq, session=one, limit=1)) == [a[1]]
        assert list(await log.read(types=["session_renamed"])) == [a[0], b[1]]
        assert list(await log.read(types=["cell_started", "session_started"])) == [a[1], b[0], c[0]]
        assert list(await log.read(a[1].seq, types=["cell_started"], session=two)) == [b[0]]
        assert list(await log.read(types=["cell_started"], limit=1)) == [a[1]]
        assert list(await log.read(types=["unheard_of"])) == []
        assert list(await log.read(session=new_session())) == []

    async def test_one_session_is_read_from_a_version_on(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        rows = await log.append(session, 0, some(5))
        await log.append(new_session(), 0, some(2))
        assert list(await log.read_session(session, 2)) == list(rows[2:])
        assert list(await log.read_session(session, 1, 2)) == list(rows[1:3])
        assert list(await log.read_session(session, 5)) == []
        assert list(await log.read_session(session, 0, 0)) == []
        assert list(await log.read_session(new_session())) == []

    async def test_an_event_is_found_by_its_id(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        drafts = some(3)
        rows = await log.append(new_session(), 0, drafts)
        assert await log.find(drafts[1].id) == rows[1]
        assert await log.find(EventId("nobody.0")) is None

    async def test_heads_name_every_session_oldest_first(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        assert await log.head() == 0
        one, two = new_session(), new_session()
        await log.append(one, 0, some(2))
        await log.append(two, 0, some(3))
        last = await log.append(one, 2, some(1))
        heads = await log.heads()
        assert [(head.session, head.version) for head in heads] == [(two, 3), (one, 3)]
        assert heads[-1].seq == await log.head() == last[-1].seq
        assert heads[0].seq < heads[1].seq

    @pytest.mark.promise("SF-LOG-08", "SF-LOG-19")
    async def test_no_reader_is_overtaken_by_a_lower_seq(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)

        async def write(through: EventLog) -> None:
            session = new_session()
            for version in range(0, 30, 2):
                await through.append(session, version, some(2))

        writing = asyncio.gather(*(write(through) for through in (log, other) * 3))
        seen: list[Stored] = []
        while not writing.done():
            seen += await log.read(seen[-1].seq if seen else 0, limit=5)
        await writing
        seen += await log.read(seen[-1].seq if seen else 0)
        assert seen == await read_all(other)
        assert len(seen) == 180
        assert_sound(seen)

    # listening

    @pytest.mark.promise("SF-LOG-08")
    async def test_listeners_hear_before_the_appender(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        heard, also = Heard(), Heard()
        log.listen(heard)
        stop = log.listen(also)

        async def append_then_look() -> None:
            rows = await log.append(new_session(), 0, some(2))
            assert [row for row in heard.rows if row in rows] == list(rows)

        await asyncio.gather(*(append_then_look() for _ in range(20)))
        stop()
        stop()
        await log.append(new_session(), 0, some(1))
        assert heard.rows == await read_all(log)
        assert also.rows == heard.rows[:-1]

    async def test_what_failed_is_not_heard(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        drafts = some(1)
        await log.append(session, 0, drafts)
        heard = Heard()
        log.listen(heard)
        with pytest.raises(VersionConflict):
            await log.append(session, 0, some(1))
        await log.append(session, 0, drafts)
        rows = await log.append(session, 1, some(1))
        assert heard.rows == list(rows)

    @pytest.mark.promise("SF-LOG-19")
    async def test_commits_of_another_process_wake(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        heard = Heard()
        log.listen(heard)
        for version in range(3):
            heard.calls.clear()
            await other.append(SessionId("session-abroad"), version, some(1))
            await heard.until(lambda: bool(heard.calls))
        assert heard.rows == []
        assert list(await log.read()) == list(await other.read())
        assert len(await log.read()) == 3

    # ownership

    @pytest.mark.promise("SF-LOG-19")
    async def test_a_session_has_one_owner(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        session = new_session()
        lease = await log.claim(session)
        assert lease.session == session
        assert await log.claim(session) == lease
        with pytest.raises(NotOwner) as caught:
            await other.claim(session)
        assert (caught.value.session, caught.value.owner) == (session, lease.owner)
        await log.append(session, 0, some(1), lease)
        elsewhere = await other.claim(new_session())
        assert elsewhere.owner != lease.owner

    async def test_a_lease_that_was_overtaken_is_worthless(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        session = new_session()
        old = await log.claim(session)
        await log.append(session, 0, some(1), old)
        await log.release(old)
        with pytest.raises(NotOwner):
            await log.append(session, 1, some(1), old)
        new = await other.claim(session)
        assert new.generation > old.generation
        with pytest.raises(NotOwner) as caught:
            await log.append(session, 1, some(1), old)
        assert caught.value.owner == new.owner
        await log.release(old)
        with pytest.raises(NotOwner):
            await log.claim(session)
        await other.append(session, 1, some(1), new)
        await other.release(new)
        back = await log.claim(session)
        assert back.generation > new.generation
        with pytest.raises(NotOwner):
            await log.append(session, 2, some(1), old)
        assert len(await log.read_session(session)) == 2

    async def test_closing_gives_every_session_up(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        session = new_session()
        old = await log.claim(session)
        await log.close()
        with pytest.raises(NotOwner):
            await other.append(session, 0, some(1), old)
        new = await other.claim(session)
        assert new.generation > old.generation

    async def test_without_a_lease_an_append_is_unfenced(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        session = new_session()
        await log.claim(session)
        await other.append(session, 0, some(1))
        assert len(await log.read_session(session)) == 1

    # snapshots

    async def test_the_newest_snapshot_is_kept(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        rows = await log.append(session, 0, some(5))
        assert await log.load_snapshot(session) is None
        for version in (2, 4, 3):
            await log.save_snapshot(
                Snapshot(session, version, rows[version - 1].seq, "fold-1", bytes([0, version]))
            )
        kept = await log.load_snapshot(session)
        assert kept == Snapshot(session, 4, rows[3].seq, "fold-1", b"\0\4")
        newer = Snapshot(session, 4, rows[3].seq, "fold-2", b"anew")
        await log.save_snapshot(newer)
        assert await log.load_snapshot(session) == newer
        assert await log.load_snapshot(new_session()) is None

    # search

    async def test_search_finds_events_with_all_words(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session, another = new_session(), new_session()
        rows = await log.append(
            session,
            0,
            [
                started("import pandas\nframe = pandas.read_csv('The_Rivers.csv')"),
                draft_of(
                    CellFinished(
                        CellId("c1"),
                        0.1,
                        value="(1200, 4)",
                        outputs=(StreamText("stdout", "loaded größe rivers quickly"),),
                        names=("frame",),
                    )
                ),
                draft_of(
                    CellFailed(CellId("c2"), CodeRaised("ZeroDivisionError", "division by zero"))
                ),
            ],
        )
        other = await log.append(another, 0, [renamed("pandas and the rivers")])

        async def found(query: str, session: SessionId | None = None) -> set[int]:
            hits = await log.search(query, session=session)
            assert len({hit.seq for hit in hits}) == len(hits)
            return {hit.seq for hit in hits}

        assert await found("pandas") == {rows[0].seq, other[0].seq}
        assert await found("PANDAS rivers") == {rows[0].seq, other[0].seq}
        assert await found("pandas", another) == {other[0].seq}
        assert await found("rivers loaded") == {rows[1].seq}
        assert await found("größe") == {rows[1].seq}
        assert await found("zerodivisionerror division") == {rows[2].seq}
        assert await found("frame") == {rows[0].seq, rows[1].seq}
        assert await found("the") == {rows[0].seq, other[0].seq}
        assert await found("pandas zero") == set()
        assert await found("cell_finished") == set()
        assert len(await log.search("rivers", limit=2)) == 2
        hit = (await log.search("quickly"))[0]
        assert (hit.session, hit.seq) == (session, rows[1].seq)
        assert "quickly" in hit.excerpt

    async def test_search_sees_every_append(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        other = await open_log.second(log)
        session = new_session()
        for version in range(3):
            through = other if version == 1 else log
            await through.append(session, version, [renamed("needle")])
            assert len(await log.search("needle")) == version + 1

    @pytest.mark.parametrize(
        "query",
        [
            *("", " ", '"', '"needle', "'", "a AND", "OR", "NOT needle", "NEAR(a b)", "ne*", "*"),
            *("-needle", "col:needle", "(needle", ")", "^", "a:b:c", "needle!", "\\", "%", "_"),
            *(
                "\0",
                "needle\0needle",
                "🦀",
                "&|!",
                "<->",
                ";--",
                "'; DROP TABLE events",
                "x" * 9999,
            ),
        ],
    )
    async def test_any_text_is_a_valid_query(self, open_log: StoreMaker, query: str) -> None:
        log = await open_log.make()
        await log.append(new_session(), 0, [renamed("needle")])
        hits = await log.search(query)
        assert len(hits) <= 1
        assert len(await log.search("needle")) == 1

    # looking after it

    async def test_a_log_checks_clean(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        assert list(await log.check()) == []
        session = new_session()
        lease = await log.claim(session)
        blob = await log.blobs.put(b"y" * 100_000)
        rows = await log.append(session, 0, [*some(3), _finished(blob)], lease)
        await log.append(new_session(), 0, some(2))
        await log.save_snapshot(Snapshot(session, 3, rows[2].seq, "fold-1", b"state"))
        await log.search("name")
        assert list(await log.check()) == []
        assert len(await read_all(log)) == 6

    async def test_check_names_a_damaged_row(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        rows = await log.append(session, 0, some(3))
        await log.append(new_session(), 0, some(3))
        await open_log.damage_row(log, rows[1].seq)
        findings = await log.check()
        assert [(one.session, one.seq) for one in findings] == [(session, rows[1].seq)]
        assert findings[0].problem
        await log.append(session, 3, some(1))

    async def test_check_names_a_missing_and_a_damaged_blob(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        kept, spoiled = await log.blobs.put(b"kept"), await log.blobs.put(b"spoiled")
        missing = Blob("ab" * 32, 3)
        drafts = [_finished(kept), _finished(spoiled), _finished(missing)]
        rows = await log.append(session, 0, drafts)
        await open_log.damage_blob(log, spoiled.sha256)
        findings = await log.check()
        assert [(one.session, one.seq) for one in findings] == [
            (session, rows[1].seq),
            (session, rows[2].seq),
        ]
        assert spoiled.sha256 in findings[0].problem
        assert missing.sha256 in findings[1].problem

    async def test_a_removed_session_is_gone_for_good(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        kept, gone = new_session(), new_session()
        stays = await log.append(kept, 0, [renamed("needle")])
        drafts = [renamed("needle"), *some(2)]
        rows = await log.append(gone, 0, drafts)
        await log.save_snapshot(Snapshot(gone, 3, rows[2].seq, "fold-1", b"state"))
        assert len(await log.search("needle")) == 2
        assert await log.remove(gone) == 3
        assert await log.remove(gone) == 0
        assert await read_all(log) == list(stays)
        assert [head.session for head in await log.heads()] == [kept]
        assert await log.find(drafts[0].id) is None
        assert await log.load_snapshot(gone) is None
        assert [hit.session for hit in await log.search("needle")] == [kept]
        assert list(await log.check()) == []
        again = await log.append(gone, 0, drafts)
        assert [row.version for row in again] == [1, 2, 3]
        assert again[0].seq > rows[-1].seq, "a seq that a reader may have seen was used twice"
        assert data_of(await log.read_session(gone)) == data_of(drafts)

    @pytest.mark.promise("SF-LOG-22")
    async def test_a_backup_is_a_complete_copy(self, open_log: StoreMaker, tmp_path: Path) -> None:
        log = await open_log.make()
        sessions = [new_session() for _ in range(3)]
        blob = await log.blobs.put(b"z" * 70_000, "image/png")
        for session in sessions:
            await log.append(session, 0, [*some(2), _finished(blob)])
        await log.remove(sessions[1])
        rows = await read_all(log)
        target = tmp_path / "copy"
        await log.backup(str(target))
        await log.append(sessions[0], 3, some(1))
        copy = await open_log.restore(target)
        assert await read_all(copy) == rows
        assert list(await copy.heads()) == [
            (sessions[0], 3, rows[2].seq),
            (sessions[2], 3, rows[5].seq),
        ]
        assert await copy.blobs.get(blob.sha256) == b"z" * 70_000
        assert list(await copy.check()) == []
        assert len(await copy.search("name")) == 4
        await copy.append(sessions[2], 3, some(1))
        assert len(await log.read_session(sessions[2])) == 3

    async def test_a_backup_never_overwrites(self, open_log: StoreMaker, tmp_path: Path) -> None:
        log = await open_log.make()
        await log.append(new_session(), 0, some(1))
        target = tmp_path / "taken"
        target.write_text("precious")
        with pytest.raises(LogError, match="taken"):
            await log.backup(str(target))
        assert target.read_text() == "precious"

    # opening and closing

    @pytest.mark.promise("SF-LOG-20", "SF-LOG-21")
    async def test_everything_is_there_after_a_restart(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        session = new_session()
        lease = await log.claim(session)
        rows = await log.append(session, 0, some(3), lease)
        blob = await log.blobs.put(b"content")
        snapshot = Snapshot(session, 3, rows[2].seq, "fold-1", b"state")
        await log.save_snapshot(snapshot)
        log = await open_log.reopen(log)
        assert await read_all(log) == list(rows)
        assert await log.head() == rows[-1].seq
        assert await log.blobs.get(blob.sha256) == b"content"
        assert await log.load_snapshot(session) == snapshot
        with pytest.raises(VersionConflict):
            await log.append(session, 2, some(1))
        renewed = await log.claim(session)
        assert renewed.generation > lease.generation
        more = await log.append(session, 3, some(1), renewed)
        assert more[0].seq > rows[-1].seq
        with pytest.raises(NotOwner):
            await log.append(session, 4, some(1), lease)
        assert list(await log.check()) == []

    async def test_closing_finishes_what_was_begun(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        sessions = [new_session() for _ in range(5)]
        *written, _ = await asyncio.gather(
            *(log.append(session, 0, some(2)) for session in sessions), log.close()
        )
        log = await open_log.reopen(log)
        assert sorted((row for rows in written for row in rows or ()), key=_seq) == (
            await read_all(log)
        )

    async def test_a_closed_log_says_so(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        await log.close()
        await log.close()
        with pytest.raises(StoreDown):
            await log.append(new_session(), 0, some(1))
        with pytest.raises(StoreDown):
            await log.read()

    @pytest.mark.promise("SF-LOG-20")
    async def test_a_log_has_a_name_and_no_needless_warning(self, open_log: StoreMaker) -> None:
        log = await open_log.make()
        assert log.name
        assert list(log.warnings) == []


async def _cancel(task: "asyncio.Task[Sequence[Stored]]") -> None:
    task.cancel()


async def _append_somehow(
    log: EventLog, session: SessionId, drafts: Sequence[Draft]
) -> Sequence[Stored]:
    """Append at whatever version the session has, as a writer does that lost a race."""
    expected = 0
    while True:
        try:
            return await log.append(session, expected, drafts)
        except VersionConflict as conflict:
            expected = conflict.actual


def _seq(row: Stored) -> int:
    return row.seq


def _finished(blob: Blob) -> Draft:
    return draft_of(CellFinished(CellId("c1"), 0.1, value=blob))
