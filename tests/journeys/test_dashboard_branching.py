"""Undo, trials, branches and rewinds in a real browser, by mouse and by keyboard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect
from tests.journeys.browsing import browsing, path_of
from tests.servers.copying import CopyingInterpreter, copied
from tests.servers.dashboard.branching import PLAYED, A, B, asked
from tests.servers.http.serving import Served

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.scene import Scene

LINES: Final = tuple(f"line {number}\n" for number in range(2000))
SCENES: Final = {
    **PLAYED,
    "x = 3": Scene(names=("x",), value="3", value_type="int"),
    "many": Scene(LINES, value="42", value_type="int"),
}


class Doorway:
    """A daemon, as far as a browser must know it."""

    def __init__(self, daemon: Served) -> None:
        self.daemon = daemon
        self.address = daemon.address

    async def code(self) -> str:
        return self.daemon.tokens.code()


@asynccontextmanager
async def looking(
    home: Path, *obstacles: str, scheme: str = "light", width: int = 1280
) -> AsyncIterator[tuple[Served, CopyingInterpreter, Page]]:
    """A session in which everybody's cells are kept, and somebody who looks at it."""
    interpreters = CopyingInterpreter(SCENES, obstacles=obstacles)
    async with (
        copied(home, interpreters) as daemon,
        browsing() as browsers,
        browsers.visitor(
            Doorway(daemon), color_scheme=scheme, viewport={"width": width, "height": 800}
        ) as ann,
    ):
        await daemon.begin(A)
        await asked(daemon, A, {"type": "choose_undo", "who": "everyone"})
        yield daemon, interpreters, await ann.open(path_of(A))


async def ran(daemon: Served, *codes: str) -> None:
    for code in codes:
        await asked(daemon, A, {"type": "run_cell", "code": code})


async def press(page: Page, key: str) -> None:
    """Outside of fields."""
    await page.locator("#scroll").focus()
    await page.keyboard.press(key)


async def test_cells_are_taken_back_and_brought_back_by_keys_and_by_buttons(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, interpreters, page):
        await ran(daemon, "x = 1", "y = 2")
        second = page.locator("#i-c2")
        await expect(second).to_contain_text("finished")
        await press(page, "u")
        await expect(second.locator(".mark-undone")).to_have_text("taken back")
        await expect(second).to_have_attribute("aria-label", "cell c2, finished, taken back")
        await expect(page.locator("#timeline")).to_contain_text("took back c2")
        assert interpreters.holds(A) == {"x": "x = 1"}
        await press(page, "U")
        await expect(second.locator(".mark-undone")).to_have_count(0)
        assert set(interpreters.holds(A)) == {"x", "y"}
        await page.get_by_role("button", name="take back c1 and all after it").click()
        await expect(page.locator(".mark-undone")).to_have_count(2)
        assert interpreters.holds(A) == {}
        # Nothing is left to be taken back, which is said.
        await press(page, "u")
        await expect(page.locator("#toasts")).to_contain_text("no cell ran yet")


async def test_whose_cells_are_kept_is_chosen_and_what_that_takes_is_told(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, _, page):
        await ran(daemon, "x = 1")
        await page.locator("#head-undo > summary").click()
        await expect(page.locator("#undo-held")).to_contain_text("1 copy is held")
        agents = page.get_by_role("button", name="Agents' cells")
        await expect(agents).to_have_attribute("aria-pressed", "false")
        await agents.click()
        await expect(page.locator("#do-undo-agents")).to_have_attribute("aria-pressed", "true")
        await ran(daemon, "y = 2")
        await expect(page.locator("#i-c2")).to_contain_text("finished")
        await expect(page.locator("#i-c2 .undo-here")).to_have_count(0)


async def test_a_variant_is_kept_and_the_others_are_folded(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, interpreters, page):
        await asked(daemon, A, {"type": "try_variants", "variants": ["x = 1", "x = 3", "1/0"]})
        variants = page.locator("#i-c1 .variant")
        await expect(variants).to_have_count(3)
        await expect(variants.nth(2)).to_contain_text("ZeroDivisionError")
        await page.get_by_role("button", name="Keep variant 2").click()
        await expect(page.locator("#i-c1")).to_contain_text("3 variants tried, number 2 kept")
        await expect(page.get_by_role("button", name="Keep variant 1")).to_have_count(0)
        assert interpreters.holds(A) == {"x": "x = 3"}


async def test_a_branch_is_made_compared_and_kept(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, _, page):
        await ran(daemon, "x = 1")
        await press(page, "b")
        await expect(page.locator("#panel")).to_have_attribute("data-panel", "branches")
        await page.get_by_role("button", name="Branch here").click()
        # Where it came from shows both, too: until the page has gone there.
        await expect(page).not_to_have_url(f"{daemon.address}{path_of(A)}")
        await expect(page.locator(".p-branch")).to_have_count(2)
        fork = SessionId(page.url.rpartition("/")[2])
        assert fork != A
        await asked(daemon, fork, {"type": "run_cell", "code": "y = 2"})
        await page.locator(".p-branch").first.get_by_role("button", name="Compare").click()
        await expect(page.locator("#panel")).to_contain_text("1 difference")
        await expect(page.locator("#panel .p-table")).to_contain_text("not there")
        await page.get_by_role("button", name="and end the others").last.click()
        await expect(page.locator("#ask")).to_contain_text("end 1 other branch")
        await page.locator("#ask").get_by_role("button", name="Yes").click()
        await expect(page.locator("#panel")).to_contain_text("stopped")
        # Where it came from tells where it went.
        await page.goto(f"{daemon.address}{path_of(A)}")
        await page.locator(f'#timeline a[href="{path_of(fork)}"]').click()
        await expect(page).to_have_url(f"{daemon.address}{path_of(fork)}")


async def test_what_cannot_be_copied_is_branched_by_replay(tmp_path: Path) -> None:
    async with looking(tmp_path, "a thread is running") as (daemon, _, page):
        await ran(daemon, "x = 1")
        await expect(page.locator("#i-c1")).to_contain_text("cannot be taken back")
        await page.locator("#head-more > summary").click()
        await page.locator("#do-fork").click()
        await expect(page.locator("#dialog")).to_contain_text("a thread is running")
        await page.locator("#dialog").get_by_role("button", name="Fork by replay").click()
        await expect(page).not_to_have_url(f"{daemon.address}{path_of(A)}")


async def test_a_rewind_is_previewed_done_and_undone(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, interpreters, page):
        await asked(daemon, A, {"type": "send_message", "text": "first"})
        await ran(daemon, "x = 1")
        await asked(daemon, A, {"type": "send_message", "text": "second"})
        await expect(page.locator(".item-said")).to_have_count(2)
        # They can go back once no turn is on any more, in the page as well.
        await expect(page.get_by_role("button", name="Rewind to here")).to_have_count(2)
        await page.locator(".item-said").first.evaluate("(one) => (one.tabIndex = -1, one.focus())")
        await page.keyboard.press("r")
        dialog = page.locator("#dialog")
        await expect(dialog).to_contain_text("Taken back by a copy that is kept: c1.")
        await expect(dialog.get_by_role("button", name="Rewind:")).to_have_count(4)
        assert interpreters.holds(A) == {"x": "x = 1"}, "it was only asked"
        await dialog.get_by_role("button", name="Rewind: with the interpreter").click()
        await expect(page.locator(".item-said")).to_have_count(1)
        await expect(page.locator("#i-c1 .mark-undone")).to_have_count(1)
        assert interpreters.holds(A) == {}
        await page.get_by_role("button", name="Undo this rewind").click()
        await expect(page.locator(".item-said")).to_have_count(2)
        await expect(page.locator("#i-c1 .mark-undone")).to_have_count(0)
        assert interpreters.holds(A) == {"x": "x = 1"}


async def test_the_focus_stays_where_something_was_done(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, _, page):
        await ran(daemon, "x = 1", "y = 2")
        first, second = page.locator("#i-c1"), page.locator("#i-c2")
        await expect(second.locator(".undo-here")).to_be_visible()
        # An item that is drawn anew keeps it …
        await press(page, "k")
        await expect(second).to_be_focused()
        await asked(daemon, A, {"type": "undo_cells"})
        await expect(second.locator(".mark-undone")).to_have_count(1)
        await expect(second).to_be_focused()
        # … and has it when the button is gone that was pressed in it.
        await first.locator(".undo-here").focus()
        await page.keyboard.press("Enter")
        await expect(first.locator(".mark-undone")).to_have_count(1)
        await expect(first).to_be_focused()
        await asked(daemon, A, {"type": "fork_session", "to": B})
        await press(page, "b")
        await page.locator(f"#branch-{B}").get_by_role("button", name="Compare").click()
        await page.get_by_role("button", name="Close the comparison").press("Enter")
        await expect(page.get_by_role("heading", name="Compared with")).to_have_count(0)
        await expect(page.locator("#tab-branches")).to_be_focused()
