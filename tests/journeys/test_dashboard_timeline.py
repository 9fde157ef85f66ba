"""The window on a long timeline: bounded, readable to its beginning, and never moved by others."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.journeys.browsing import Visitor, browsing, connected, path_of, until
from tests.journeys.dashboards import A, Steered, call, steered

from hearth.core.vocabulary.blocks import TextBlock, ToolCallBlock
from hearth.core.vocabulary.turns import BlockSealed

WINDOW = 30
AT_END = "() => { const s = document.getElementById('scroll'); return s.scrollHeight - s.scrollTop - s.clientHeight < 60; }"  # noqa: E501 - one expression
NAMES = """() => Array.from(document.querySelectorAll("#timeline > *"), (one) =>
  one.querySelector(".call-name, .typed")?.textContent.trim()).filter(Boolean)"""


async def narrow(ann: Visitor, window: int = WINDOW) -> None:
    """Pages of this visitor hold so many items."""
    await ann.context.add_init_script(
        f"""new MutationObserver((_, own) => {{
          if (document.body) {{ document.body.dataset.window = "{window}"; own.disconnect(); }}
        }}).observe(document, {{ childList: true, subtree: true }});"""
    )


async def step(daemon: Steered, number: int) -> None:
    """A step of the turn that is on: a text and a call, both sealed; then it is asked again."""
    daemon.model.write(f"step {number}. " + "many words of it " * 20)
    daemon.model.end(calls=[call(f"tool_{number}", number)])
    await daemon.model.asked()


async def count(page: Page) -> int:
    return await page.locator("#timeline > *").count()


async def to_top(page: Page) -> None:
    await page.evaluate("document.getElementById('scroll').scrollTop = 0")


async def said(daemon: Steered) -> list[str]:
    """What was asked and called, from the log."""
    found = []
    for one in await daemon.events():
        match one.event:
            case BlockSealed(role="user", content=TextBlock(text)):
                found.append(str(text))
            case BlockSealed(content=ToolCallBlock(name=name)):
                found.append(name)
            case _:
                pass
    return found


@pytest.mark.promise(
    "DP-EVICT-01", "DP-EVICT-02", "DP-EVICT-03", "DP-EVICT-06", "DP-EVICT-08", "DP-UI-18"
)
async def test_one_huge_turn_is_shown_through_a_window_that_does_not_move(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
        browsers.visitor(daemon) as bob,
    ):
        await narrow(ann)
        await narrow(bob, -1)
        page, all_of_it = await ann.open(path_of(A)), await bob.open(path_of(A))
        await daemon.ask("a very long turn")
        for number in range(40):
            await step(daemon, number)
        await expect(page.locator("#timeline")).to_contain_text("tool_39")
        assert await count(page) <= WINDOW + 1
        await expect(all_of_it.locator("#timeline")).to_contain_text("tool_39")
        assert await count(all_of_it) > 80, "without a limit nothing is let go"
        events = len(await daemon.events())
        # The prompt that began it is not here any more, and that is said.
        await expect(page.locator("#older")).to_contain_text("Earlier items are not shown")
        assert await page.evaluate(AT_END)

        # Somebody reads further up while it goes on: nothing is let go, and nothing moves.
        await to_top(page)
        await until(page, f"() => document.querySelectorAll('#timeline > *').length > {WINDOW + 1}")
        before = await page.evaluate(WATCH)
        held = await count(page)
        for number in range(40, 50):
            await step(daemon, number)
        await expect(page.locator("#latest")).to_contain_text("new")
        moved = await page.evaluate("() => watched()")
        assert moved["top"] == pytest.approx(before["top"], abs=1)
        assert moved["shift"] < 0.01
        assert await count(page) >= held
        assert await count(page) <= 2 * WINDOW + 1

        # Back at the end it follows again, and lets go again.
        await page.locator("#latest").click()
        await expect(page.locator("#timeline")).to_contain_text("tool_49")
        await until(
            page, f"() => document.querySelectorAll('#timeline > *').length <= {WINDOW + 1}"
        )
        await until(page, AT_END)
        await step(daemon, 50)
        await expect(page.locator("#timeline")).to_contain_text("tool_50")
        await until(page, AT_END)
        assert await count(page) <= WINDOW + 1
        await expect(page.locator("#latest")).to_be_hidden()

        # What was let go in the turn can be read again, now and when it is over.
        daemon.model.write("over")
        daemon.model.end()
        await expect(page.locator(".item-end")).to_have_count(1)
        assert (await backwards(page))[0] == "a very long turn"
        assert events < len(await daemon.events()), "no row was touched by what views do"
        assert (await said(daemon))[1:] == [f"tool_{number}" for number in range(51)]


WATCH = """() => {
  const top = document.getElementById("scroll").getBoundingClientRect().top;
  const item = Array.from(document.querySelectorAll("#timeline > *"))
    .find((one) => one.getBoundingClientRect().bottom > top + 50);
  let shift = 0;
  new PerformanceObserver((all) => { for (const one of all.getEntries()) shift += one.value; })
    .observe({ type: "layout-shift" });
  window.watched = () => ({ top: item.getBoundingClientRect().top, shift });
  return window.watched();
}"""


async def backwards(page: Page) -> list[str]:
    """All that can be read by going back to the beginning, in its order."""
    found: list[str] = await page.evaluate(NAMES)
    while await page.locator("#older").count():
        first = await page.locator("#timeline > *").first.get_attribute("id")
        # What is near is read without it: it may be gone before the pointer is there.
        clicking = asyncio.ensure_future(page.locator("#older").click())
        gone = "(id) => document.querySelector('#timeline > *').id !== id"
        await until(page, f"(id) => ({gone})(id) || !document.getElementById('older')", first)
        clicking.cancel()
        await asyncio.gather(clicking, return_exceptions=True)
        now: list[str] = await page.evaluate(NAMES)
        fresh = [one for one in now if one not in set(found)]
        found = fresh + found
    return found


@pytest.mark.slow
@pytest.mark.promise("DP-EVICT-04", "DP-EVICT-05", "DP-EVICT-07", "DP-UI-18")
async def test_a_long_history_is_read_to_its_beginning_and_back(tmp_path: Path) -> None:
    turns, calls, window = 25, 20, 100
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        for turn in range(turns):
            await daemon.ask(f"turn {turn}")
            wanted = [call(f"tool_{turn}_{number}", number) for number in range(calls)]
            daemon.model.end(calls=wanted)
            await daemon.model.asked()
            daemon.model.write(f"answer {turn}")
            daemon.model.end()
            await daemon.ended()
        await narrow(ann, window)
        page = await ann.open(path_of(A))
        assert await count(page) <= 2 * window
        # It goes on while somebody reads: the past is not moved by it.
        await daemon.ask("one more")
        daemon.model.write("being written")
        found = await backwards(page)
        assert await count(page) <= 2 * window + 1
        assert [one for one in found if one != "one more"] == [
            one for one in await said(daemon) if one != "one more"
        ]
        assert len(found) >= turns * (calls + 1) > 500
        await expect(page.locator("#latest")).to_be_visible()
        await page.locator("#latest").click()
        await expect(page.locator(".item-text.is-open")).to_contain_text("being written")
        await until(page, AT_END)
        daemon.model.end(calls=[call(f"par_{number}", number) for number in range(calls)])
        await daemon.model.asked()
        await expect(page.locator("#timeline")).to_contain_text(f"par_{calls - 1}")
        await until(
            page, f"() => document.querySelectorAll('#timeline > *').length <= {window + 1}"
        )

        # A link to a place in the middle leads there.
        version = next(
            one.version
            for one in await daemon.events()
            if isinstance(one.event, BlockSealed)
            and isinstance(one.event.content, TextBlock)
            and one.event.content.text == "turn 12"
        )
        await ann.go(page, f"{path_of(A)}?at={version}", live=False)
        await expect(page.locator("#timeline .sought")).to_contain_text("turn 12")
        await expect(page.locator("#timeline .sought")).to_be_in_viewport()
        await connected(page)
        assert "tool_12_0" in await page.evaluate(NAMES)
        await expect(page.locator("#timeline .sought")).to_be_in_viewport()
        daemon.model.end()
        await daemon.ended()


@pytest.mark.promise("DP-UI-05")
async def test_what_was_opened_stays_open_when_it_is_sealed(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        page = await ann.open(path_of(A))
        daemon.model.holds = True
        await daemon.ask("think")
        daemon.model.think("first thoughts ")
        await opened(page, ".item-thinking details")
        daemon.model.think("and second ones")
        daemon.model.end(calls=[call()])
        await daemon.model.runs()
        daemon.model.prints("building\n")
        await expect(page.locator(".item-call")).to_contain_text("building")
        await still_open(page, ".item-thinking details")
        await page.locator(".item-call details").evaluate("(one) => { one.open = false; }")
        await opened(page, ".item-call details")
        daemon.model.returns("built\nexit code 0")
        await daemon.model.asked()
        daemon.model.write("done")
        daemon.model.end()
        await expect(page.locator(".item-end")).to_have_count(1)
        for where in (".item-thinking details", ".item-call details"):
            await still_open(page, where)
        assert "second ones" in str(await page.locator(".item-thinking").text_content())


async def opened(page: Page, where: str) -> None:
    """Open it, and mark this very element."""
    summary = page.locator(f"{where} > summary").first
    await summary.click()
    await page.locator(where).first.evaluate("(one) => { one.known = true; }")
    await still_open(page, where)


async def still_open(page: Page, where: str) -> None:
    found: Any = await page.locator(where).first.evaluate("(one) => [one.open, one.known]")
    assert found == [True, True], where


@pytest.mark.promise("DP-UI-06")
async def test_what_fails_in_a_page_is_said_and_stops_nothing(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        ann.expects(
            "on purpose", "not a valid selector", "a patch was not applied", "PatchElements"
        )
        page = await ann.open(path_of(A))
        await page.evaluate(
            """() => {
              hearth.on("patched", () => { throw new Error("on purpose"); });
              hearth.apply({ selector: "#((", mode: "append", elements: "<p>x</p>" });
              hearth.apply({ selector: "#nowhere", mode: "append", elements: "<p>x</p>" });
            }"""
        )
        await daemon.turn("hello", "it still comes")
        await expect(page.locator("#timeline")).to_contain_text("it still comes")
        await expect(page.locator(".item-end")).to_have_count(1)
        assert any("on purpose" in one for one in ann.troubles)
        await daemon.run("1+1")
        await expect(page.locator(".item-cell.is-finished")).to_have_count(1)
