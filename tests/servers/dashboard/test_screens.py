"""Screens: followed once and drawn once, however many look."""

import asyncio
from pathlib import Path

import pytest
from tests.journeys.dashboards import A, B
from tests.servers.dashboard.looked_at import SESSION, beyond, until, watched
from tests.servers.dashboard.model_page import ModelPage

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import (
    Refused,
    ShuttingDown,
    StoreUnavailable,
    UnknownSession,
)
from hearth.servers.dashboard import screens as module
from hearth.servers.dashboard.screens import Screen


async def test_however_many_ask_at_once_it_is_followed_once(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        opened.hearth.followed.clear()
        found = await asyncio.gather(*(opened.screens.of(SESSION) for _ in range(50)))
        assert len({id(one) for one in found}) == 1
        assert opened.hearth.followed == [SESSION]
        assert opened.screens.open == 1


@pytest.mark.promise("DP-BG-05", "DP-BG-07")
async def test_a_page_that_comes_at_any_step_ends_up_with_the_same(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        screen = await opened.screen()
        leave = screen.watch(lambda: None)
        pages: list[tuple[ModelPage, int]] = []
        await opened.daemon.ask("write")
        for number in range(12):
            page = ModelPage()
            page.take(screen.picture.whole())
            pages.append((page, screen.number))
            before = screen.number
            opened.daemon.model.write(f"piece {number}\n\n")
            await beyond(screen, before)
        opened.daemon.model.end()
        await opened.daemon.ended()
        newest = (await opened.daemon.served.log.read())[-1].seq
        await until(lambda: screen.picture.cursor == newest)
        fresh = await opened.fresh()
        for page, number in pages:
            frames = screen.since(number)
            assert frames is not None
            page.take(frames)
            page.check()
            assert page.items() == fresh.items()
            assert page.text("head") == fresh.text("head")
        leave()


async def test_who_fell_out_of_what_is_kept_needs_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROOM", 2000)
    async with watched(tmp_path) as opened:
        screen = await opened.screen()
        leave = screen.watch(lambda: None)
        for _ in range(4):
            number = screen.number
            await opened.daemon.run("print")
            await beyond(screen, number)
        assert screen.since(0) is None
        assert screen.since(screen.number) == b""
        assert screen.since(screen.number + 1) is None
        # What is kept is bounded, whatever comes.
        assert sum(len(one.frames) for one in screen._steps) == screen._bytes
        assert len(screen._steps) == 1 or screen._bytes <= 2000
        leave()


async def test_one_that_nobody_ever_watched_ends_as_well(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        screen = await opened.screen()
        assert screen._lingering is not None
        left = screen._lingering.when() - screen._loop.time()
        assert left <= module.LINGER + 1e-6, "clocks are fractions, and differ by less"
        screen._unless_watched()
        assert screen.ended
        assert opened.screens.open == 0
        await screen.closed()
        assert SESSION not in opened.hearth.open


async def test_one_that_nobody_watches_any_more_ends_after_a_while(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        screen = await opened.screen()
        one, other = screen.watch(lambda: None), screen.watch(print)
        assert screen._lingering is None
        one()
        assert screen._lingering is None
        other()
        assert screen._lingering is not None
        # Whoever comes in time finds it as it was.
        again = screen.watch(lambda: None)
        assert screen._lingering is None
        assert await opened.screen() is screen
        screen._unless_watched()
        assert not screen.ended
        again()
        screen._unless_watched()
        assert screen.ended
        await screen.closed()
        other()
        assert screen._lingering is None
        assert SESSION not in opened.hearth.open
        assert await opened.screen() is not screen


async def test_those_who_watch_are_told_of_the_end(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        screen = await opened.screen()
        told: list[bool] = []
        screen.watch(lambda: told.append(screen.ended))
        screen.end()
        screen.end()
        assert told == [True]


@pytest.mark.promise("DP-BG-06")
async def test_what_cannot_be_read_is_refused_in_words_and_tried_anew_the_next_time(
    tmp_path: Path,
) -> None:
    async with watched(tmp_path) as opened:
        rows = opened.around.rows

        async def down(*_: object) -> object:
            raise OSError("the disk is gone")

        object.__setattr__(opened.around, "rows", down)
        refused = await opened.screens.of(SESSION)
        assert isinstance(refused, StoreUnavailable)
        assert refused.remedy
        assert opened.screens.open == 0
        assert SESSION not in opened.hearth.open
        object.__setattr__(opened.around, "rows", rows)
        assert isinstance(await opened.screens.of(SESSION), Screen)


@pytest.mark.promise("DP-BG-06")
async def test_a_defect_in_one_session_is_contained(tmp_path: Path) -> None:
    async with watched(tmp_path, sessions=(A, B)) as opened:
        opened.hearth.refuse["talking"] = RuntimeError("boom")
        refused = await opened.screens.of(SESSION)
        assert isinstance(refused, Refused)
        assert "boom" not in refused.why
        assert opened.screens.open == 0
        assert SESSION not in opened.hearth.open
        opened.hearth.refuse.clear()
        assert isinstance(await opened.screens.of(SessionId(B)), Screen)
        assert isinstance(await opened.screens.of(SESSION), Screen)


async def test_a_defect_while_drawing_ends_the_screen_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watched(tmp_path, sessions=(A, B)) as opened:
        screen, other = await opened.screen(), await opened.screen(SessionId(B))

        async def broken() -> bytes:
            raise RuntimeError("boom")

        monkeypatch.setattr(screen.picture, "step", broken)
        screen.watch(lambda: None)
        await opened.daemon.run("1+1")
        await until(lambda: screen.ended)
        await screen.closed()
        assert not other.ended
        assert opened.screens.open == 1
        assert await opened.screen() is not screen


async def test_no_session_no_screen(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        assert isinstance(await opened.screens.of(SessionId("session-zzzzzz")), UnknownSession)
        assert opened.screens.open == 0


async def test_one_who_gives_up_does_not_take_it_from_others(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        one, other = (asyncio.create_task(opened.screens.of(SESSION)) for _ in range(2))
        await asyncio.sleep(0)
        one.cancel()
        assert isinstance(await other, Screen)
        assert one.cancelled()


async def test_nothing_is_left_over(tmp_path: Path) -> None:
    async with watched(tmp_path) as opened:
        before = asyncio.all_tasks()
        screen = await opened.screen()
        screen.watch(lambda: None)
        opening = asyncio.create_task(opened.screens.of(SessionId("session-zzzzzz")))
        await opened.screens.close()
        await opening
        assert screen.ended
        assert SESSION not in opened.hearth.open
        assert isinstance(await opened.screens.of(SESSION), ShuttingDown)
        assert opened.screens.open == 0
        names = [
            getattr(one.get_coro(), "__qualname__", "") for one in asyncio.all_tasks() - before
        ]
        assert not [one for one in names if one.startswith(("Screen", "Picture"))]
