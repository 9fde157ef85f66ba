"""All sessions as people see them."""

import asyncio
from pathlib import Path

import pytest
from tests.contracts.scenes import BOT
from tests.servers.dashboard.sidebar.mounted import A, B, C, Opened, at_once, mounted

from hearth.core.vocabulary.commands import RunCell
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.sidebar.desks import Desks
from hearth.servers.dashboard.sidebar.overview import PAUSE, Overview


def row_of(shown: str, session: SessionId) -> str:
    begin = shown.index(f'id="s-{session}"')
    return shown[begin : shown.index("</li>", begin)]


async def act(opened: Opened, session: SessionId) -> None:
    """Somebody else does something in a session."""
    before = opened.overview.lines
    await opened.daemon.engine.submit(session, RunCell("1+1", if_busy="queue"), BOT)
    await opened.until(lambda _: opened.overview.lines != before and _ready(opened, session))


def _ready(opened: Opened, session: SessionId) -> bool:
    return any(one.session == session and one.state == "ready" for one in opened.overview.lines)


async def test_whoever_watches_sees_what_happens(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        assert "No sessions yet" in await opened.sidebar()
        seeing = asyncio.create_task(opened.until(lambda shown: f'id="s-{A}"' in shown))
        await opened.begin(A)
        assert "dot-" in await seeing
        await opened.daemon.command({"type": "rename_session", "name": "loom"})
        await opened.until(lambda shown: ">loom<" in shown)
        await opened.daemon.command({"type": "stop_session"})
        await opened.until(lambda shown: "Earlier" in shown and "stopped" in shown)


async def test_nobody_follows_while_nobody_watches(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        first, second = opened.overview.watch(lambda: None), opened.overview.watch(lambda: None)
        following = opened.overview._following
        assert following is not None
        first()
        assert opened.overview._following is following
        second()
        second()
        await asyncio.gather(following, return_exceptions=True)
        assert opened.overview._following is None
        # What is shown is right all the same.
        await opened.begin(A)
        assert f'id="s-{A}"' in await opened.sidebar()


async def test_looks_are_far_enough_apart(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        pauses: list[float] = []

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            await at_once(seconds)

        overview = Overview(opened.around, Desks(tmp_path), pause=pause)
        news = asyncio.Event()
        unwatch = overview.watch(news.set)
        await opened.begin(A)
        await news.wait()
        unwatch()
        await overview.close()
        assert pauses
        assert min(pauses) >= PAUSE


async def test_all_tabs_of_a_person_are_given_the_same_bytes(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        assert await opened.sidebar() is await opened.sidebar()
        assert await opened.overview.home("ann") is await opened.overview.home("ann")
        assert 'id="home"' in await opened.overview.home("ann")


async def test_one_who_watches_and_fails_keeps_nobody_from_hearing(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:

        def fail() -> None:
            raise RuntimeError("boom")

        opened.overview.watch(fail)
        await opened.begin(A)
        await opened.until(lambda shown: f'id="s-{A}"' in shown)


async def test_what_others_did_is_new_until_it_is_looked_at(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A, B)
        await opened.sidebar()
        leave = opened.overview.looking(A, opened.person)
        await act(opened, A)
        await act(opened, B)
        shown = await opened.sidebar()
        assert "something new" not in row_of(shown, A)
        assert "something new" in row_of(shown, B)
        assert "something new" in row_of(await opened.overview.shown("ben"), A)
        leave()
        leave()
        assert "something new" not in row_of(await opened.sidebar(), A)
        await act(opened, A)
        assert "something new" in row_of(await opened.sidebar(), A)
        opened.overview.looking(A, opened.person)()
        assert "something new" not in row_of(await opened.sidebar(), A)
        assert opened.desk.active == A


async def test_what_the_person_did_elsewhere_is_not_new_to_them(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A)
        await opened.ask(A, {"type": "run_cell", "code": "1+1"})
        assert "something new" not in await opened.sidebar()


@pytest.mark.promise("DP-BG-02")
async def test_sessions_return_in_the_same_order(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        await opened.begin(A, B, C)
        await opened.desks.change(opened.person, order=(B, C, A))
        again = Overview(opened.around, Desks(tmp_path), pause=at_once)
        shown = await again.shown(opened.person)
        places = [shown.index(f'id="s-{one}"') for one in (B, C, A)]
        assert places == sorted(places)
        await again.close()


@pytest.mark.promise("DP-BG-06")
async def test_a_follower_that_fails_is_taken_up_by_the_next_who_comes(tmp_path: Path) -> None:
    async with mounted(tmp_path) as opened:
        unwatch = opened.overview.watch(lambda: None)
        following = opened.overview._following
        assert following is not None

        async def fail() -> bool:
            raise RuntimeError("boom")

        look, opened.overview._look = opened.overview._look, fail  # type: ignore[method-assign] # a fault from inside
        await asyncio.gather(following, return_exceptions=True)
        opened.overview._look = look  # type: ignore[method-assign] # a fault from inside
        await opened.begin(A)
        assert f'id="s-{A}"' in await opened.sidebar()
        await opened.until(lambda shown: "ready" in shown)
        unwatch()
