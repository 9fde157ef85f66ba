"""What one tab is sent: its own session, and nothing that is another's."""

import asyncio
from pathlib import Path

import pytest
from tests.journeys.dashboards import PATIENCE, A, B
from tests.servers.dashboard.looked_at import SESSION, Watched, beyond, until, watched
from tests.servers.dashboard.model_page import ModelPage, frames_in

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard import feeds as module
from hearth.servers.dashboard.asides import Chosen
from hearth.servers.dashboard.assets import assets
from hearth.servers.dashboard.feeds import Feed

OTHER = SessionId(B)


class Tab:
    """A feed, and the page that is given what it has."""

    def __init__(self, opened: Watched, chosen: Chosen, name: str = "tab") -> None:
        self.news = asyncio.Event()
        self.page = ModelPage()
        self.sent = b""
        self.feed = Feed(opened.parts, name, opened.whose, chosen, self.news.set)
        self.feed.open()

    async def until_it_shows(self, *words: str, place: str = "timeline") -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                self.news.clear()
                self.pull()
                found = self.page.find(place)
                if found is not None and all(one in found.text for one in words):
                    return
                await self.news.wait()

    async def until_told(self, name: str) -> dict[str, str]:
        async with asyncio.timeout(PATIENCE):
            while True:
                self.news.clear()
                self.pull()
                for event, said in self.page.told:
                    if event == name:
                        answer: dict[str, str] = said
                        return answer
                await self.news.wait()

    def pull(self) -> bytes:
        frames = self.feed.pull()
        self.sent += frames
        self.page.take(frames)
        return frames


@pytest.mark.promise("SF-ISO-06", "SF-ISO-09")
async def test_two_tabs_are_sent_their_own_sessions_and_nothing_else(tmp_path: Path) -> None:
    async with watched(tmp_path, sessions=(A, B)) as opened:
        here = Tab(opened, Chosen(SESSION), "here")
        there = Tab(opened, Chosen(OTHER), "there")
        await opened.daemon.ask("for here", A)
        await opened.daemon.ask("for there", B)
        opened.daemon.model.write("apples", A)
        opened.daemon.model.write("berries", B)
        await here.until_it_shows("apples")
        await there.until_it_shows("berries")
        assert b"berries" not in here.sent
        assert b"apples" not in there.sent
        assert {one.tab for one in frames_in(here.sent)} == {"here"}
        assert {one.tab for one in frames_in(there.sent)} == {"there"}
        here.feed.close()
        there.feed.close()


@pytest.mark.promise("SF-ISO-07")
async def test_a_tab_that_shows_another_session_moves_alone(tmp_path: Path) -> None:
    async with watched(tmp_path, sessions=(A, B)) as opened:
        await opened.daemon.run("1+1", A)
        one, other = Tab(opened, Chosen(SESSION), "one"), Tab(opened, Chosen(SESSION), "other")
        await one.until_it_shows("1+1")
        await other.until_it_shows("1+1")
        first, second = await opened.screen(), await opened.screen(OTHER)
        other.pull()
        one.feed.choose(Chosen(OTHER))
        assert first.watched == 1
        one.page.told.clear()
        assert (await one.until_told("hearth-view"))["session"] == OTHER
        timeline = one.page.find("timeline")
        assert timeline is not None
        assert timeline.attributes["data-session"] == OTHER
        assert (first.watched, second.watched) == (1, 1)
        assert sorted(opened.attending) == [("one", OTHER), ("other", SESSION)]
        assert "hearth-view" not in str(frames_in(other.feed.pull()))
        one.feed.close()
        other.feed.close()
        assert not opened.attending


async def test_fifty_tabs_cost_one_follower_and_are_sent_the_same(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        opened.hearth.followed.clear()
        tabs = [Tab(opened, Chosen(SESSION, "variables"), "t") for _ in range(50)]
        for one in tabs:
            await one.until_it_shows()
        await opened.daemon.ask("go")
        opened.daemon.model.write("words")
        for one in tabs:
            await one.until_it_shows("words")
        # The timeline's, that of the panel, and that of the sidebar.
        assert len(opened.hearth.followed) <= 4
        assert len({one.sent.count(b"words") for one in tabs}) == 1
        shown = [one.page.items() for one in tabs]
        assert all(one == shown[0] for one in shown)
        for one in tabs:
            one.feed.close()
        (await opened.screen())._unless_watched()
        await until(lambda: opened.hearth.open == [])


async def test_a_tab_says_which_build_of_the_pages_it_is_for(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        home, session = Tab(opened, Chosen()), Tab(opened, Chosen(SESSION))
        build = assets().build
        assert await home.until_told("hearth-view") == {"session": "", "build": build}
        assert await session.until_told("hearth-view") == {"session": A, "build": build}
        await home.until_it_shows(place="home")
        assert home.page.find("timeline") is None
        home.feed.close()
        session.feed.close()


async def test_one_that_is_late_is_given_all_it_missed_and_nothing_was_kept_for_it(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as opened:
        slow = Tab(opened, Chosen(SESSION))
        await slow.until_it_shows()
        screen = await opened.screen()
        await opened.daemon.ask("go")
        for number in range(20):
            before = screen.number
            opened.daemon.model.write(f"word{number} ")
            await beyond(screen, before)
        assert sum(map(len, slow.feed._pieces.values())) < 200_000
        assert len(slow.feed._pieces) <= 3
        slow.pull()
        assert "word0" in slow.page.text("timeline")
        assert "word19" in slow.page.text("timeline")
        slow.page.check()
        assert slow.feed.pull() == b""
        # One that falls out of what is kept is given the whole.
        screen._steps.clear()
        slow.feed._number = 0
        whole = slow.pull()
        assert b'id="timeline"' in whole
        slow.feed.close()


@pytest.mark.promise("DP-BG-06")
async def test_what_cannot_be_shown_is_said_and_shown_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AGAIN", 0)
    async with watched(tmp_path) as opened:
        rows = opened.around.rows

        async def down(*_: object) -> object:
            raise OSError("the disk is gone")

        object.__setattr__(opened.around, "rows", down)
        tab = Tab(opened, Chosen(SESSION))
        said = await tab.until_told("hearth-trouble")
        assert "cannot be read" in said["words"]
        assert said["hint"]
        assert tab.page.find("timeline") is None
        await tab.until_it_shows(place="sidebar")
        object.__setattr__(opened.around, "rows", rows)
        await tab.until_it_shows()
        tab.feed.close()


async def test_a_session_that_is_not_there_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AGAIN", 0)
    async with watched(tmp_path) as opened:
        tab = Tab(opened, Chosen(SessionId("session-zzzzzz")))
        assert (await tab.until_told("hearth-trouble"))["words"]
        await tab.until_it_shows(place="panel")
        asked = opened.hearth.views.count("status")
        await opened.daemon.run("1+1")
        assert opened.hearth.views.count("status") <= asked + 1
        tab.feed.close()


async def test_when_a_screen_ends_its_tabs_come_back_to_the_next_and_hold_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AGAIN", 0)
    async with watched(tmp_path) as opened:
        tab = Tab(opened, Chosen(SESSION))
        await tab.until_it_shows()
        for _ in range(3):
            before = await opened.screen()
            before.end()
            tab.pull()
            assert tab.feed._screen is None
            await until(lambda: tab.feed._screen is not None)
            tab.page.told.clear()
            await tab.until_told("hearth-view")
        screen = await opened.screen()
        assert screen.watched == 1
        assert opened.hearth.open.count(SESSION) == 1
        tab.feed.close()
        assert screen.watched == 0


async def test_a_panel_that_is_chosen_is_sent_and_so_is_one_that_is_chosen_again(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as opened:
        tab = Tab(opened, Chosen(SESSION))
        await tab.until_it_shows(place="panel")
        tab.feed.choose(Chosen(SESSION, "events"))
        await until(lambda: b'data-panel="events"' in tab.pull())
        tab.feed.choose(Chosen(SESSION, "events"))
        await until(lambda: b'data-panel="events"' in tab.pull())
        tab.feed.choose(Chosen(SESSION))
        await until(lambda: b'data-panel=""' in tab.pull())
        assert opened.asides.open == 1
        tab.feed.close()
        assert opened.asides.open == 0


async def test_a_defect_in_the_sidebar_leaves_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(tmp_path) as opened:

        async def broken(_: str) -> str:
            raise RuntimeError("boom")

        monkeypatch.setattr(opened.overview, "shown", broken)
        tab = Tab(opened, Chosen(SESSION))
        said = await tab.until_told("hearth-trouble")
        assert "boom" not in str(said)
        await tab.until_it_shows()
        await tab.until_it_shows(place="panel")
        tab.feed.close()


async def test_nothing_is_left_of_a_tab_that_is_gone(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        before = asyncio.all_tasks()
        tabs = [Tab(opened, Chosen(SESSION, "events")), Tab(opened, Chosen(None, "approvals"))]
        tabs[0].feed.choose(Chosen(None))
        tabs[0].feed.choose(Chosen(SESSION, "usage"))
        await tabs[0].until_it_shows()
        for one in tabs:
            one.feed.close()
            one.feed.close()
        assert not opened.attending
        assert opened.asides.open == 0
        assert not opened.overview._watchers
        await opened.screens.close()
        await until(lambda: not asyncio.all_tasks() - before)
        assert opened.hearth.open == []
