"""Every page and every state of it: for everybody, by keyboard, at any width, in light and dark."""

from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Page, expect
from tests.journeys.browsing import browsing, connected, path_of, until
from tests.journeys.dashboards import A, B, Steered, call, steered

from hearth.core.vocabulary import events as e

AXE: Final = (
    Path(__file__).parents[2] / ".venv/conformance/node_modules/axe-core/axe.min.js"
).read_text()
LOOK: Final = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) =>
      `${node.target.join(" ")} (${node.any.map((why) => why.message).join()})`).join(" | ")}`);
}"""
WIDE: Final = "document.documentElement.scrollWidth - innerWidth"


async def open_to_all(page: Page, state: str) -> list[str]:
    """What keeps people out of this page, with the state it was found in."""
    if not await page.evaluate("typeof axe !== 'undefined'"):
        await page.evaluate(AXE)
    found: list[str] = await page.evaluate(LOOK)
    if await page.evaluate(WIDE) > 0:
        found.append("too wide")
    return [f"{state}: {one}" for one in found]


async def furnish(daemon: Steered) -> None:
    """A session with every kind of item, whose agent waits for a person."""
    for code in ("1+1", "print", "1/0", "x = 1"):
        await daemon.run(code)
    await daemon.turn(
        "hello", "# A title\n\n**bold** `code`\n\n- one\n- two\n\n```python\nx=1\n```"
    )
    await daemon.ask("try")
    daemon.model.fail("the provider said no")
    await daemon.ended()
    await daemon.ask("build it")
    daemon.model.think("I should build it.")
    daemon.model.write("I build it.", new=True)
    daemon.model.end(calls=[call("edit_file", 1, path="a.py", old="x", new="y")])
    await daemon.model.asked()
    daemon.model.asks = True
    daemon.model.end(calls=[call("run_shell", 2, command="make build")])


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("dark", 360)])
async def test_every_page_and_state_is_open_to_everybody(
    tmp_path: Path, scheme: str, width: int
) -> None:
    found: list[str] = []
    wanted: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    async with (
        steered(tmp_path, sessions=()) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon, **wanted) as ann,
    ):
        page = await ann.open("/dashboard")
        found += await open_to_all(page, "home, empty")
        await daemon.begin(A)
        await daemon.begin(B)
        await ann.go(page, path_of(A))
        found += await open_to_all(page, "session, fresh")
        await furnish(daemon)
        await expect(page.locator(".approval")).to_have_count(1)
        found += await open_to_all(page, "session, asked")
        await ann.go(page, path_of(B))
        await daemon.ask("go", B)
        daemon.model.write("on the way", B)
        await daemon.command("send_message", B, wait=False, text="and then")
        await daemon.command("run_cell", B, wait=False, code="hang")
        await expect(page.locator("#queue")).to_contain_text("and then")
        await expect(page.locator("#timeline")).to_contain_text("begun")
        found += await open_to_all(page, "session, running")
        for name in await panels(page):
            # On a narrow page the panel is a drawer.
            await page.evaluate(PANEL, name)
            await expect(page.locator("#panel")).to_have_attribute("data-panel", name)
            if width < 900:
                await page.evaluate("document.body.dataset.drawer = 'panel'")
            found += await open_to_all(page, f"panel {name}")
        await page.evaluate(PANEL, "")
        await page.evaluate("delete document.body.dataset.drawer")
        for key, dialog in (("Control+k", "palette"), ("?", "keys")):
            await page.locator("#scroll").focus()
            await page.keyboard.press(key)
            await expect(page.locator(f"#{dialog}")).to_be_visible()
            found += await open_to_all(page, f"dialog {dialog}")
            await page.keyboard.press("Escape")
            await expect(page.locator(f"#{dialog}")).to_be_hidden()
        await ann.go(page, "/dashboard")
        found += await open_to_all(page, "home, with sessions")
        for path in ("/dashboard/new", "/dashboard/search"):
            await page.evaluate(
                "(path) => hearth.fetch(path).then((one) => one.text()).then(hearth.patch)", path
            )
            await expect(page.locator("#dialog")).to_be_visible()
            found += await open_to_all(page, f"dialog {path}")
            await page.keyboard.press("Escape")
    assert not found, found


PANEL: Final = """(panel) => hearth.fetch("/dashboard/panel", {
  method: "POST", json: { tab: hearth.tab, panel } })"""


async def panels(page: Page) -> list[str]:
    """The names of all panels."""
    found: list[str] = await page.evaluate(
        "() => Array.from(document.querySelectorAll('[role=tab]'), (one) => one.id.slice(4))"
    )
    return found


async def test_whoever_is_not_signed_in_is_asked_for_a_code(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon, signed_in=False) as ann,
    ):
        ann.expects("401")
        page = await ann.page()
        for path in ("/dashboard", path_of(A), "/"):
            answer = await page.goto(f"{daemon.address}{path}")
            assert answer is not None
            assert answer.status == 401, path
            assert "session-aaaaaa" not in await page.content()
        assert await open_to_all(page, "sign in") == []
        field = page.get_by_role("textbox")
        await field.fill("wrong")
        await page.keyboard.press("Enter")
        await expect(page.locator("body")).to_contain_text("spent, too old, or was never given out")
        await page.goto(f"{daemon.address}/dashboard")
        await page.get_by_role("textbox").fill(await daemon.code())
        async with page.expect_navigation():
            await page.keyboard.press("Enter")
        await connected(page)
        await ann.context.clear_cookies()
        await page.goto(f"{daemon.address}/login?code={await daemon.code()}")
        await page.wait_for_url("**/dashboard")
        await connected(page)


async def test_everything_is_done_by_keyboard_alone(tmp_path: Path) -> None:
    async with (
        steered(tmp_path, sessions=(A, B)) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        page = await ann.open(path_of(A))
        keys = page.keyboard
        await tab_to(page, ".skip")
        await tab_to(page, "#composer-text")
        await keys.type("1+1")
        await keys.press("Shift+Enter")
        await expect(page.locator(".item-cell.is-finished")).to_have_count(1)
        await keys.press("Control+/")
        await keys.type("build it")
        await keys.press("Enter")
        await daemon.model.asked()
        daemon.model.asks = True
        daemon.model.end(calls=[call()])
        await expect(page.locator(".approval .btn-primary")).to_be_visible()
        await tab_to(page, ".approval .btn-primary")
        await keys.press("Enter")
        await daemon.model.asked()
        daemon.model.end()
        await expect(page.locator(".item-end")).to_have_count(1)
        await keys.press("Control+k")
        await expect(page.locator("#palette")).to_be_visible()
        await keys.type(B)
        await expect(page.locator("#palette-list [role=option]").first).to_contain_text(B)
        await keys.press("Enter")
        await page.wait_for_url(f"**{path_of(B)}")
        await connected(page)
        await page.locator("#scroll").focus()
        await keys.press("?")
        await expect(page.locator("#keys")).to_be_visible()
        await keys.press("Escape")
        await expect(page.locator("#keys")).to_be_hidden()
        ran = [one for one in await daemon.events() if isinstance(one.event, e.CellFinished)]
        assert len(ran) == 1


async def tab_to(page: Page, where: str) -> None:
    """Go there by Tab alone, at most once around."""
    reached = "(where) => document.activeElement.matches(where)"
    for _ in range(120):
        if await page.evaluate(reached, where):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{where} is not reached by Tab")


async def test_title_and_icon_say_how_it_stands_and_every_width_can_be_read(
    tmp_path: Path,
) -> None:
    async with (
        steered(tmp_path, sessions=(A, B)) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon, viewport={"width": 2560, "height": 1300}) as ann,
    ):
        page = await ann.open(path_of(A))
        icons = [await icon(page)]
        await daemon.ask("go")
        daemon.model.write("words " * 400)
        await until(page, "() => document.getElementById('state').dataset.state === 'running'")
        icons.append(await icon(page))
        daemon.model.asks = True
        daemon.model.end(calls=[call()])
        await until(page, "() => document.getElementById('state').dataset.state === 'needs'")
        icons.append(await icon(page))
        assert "(1)" in await page.title()
        assert len(set(icons)) == 3, icons
        for width in (2560, 900, 899, 600, 360):
            await page.set_viewport_size({"width": width, "height": 800})
            assert await page.evaluate(WIDE) <= 0, width
            read = await page.locator(".item-text").first.bounding_box()
            assert read is not None
            assert read["x"] >= 0, width
            assert read["width"] <= min(width, 1100), "lines can be followed by the eye"
            await expect(page.locator("#composer-text")).to_be_in_viewport()


async def icon(page: Page) -> Any:
    """The one that stands for how it stands, once it does."""
    held = """() => { const s = document.getElementById("state").dataset.state;
      const i = document.getElementById("icon").href; return i.includes(`icon-${s}`) && i; }"""
    return await until(page, held)
