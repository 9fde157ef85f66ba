"""One connection for all tabs of a browser."""

import asyncio
from pathlib import Path

import pytest
from tests.journeys.dashboards import PATIENCE, A, B
from tests.servers.dashboard.looked_at import SESSION, Watched, beyond, until, watched
from tests.servers.dashboard.model_page import ModelPage, frames_in

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard import lines as module
from hearth.servers.dashboard.asides import Chosen
from hearth.servers.dashboard.feeds import Whose
from hearth.servers.dashboard.lines import MOST_TABS, Line
from hearth.servers.dashboard.patches import BEAT


async def shown(line: Line, tab: str, *words: str, before: ModelPage | None = None) -> ModelPage:
    """Read a line until one of its tabs shows these words in its timeline."""
    page = before or ModelPage()
    async with asyncio.timeout(PATIENCE):
        while True:
            page.take(await line.next(), tab)
            found = page.find("timeline")
            if found is not None and all(one in found.text for one in words):
                return page


async def quiet(line: Line, opened: Watched) -> None:
    """Read a line until nothing is new on it."""
    await until(lambda: all(one._side is not None for one in line._feeds.values()))
    await until(lambda: not any(feed.pull() for feed in line._feeds.values()))
    assert opened.lines.count


@pytest.mark.promise("SF-ISO-06", "SF-ISO-09")
async def test_each_frame_names_the_tab_that_it_is_for(tmp_path: Path) -> None:
    async with watched(tmp_path, sessions=(A, B)) as opened:
        await opened.daemon.run("1+1", A)
        await opened.daemon.run("print", B)
        line = opened.line(one=Chosen(SESSION), other=Chosen(SessionId(B)))
        assert line.beginning.startswith(b"retry:")
        stream = b""
        async with asyncio.timeout(PATIENCE):
            while not (b"is-finished" in stream and b"oops" in stream):
                stream += await line.next()
        assert {frame.tab for frame in frames_in(stream)} == {"one", "other"}
        for frame in frames_in(stream):
            if "timeline" in frame.said.get("elements", ""):
                session = A if frame.tab == "one" else B
                assert f'data-session="{session}"' in frame.said["elements"]
                assert frame.cursor.isdigit()
        line.close()


async def test_a_tab_comes_and_goes_while_the_line_stays(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        line = opened.line(one=Chosen(SESSION))
        await shown(line, "one")
        assert line.add("two", Chosen(SESSION))
        await shown(line, "two")
        assert line.tabs == ("one", "two")
        # One that is added again is given the whole again, and counts once.
        assert line.add("two", Chosen(SESSION))
        await shown(line, "two")
        assert (await opened.screen()).watched == 2
        line.remove("one")
        line.remove("one")
        assert (await opened.screen()).watched == 1
        assert opened.attending == [("two", SESSION)]
        assert line.feed("one") is None
        line.close()


async def test_there_is_an_end_to_the_tabs_of_one_line(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        tabs = {f"t{number}": Chosen() for number in range(MOST_TABS)}
        line = opened.lines.open("line", opened.whose, tabs)
        assert not line.add("more", Chosen())
        assert "more" not in line.tabs
        assert line.add("t0", Chosen())
        line.remove("t1")
        assert line.add("more", Chosen())
        line.close()


async def test_a_browser_that_comes_back_takes_the_place_of_the_line_that_it_lost(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as opened:
        lost = opened.line(tab=Chosen(SESSION))
        reading = asyncio.create_task(lost.next())
        again = opened.line(tab=Chosen(SESSION))
        await until(reading.done)
        assert await lost.next() == b""
        assert opened.lines.count == 1
        assert opened.attending == [("tab", SESSION)]
        lost.close()
        assert opened.lines.get("line", "ann") is again
        await shown(again, "tab")
        again.close()
        assert opened.lines.count == 0
        assert not opened.attending


async def test_lines_of_others_are_not_found(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        own = opened.line(tab=Chosen())
        other = opened.lines.open(
            "line", Whose("reader:ann", opened.whose.attend), {"tab": Chosen()}
        )
        assert opened.lines.count == 2
        assert opened.lines.feed("ann", "tab") is own.feed("tab")
        assert opened.lines.feed("reader:ann", "tab") is other.feed("tab")
        opened.lines.remove("ann", "tab")
        assert opened.lines.feed("ann", "tab") is None
        assert other.tabs == ("tab",)
        assert opened.lines.get("line", "ben") is None


async def test_a_page_hears_that_the_daemon_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(tmp_path) as opened:
        line = opened.line(tab=Chosen(SESSION))
        await shown(line, "tab")
        await quiet(line, opened)
        monkeypatch.setattr(module, "IDLE", 0)
        async with asyncio.timeout(PATIENCE):
            while await line.next() != BEAT:
                pass
        line.close()


async def test_a_line_that_nobody_reads_keeps_nothing(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        line = opened.line(one=Chosen(SESSION), other=Chosen(SESSION))
        page = await shown(line, "one")
        screen = await opened.screen()
        await opened.daemon.ask("go")
        for number in range(30):
            before = screen.number
            opened.daemon.model.write(f"word{number} " * 50)
            await beyond(screen, before)
        kept = sum(len(one) for feed in line._feeds.values() for one in feed._pieces.values())
        assert kept < 200_000
        await shown(line, "one", "word0", "word29", before=page)
        page.check()
        line.close()


async def test_the_end_is_the_end_at_once(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        line = opened.line(tab=Chosen(SESSION, "events"))
        await shown(line, "tab")
        await quiet(line, opened)
        opened.lines.close()
        assert await line.next() == b""
        assert not opened.attending
        assert opened.lines.count == 0
        assert opened.asides.open == 0
