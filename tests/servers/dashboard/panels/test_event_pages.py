"""Pages of the log: the newest first, at a cost that does not grow."""

import dataclasses
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.servers.dashboard.panels.looking_at import SESSION
from tests.servers.http.serving import Served, served

from hearth.core.views.status import Status
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.panels import event_pages
from hearth.servers.dashboard.panels.event_pages import MOST_LOOKED_AT, PAGE, Page, page
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined
from hearth.servers.http.seeing import seen


class Log:
    """A log of so many events, every tenth of which is special."""

    def __init__(self, events: int, size: int = 0) -> None:
        self.events = events
        self.size = size
        self.read = 0
        self.asked = 0

    async def rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        self.asked += 1
        found = range(after + 1, min(after + limit, self.events) + 1)
        self.read += len(found)
        return [Stored(one, session, one, self._data(one)) for one in found]

    def _data(self, version: int) -> bytes:
        special = version % 10 == 0
        return msgspec.json.encode(
            {
                "at": "2026-01-02T12:00:00Z",
                "origin": {"actor": "agent" if special else "person", "name": "bot", "door": "mcp"},
                "event": {"type": "special" if special else "plain", "x": "y" * self.size},
            }
        )


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def read(daemon: Served, log: Log, *more: Any) -> Page:
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    around: Around = dataclasses.replace(daemon.around, rows=log.rows)
    return await page(around, replace(status, events=log.events), *more)


def versions(found: Page) -> list[int]:
    return [one.version for one in found.rows]


async def test_the_newest_page_of_a_real_session(daemon: Served) -> None:
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    found = await page(daemon.around, status)
    assert found.newest == await daemon.events()
    assert versions(found) == list(range(found.newest, 0, -1))
    assert found.rows[-1].type == "session_started"
    assert found.older == 0


@pytest.mark.parametrize("events", [0, 1, 49, 50, 51, 63, 64, 65, 100, 1000, 12_345])
async def test_pages_follow_each_other_without_a_gap(daemon: Served, events: int) -> None:
    log, before, all_of_them = Log(events), 0, list[int]()
    while True:
        found = await read(daemon, log, before)
        assert found.newest == events
        assert len(found.rows) <= PAGE
        all_of_them += versions(found)
        if not found.older or len(all_of_them) > 500:
            break
        before = found.older
    assert all_of_them == list(range(events, events - len(all_of_them), -1))
    assert len(all_of_them) >= min(events, 500)


async def test_a_page_of_a_long_log_costs_what_one_of_a_short_one_costs(daemon: Served) -> None:
    log = Log(10_000_000)
    found = await read(daemon, log)
    assert versions(found)[0] == 10_000_000
    assert (log.asked, log.read) == (1, PAGE)


async def test_a_filter_looks_at_types_and_authors(daemon: Served) -> None:
    found = await read(daemon, Log(1000), 0, "SPECI")
    assert versions(found) == list(range(1000, 500, -10))
    assert found.older == 510
    by_author = await read(daemon, Log(1000), 0, "agent")
    assert versions(by_author) == versions(found)
    assert len(versions(await read(daemon, Log(1000), 0, "bot"))) == PAGE
    rest = await read(daemon, Log(1000), found.older, "special")
    assert versions(rest) == list(range(500, 0, -10))


async def test_a_filter_that_finds_nothing_looks_at_so_many_and_goes_on_from_there(
    daemon: Served,
) -> None:
    log = Log(100_000)
    found = await read(daemon, log, 0, "nothing")
    assert found.rows == ()
    assert found.looked_at == MOST_LOOKED_AT
    assert found.older == 100_000 - MOST_LOOKED_AT + 1
    assert (await read(daemon, Log(30), 0, "nothing")).older == 0


async def test_a_filter_stops_where_it_read_enough(
    daemon: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "MOST_BYTES", 100_000)
    found = await read(daemon, Log(1000, size=2000), 0, "nothing")
    assert found.looked_at == event_pages.CHUNK
    assert found.older == 901


async def test_a_place_behind_the_newest_is_the_newest(daemon: Served) -> None:
    assert versions(await read(daemon, Log(10), 10**14))[0] == 10


async def test_events_that_wait_to_be_saved_are_not_there_yet(daemon: Served) -> None:
    class Behind(Log):
        async def rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            found = await super().rows(session, after, limit)
            return [one for one in found if one.version <= 70]

    assert versions(await read(daemon, Behind(100))) == list(range(70, 50, -1))
    assert (await read(daemon, Behind(1000))).older == 951


async def test_a_row_that_cannot_be_read_is_there_all_the_same(daemon: Served) -> None:
    class Broken(Log):
        def _data(self, version: int) -> bytes:
            return b"\xff{" if version == 2 else super()._data(version)

    found = await read(daemon, Broken(3))
    assert [one.type for one in found.rows] == ["plain", "", "plain"]
    assert (await read(daemon, Broken(3), 0, "plain")).rows[-1].version == 1


async def test_a_store_that_is_down_is_said(daemon: Served) -> None:
    class Down(Log):
        async def rows(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            raise OSError(f"no disk {session} {after} {limit}")

    with pytest.raises(Declined) as caught:
        await read(daemon, Down(3))
    assert caught.value.trouble.code == "store_unavailable"
