"""Tabs and their streams: each shows its own session, and none is left behind."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect
from tests.journeys.browsing import (
    WORKERLESS,
    browsing,
    compose,
    connected,
    items,
    path_of,
    until,
)
from tests.journeys.dashboards import A, B, Steered, steered

from hearth.core.vocabulary import events as e


@pytest.mark.promise("SF-ISO-06", "SF-ISO-07", "SF-ISO-08", "SF-ISO-09")
async def test_two_browsers_on_two_sessions_never_see_each_other(tmp_path: Path) -> None:
    async with (
        steered(tmp_path, sessions=(A, B)) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
        browsers.visitor(daemon) as bob,
    ):
        here, there = await ann.open(path_of(A)), await bob.open(path_of(B))
        await asyncio.gather(daemon.ask("for ann", A), daemon.ask("for bob", B))
        for number in range(20):
            daemon.model.write(f"apple{number} ", A)
            daemon.model.write(f"berry{number} ", B)
        await expect(here.locator("#timeline")).to_contain_text("apple19")
        await expect(there.locator("#timeline")).to_contain_text("berry19")
        await compose(there, "1+1", "code")
        await expect(there.locator(".item-cell.is-finished")).to_have_count(1)
        daemon.model.end(A)
        daemon.model.end(B)
        await asyncio.gather(daemon.ended(A), daemon.ended(B))
        for page in (here, there):
            await expect(page.locator(".item-end")).to_have_count(1)
        assert not [one for one in await items(here) if "berry" in one or "bob" in one]
        assert not [one for one in await items(there) if "apple" in one or "ann" in one]
        assert await here.locator(".item-cell").count() == 0
        ran = [one for one in await daemon.events(B) if isinstance(one.event, e.CellStarted)]
        assert len(ran) == 1
        assert not [one for one in await daemon.events(A) if isinstance(one.event, e.CellStarted)]

        # One tab is switched: it goes, and what it sends goes with it; the tab beside it stays.
        beside = await ann.open(path_of(A))
        switching = "(to) => hearth.fetch(`/dashboard/session/switch/${to}`, {method: 'POST', json: {tab: hearth.tab}}).then((one) => one.status)"  # noqa: E501 - one expression
        async with here.expect_navigation(url=f"**{path_of(B)}"):
            assert await here.evaluate(switching, B) == 204
        await connected(here)
        await expect(here.locator("#timeline")).to_contain_text("berry19")
        await compose(here, "x = 1", "code")
        await expect(there.locator(".item-cell.is-finished")).to_have_count(2)
        assert await beside.evaluate("hearth.session") == A
        assert "apple19" in " ".join(await items(beside))
        assert not [one for one in await items(beside) if "berry" in one]
        assert not [one for one in await daemon.events(A) if isinstance(one.event, e.CellStarted)]


@pytest.mark.promise("DP-BG-11", "SF-DASH-01")
async def test_two_browsers_on_one_session_come_to_the_same(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
        browsers.visitor(daemon, viewport={"width": 400, "height": 800}) as bob,
    ):
        desk, phone = await ann.open(path_of(A)), await bob.open(path_of(A))
        for number in range(4):
            page = (desk, phone)[number % 2]
            await compose(page, f"question {number}", "ask")
            await daemon.model.asked()
            daemon.model.write(f"answer {number}")
            daemon.model.end()
            for each in (desk, phone):
                await expect(each.locator(".item-end")).to_have_count(number + 1)
            await compose(page, "1+1", "code")
            for each in (desk, phone):
                await expect(each.locator(".item-cell.is-finished")).to_have_count(number + 1)
        shown = await items(desk)
        assert await items(phone) == shown
        await desk.reload()
        await connected(desk)
        assert await items(desk) == shown, "read from the log it is the same"
        said = " ".join(shown)
        places = [said.index(f"{kind} {n}") for n in range(4) for kind in ("question", "answer")]
        assert places == sorted(places)
        assert all(said.count(f"question {n}") == 1 for n in range(4))


async def test_ten_tabs_of_one_browser_live_and_leave_nothing_behind(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        tabs = [await ann.open(path_of(A), live=False) for _ in range(10)]
        for tab in tabs:
            await connected(tab)
        assert (daemon.browsers, daemon.lines) == (10, 1)
        await daemon.ask("hello")
        daemon.model.write("all of you")
        for tab in tabs:
            await expect(tab.locator("#timeline")).to_contain_text("all of you")

        # One is closed, one crashes without a word; the others go on.
        await tabs.pop().close(run_before_unload=False)
        crashing = await ann.context.new_cdp_session(crashed := tabs.pop())
        sent = asyncio.ensure_future(crashing.send("Page.crash"))
        await daemon.attended(8)
        sent.cancel()
        await asyncio.gather(sent, return_exceptions=True)
        await crashed.close()
        daemon.model.write(" and more")
        daemon.model.end()
        for tab in tabs:
            await expect(tab.locator("#timeline")).to_contain_text("all of you and more")
        assert len({tuple(await items(tab)) for tab in tabs}) == 1
        for tab in tabs:
            await tab.close()
        await daemon.attended(0)
        await nothing_left(daemon)


async def test_a_browser_without_shared_workers_has_a_line_for_each_tab(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        await ann.context.add_init_script(WORKERLESS)
        tabs = [await ann.open(path_of(A)) for _ in range(3)]
        assert (daemon.browsers, daemon.lines) == (3, 3)
        await daemon.turn("hello", "each of you")
        for tab in tabs:
            await expect(tab.locator("#timeline")).to_contain_text("each of you")
        await tabs[0].close(run_before_unload=False)
        await daemon.attended(2)
        await tabs[1].goto(f"{daemon.address}/dashboard")
        await connected(tabs[1])
        await daemon.attended(2)
        for tab in tabs[1:]:
            await tab.close()
        await daemon.attended(0)
        await nothing_left(daemon)


async def nothing_left(daemon: Steered) -> None:
    """No line, and no task that draws for one."""
    assert daemon.lines == 0, "it went with the last of its tabs"
    async with asyncio.timeout(10):
        await asyncio.gather(*drawing(), return_exceptions=True)


def drawing() -> list["asyncio.Task[Any]"]:
    """The tasks of this loop that draw for tabs."""
    every = asyncio.all_tasks()
    return [one for one in every if "Feed." in getattr(one.get_coro(), "__qualname__", "")]


@pytest.mark.promise("DP-BG-02", "DP-BG-04", "DP-BG-10")
async def test_a_browser_that_comes_back_finds_everything_as_it_was(tmp_path: Path) -> None:
    sessions = (A, B, "session-cccccc")
    async with steered(tmp_path, sessions=sessions) as daemon, browsing() as browsers:
        await daemon.turn("first", "finished long ago", A)
        await daemon.turn("second", "done too", B)
        await daemon.command("set_model", B, model="scripted:other", effort="high")
        await daemon.ask("third", "session-cccccc")
        daemon.model.write("half of", "session-cccccc")
        order: list[str] = []
        for _ in range(2):
            async with browsers.visitor(daemon) as ann:
                page = await ann.open("/dashboard")
                rows = page.locator("#side-open > li.session")
                await expect(rows).to_have_count(3)
                seen = await rows.evaluate_all("(all) => all.map((one) => one.dataset.session)")
                order = order or seen
                assert seen == order
                states = await rows.locator(".session-state").all_text_contents()
                assert states.count("ready") == 2, states
                await ann.go(page, path_of("session-cccccc"))
                await expect(page.locator(".item-text")).to_contain_text("half of")
                assert await page.locator("#state").get_attribute("data-state") == "running"
                await ann.go(page, path_of(A))
                await expect(page.locator(".item-text")).to_contain_text("finished long ago")
                assert await page.locator("#state").get_attribute("data-state") == "idle"
                await ann.go(page, path_of(B))
                assert await page.locator("#model-name").input_value() == "scripted:other"
                assert await page.locator("#model-effort").input_value() == "high"
        # Nobody looked, and it went on all the same.
        daemon.model.write(" it", "session-cccccc")
        daemon.model.end("session-cccccc")
        await daemon.ended("session-cccccc")
        async with browsers.visitor(daemon) as ann:
            page = await ann.open(path_of("session-cccccc"))
            await expect(page.locator(".item-text")).to_contain_text("half of it")
            await until(page, "() => document.querySelector('#state').dataset.state === 'idle'")
