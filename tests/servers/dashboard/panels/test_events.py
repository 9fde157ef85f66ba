"""The raw log, to be read by people."""

import dataclasses
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from tests.servers.dashboard.panels.looking_at import (
    HOSTILE,
    NOW,
    SESSION,
    Read,
    instead,
    looking,
    tame,
)
from tests.servers.http.serving import Served, served

from hearth.core.views.status import Status
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.panels.events import LONGEST, SHORT, show, written
from hearth.servers.dashboard.panels.saying import said_of
from hearth.servers.http.around import Around
from hearth.servers.http.seeing import seen


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        await opened.begin()
        yield opened


async def shown(around: Around, **wanted: str) -> Read:
    return tame(await show(looking(around, SESSION, **wanted), SESSION, NOW))


async def with_log(daemon: Served, count: int, event: dict[str, str]) -> Around:
    """The same session with so many events like this."""

    async def rows(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        origin = {"actor": "agent", "name": event.get("name", ""), "door": "mcp"}
        fact = {"at": "2026-01-02T11:00:00Z", "origin": origin, "event": event}
        data = msgspec.json.encode(fact)
        found = range(after + 1, min(after + limit, count) + 1)
        return [Stored(one, session, one, data) for one in found]

    around = dataclasses.replace(daemon.around, rows=rows)
    status, _ = await seen(daemon.engine, "status", Status, SESSION)
    return instead(around, status=replace(status, events=count))


async def test_each_event_has_its_version_type_author_and_whole_text(daemon: Served) -> None:
    await daemon.command({"type": "run_cell", "code": "1+1"})
    read = await shown(daemon.around)
    folded = read.all("details", data_preserve_attr="open")
    assert len(folded) == await daemon.events()
    assert "session_started" in folded[-1].text
    assert "cell_started" in read.text
    assert '"code": "1+1"' in read.text
    assert [one.text for one in read.all("span", class_="p-version muted")][-1] == "1"
    assert not any("open" in one.attributes for one in folded)
    assert read.buttons() == ["Filter"], "there is but one page"


async def test_a_filter_shows_fewer_and_says_what_it_looked_at(daemon: Served) -> None:
    read = await shown(daemon.around, filter="warm_up")
    assert "session_warm_up_started" in read.text
    assert "session_started" not in read.text
    total = await daemon.events()
    assert f"Looked at {total} events" in read.text
    assert "None of these events fits." in (await shown(daemon.around, filter="zzz")).text


async def test_one_can_go_back_and_forth(daemon: Served) -> None:
    around = await with_log(daemon, 120, {"type": "plain"})
    newest = await shown(around)
    assert "71–120 of 120 events" in newest.text  # noqa: RUF001 - a range
    assert newest.buttons() == ["Filter", "Older"]
    assert newest.button("Older").fields == {"panel": "events", "before": "71"}
    middle = await shown(around, before="71")
    assert middle.buttons() == ["Filter", "Newest", "Older"]
    last = await shown(around, before="21")
    assert "1–20 of 120 events" in last.text  # noqa: RUF001 - a range
    assert last.buttons() == ["Filter", "Newest", "Newer"]
    assert last.button("Newer").fields == {"panel": "events", "before": "71"}
    assert last.button("Newest").fields == {"panel": "events"}


@pytest.mark.parametrize("before", ["-1", "x", "9" * 40, "²", "0"])
async def test_what_is_no_place_is_the_newest_page(daemon: Served, before: str) -> None:
    around = await with_log(daemon, 60, {"type": "plain"})
    assert "11–60 of 60" in (await shown(around, before=before)).text  # noqa: RUF001 - a range


async def test_a_long_event_is_cut_and_shown_whole_when_one_asks(daemon: Served) -> None:
    around = await with_log(daemon, 2, {"type": "plain", "x": "y" * (SHORT * 2)})
    read = await shown(around, before="3", filter="plain")
    assert max(len(one.text) for one in read.all("pre")) < SHORT * 1.2
    more = [one for one in read.all("button") if one.text == "Show all of it"]
    assert [one.fields["whole"] for one in more] == ["2", "1"]
    assert more[0].fields["filter"] == "plain"
    whole = await shown(around, whole="2")
    assert "y" * (SHORT * 2) in whole.text
    opened = [one for one in whole.all("details") if "open" in one.attributes]
    assert [one.attributes["id"] for one in opened] == ["p-event-2"]


async def test_hostile_events_are_text_and_bounded(daemon: Served) -> None:
    event = {"type": HOSTILE[:100], "name": HOSTILE[:200], "x": HOSTILE}
    around = await with_log(daemon, 50, event)
    read = await shown(around, whole="50")
    assert "<script>" in read.text
    assert max(len(one.text) for one in read.all("pre")) <= LONGEST + 100


async def test_an_event_that_cannot_be_read_is_shown_as_it_is(daemon: Served) -> None:
    async def rows(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        return [Stored(1, session, 1, b"<b>\xff{")] if after == 0 and limit else []

    around = dataclasses.replace(daemon.around, rows=rows)
    read = await shown(around)
    assert "unreadable" in read.text
    assert "<b>\ufffd{" in read.text
    assert written(b"\xff" * 400_000) == "\ufffd" * 400_000


async def test_a_store_that_is_down_is_said_in_words(daemon: Served) -> None:
    async def rows(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        raise OSError(f"no disk for {session} {after} {limit}")

    around = dataclasses.replace(daemon.around, rows=rows)
    read = tame(await said_of(show)(looking(around)))
    assert "no disk" in read.text
