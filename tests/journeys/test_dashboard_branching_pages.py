"""What undo, trials, branches and rewinds look like is open to everybody, at any width."""

from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import expect
from tests.journeys.test_dashboard_branching import looking, press, ran
from tests.journeys.test_dashboard_pages import open_to_all
from tests.servers.dashboard.branching import A, B, asked

SIZES: Final = [("light", 1280), ("dark", 1280), ("light", 360)]


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), SIZES)
async def test_all_of_it_is_open_to_everybody(tmp_path: Path, scheme: str, width: int) -> None:
    found: list[str] = []
    async with looking(tmp_path, scheme=scheme, width=width) as (daemon, interpreters, page):
        await asked(daemon, A, {"type": "send_message", "text": "first"})
        await ran(daemon, "x = 1", "y = 2")
        await asked(daemon, A, {"type": "undo_cells"})
        await asked(daemon, A, {"type": "try_variants", "variants": ["x = 1", "x = 3", "1/0"]})
        await asked(daemon, A, {"type": "fork_session", "to": B, "name": "another way"})
        await asked(daemon, B, {"type": "run_cell", "code": "y = 2"})
        await expect(page.locator("#i-c3 .variant")).to_have_count(3)
        found += await open_to_all(page, "timeline")
        await page.locator("#head-undo > summary").click()
        await expect(page.locator("#undo-held")).to_be_visible()
        found += await open_to_all(page, "undo")
        await page.keyboard.press("Escape")
        await press(page, "b")
        await page.locator(".p-branch").last.get_by_role("button", name="Compare").click()
        await expect(page.locator("#panel")).to_contain_text("Compared with")
        found += await open_to_all(page, "branches")
        await page.get_by_role("button", name="and end the others").first.click()
        await expect(page.locator("#ask")).to_be_visible()
        found += await open_to_all(page, "keep")
        await page.keyboard.press("Escape")
        await expect(page.locator("#ask")).to_be_hidden()
        # It was the question that was closed, and not the drawer below it.
        await expect(page.locator(".p-branch").first).to_be_in_viewport()
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Rewind to here").first.evaluate("(it) => it.click()")
        await expect(page.locator("#dialog")).to_be_visible()
        found += await open_to_all(page, "rewind")
        await page.keyboard.press("Escape")
        interpreters.obstacles = ("a thread runs: 'wait' (MainThread)", "a socket is open")
        await page.locator("#do-fork").evaluate("(it) => it.click()")
        await expect(page.locator("#dialog")).to_contain_text("a socket is open")
        found += await open_to_all(page, "no fork")
    assert not found, found
