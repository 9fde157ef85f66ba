"""Branches and trials where several look at once, and where names and outputs are hostile."""

from pathlib import Path
from typing import Final

from playwright.async_api import Page, expect
from tests.journeys.browsing import connected, path_of
from tests.journeys.test_dashboard_branching import looking, press, ran
from tests.servers.dashboard.branching import A, B, C, asked
from tests.servers.http.serving import Served

HOSTILE: Final = "<img src=x onerror=alert(1)>"


async def beside(daemon: Served, page: Page) -> Page:
    """Another tab of the same session."""
    other = await page.context.new_page()
    await other.goto(f"{daemon.address}{path_of(A)}")
    await connected(other)
    return other


async def stopped(daemon: Served) -> set[str]:
    viewed = await daemon.engine.view("sessions")
    return {row.session for row in viewed.value.rows if row.stopped}  # type: ignore[union-attr] # it is a view


async def test_what_one_tab_does_is_seen_in_the_other(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, _, page):
        other = await beside(daemon, page)
        await ran(daemon, "x = 1")
        await asked(daemon, A, {"type": "try_variants", "variants": ["x = 1", "x = 3"]})
        for one in (page, other):
            await expect(one.get_by_role("button", name="Keep variant 2")).to_be_visible()
        await page.get_by_role("button", name="Keep variant 2").click()
        await expect(other.locator("#i-c2")).to_contain_text("2 variants tried, number 2 kept")
        await expect(other.get_by_role("button", name="Keep variant 1")).to_have_count(0)
        await ran(daemon, "y = 2")
        await expect(other.locator("#i-c3")).to_contain_text("finished")
        await press(other, "u")
        await expect(page.locator("#i-c3 .mark-undone")).to_have_count(1)
        await press(other, "b")
        await press(page, "b")
        await asked(daemon, A, {"type": "fork_session", "to": B, "name": "night"})
        for one in (page, other):
            await expect(one.locator(".p-branch")).to_have_count(2)
            await one.locator(f"#branch-{B}").get_by_role("button", name="Compare").click()
            await expect(one.locator("#panel")).to_contain_text("No variable differs.")
        await asked(daemon, B, {"type": "run_cell", "code": "y = 2"})
        for one in (page, other):
            await expect(one.locator("#panel")).to_contain_text("1 difference")
        await asked(daemon, B, {"type": "stop_session"})
        for one in (page, other):
            await expect(one.locator("#panel")).to_contain_text("it is stopped, and they are gone")
            await expect(
                one.locator(f"#branch-{B}").get_by_role("button", name="Keep")
            ).to_have_count(0)


async def test_only_what_was_asked_is_ended(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, _, page):
        await asked(daemon, A, {"type": "fork_session", "to": B, "name": "night"})
        await press(page, "b")
        await page.locator(f"#branch-{B}").get_by_role("button", name="Keep").click()
        await expect(page.locator("#ask")).to_contain_text("end 1 other branch")
        # Another one is made before the person has answered.
        await asked(daemon, A, {"type": "fork_session", "to": C, "name": "later"})
        await expect(page.locator(".p-branch")).to_have_count(3)
        await page.locator("#ask").get_by_role("button", name="Yes").click()
        await expect(page.locator("#toasts")).to_contain_text("this has changed meanwhile")
        assert await stopped(daemon) == set()
        await page.locator(f"#branch-{B}").get_by_role("button", name="Keep").click()
        await expect(page.locator("#ask")).to_contain_text("end 2 other branches")
        await page.locator("#ask").get_by_role("button", name="Yes").click()
        await expect(page.locator(".p-branch .badge", has_text="stopped")).to_have_count(2)
        assert await stopped(daemon) == {A, C}


async def test_what_variants_print_is_read_from_top_to_bottom(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, _, page):
        await asked(daemon, A, {"type": "try_variants", "variants": ["many", "x = 1"]})
        shown = page.locator("#i-c1 .variant-out").first
        await expect(shown).to_contain_text("line 1999")
        await expect(page.get_by_role("button", name="Keep none")).to_be_in_viewport()
        places: list[float] = await shown.evaluate(
            "(all) => Array.from(all.children, (one) => one.getBoundingClientRect().top)"
        )
        assert len(places) > 2
        assert places == sorted(places)
        await expect(shown.get_by_text("line 0", exact=False).first).to_be_in_viewport()
        await shown.focus()
        await page.keyboard.press("End")
        await expect(shown.locator(".value")).to_be_in_viewport()


async def test_hostile_names_and_obstacles_are_text(tmp_path: Path) -> None:
    async with looking(tmp_path) as (daemon, interpreters, page):
        await asked(daemon, A, {"type": "fork_session", "to": B, "name": HOSTILE})
        await press(page, "b")
        row = page.locator(f"#branch-{B}")
        await expect(row).to_contain_text(HOSTILE)
        await row.get_by_role("button", name="Compare").click()
        await expect(page.get_by_role("heading", name="Compared with")).to_contain_text(HOSTILE)
        await row.get_by_role("button", name="Keep").click()
        await expect(page.locator("#ask")).to_contain_text(f"Keep “{HOSTILE}”")
        await page.locator("#ask").get_by_role("button", name="No").click()
        interpreters.obstacles = (f"a thread runs: {HOSTILE}",)
        await page.get_by_role("button", name="Branch here").click()
        await expect(page.locator("#dialog")).to_contain_text(f"a thread runs: {HOSTILE}")
        await expect(page.locator("#timeline")).to_contain_text(f"a thread runs: {HOSTILE}")
        await expect(page.locator("img[src=x]")).to_have_count(0)
