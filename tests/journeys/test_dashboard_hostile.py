"""Whatever is written into a session, by a model, a cell or a name: pages only show it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Page, expect
from tests.journeys.browsing import browsing, connected, path_of
from tests.journeys.dashboards import A, Steered, call, real, steered

from hearth.core.vocabulary.failures import CodeRaised
from hearth.core.vocabulary.turns import TurnFinished
from hearth.performers.interpreter.scene import Scene

PWN: Final = "window.pwned=1"
LONG: Final = 1_000_000
OWN: Final = """() => {
  const wanted = ["init", "effect", "text", "signals", "onClick", "on-click"];
  const all = Array.from(document.querySelectorAll("body *"));
  const bad = all.filter((one) =>
    wanted.some((name) => name in one.dataset) ||
    Array.from(one.attributes).some((a) => a.name.startsWith("on") || a.name === "style") ||
    /^\\s*javascript:/i.test(one.getAttribute("href") || "") ||
    (one.tagName === "SCRIPT" && !one.closest("head")) ||
    ["STYLE", "LINK", "BASE", "OBJECT", "EMBED"].includes(one.tagName));
  const ids = all.map((one) => one.id).filter(Boolean);
  return {
    bad: bad.map((one) => one.outerHTML.slice(0, 200)),
    twice: ids.filter((one, place) => ids.indexOf(one) !== place),
    pwned: window.pwned,
    wide: document.documentElement.scrollWidth - innerWidth,
    main: document.getElementById("main").clientWidth,
  };
}"""
PANEL: Final = """(panel) => hearth.fetch("/dashboard/panel", {
  method: "POST", json: { tab: hearth.tab, panel } })"""
CLICKED: Final = """() => {
  addEventListener("click", (evt) => { if (evt.target.closest("a")) evt.preventDefault(); }, true);
  for (const one of document.querySelectorAll(".md *, .typed, .out, .rich *, .exact, bdi")) {
    for (const kind of ["click", "mouseover", "focus", "error", "load", "animationend"])
      one.dispatchEvent(new Event(kind, { bubbles: true, cancelable: true }));
  }
}"""


class Trap:
    """Whoever is lured here is counted."""

    def __init__(self) -> None:
        self.caught: list[bytes] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.caught.append(await reader.readline())
        writer.close()


@asynccontextmanager
async def trapped() -> AsyncIterator[Trap]:
    trap = Trap()
    server = await asyncio.start_server(trap.serve, "127.0.0.1", 0)
    trap.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield trap
    finally:
        server.close()
    assert trap.caught == []


def attacks(url: str) -> tuple[str, ...]:
    """All kinds, each of which shows the word `shown` with its number to people."""
    return (
        f"shown-0 <script>{PWN}</script><script src={url}/s></script>",
        f'shown-1 <img src=x onerror="{PWN}"><img src="{url}/i"><video src={url}/v autoplay>',
        f'shown-2 <b data-on-click="{PWN}" data-on:click="{PWN}" data-init="{PWN}">x</b>',
        f'shown-3 <b data-effect="{PWN}" data-text="{PWN}" data-on-intersect="{PWN}">x</b>',
        f"shown-4 [c](javascript:{PWN}) <a href='javascript:{PWN}'>y</a> [d](JaVaScRiPt:{PWN})",
        f"shown-5 ![p]({url}/p) [r][1] <{url}/auto>\n\n[1]: data:text/html,<script>{PWN}</script>",
        f"shown-6 <svg onload={PWN}><script>{PWN}</script><animate onbegin={PWN} /></svg>",
        f"shown-7 <style>*{{top:0}}@import '{url}/c'</style><link rel=prefetch href={url}>",
        '"\' shown-8 --></textarea></title></div></article></main><h1 id="timeline">out</h1>',
        "shown-9 \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J \x1b[999C \x1b]8;;javascript:1\x07l",
        "shown-10 \u202egnp.exe\u202c \u2066 \u200b \ufeff \u2028 \u0085 \x00 \r over",
        f"shown-11 {{{{constructor}}}} ${{{PWN}}} $pwned @get('{url}/g') @post('/shutdown')",
        "shown-12\n\nevent: datastar-patch-signals\ndata: signals {pwned: 1}\n\ndata: x",
        f"shown-13 <iframe src={url}/f srcdoc='<script>parent.pwned=1</script>'></iframe>",
        f"shown-14 <meta http-equiv=refresh content='0;url={url}/m'><base href={url}>",
        f"shown-15 <form action={url}/form><button autofocus onfocus={PWN}>z</button></form>",
        "shown-16 <dialog open id=ask>x</dialog><b id=state data-state=bad style='position:fixed'>",
        "shown-17 " + "a\u0300" * 500 + "\N{ZERO WIDTH JOINER}" * 200,
    )


async def harmless(page: Page, width: int) -> None:
    """Nothing ran, nothing is there that could, and everything stands where it should."""
    await page.evaluate(CLICKED)
    found = await page.evaluate(OWN)
    assert found["bad"] == []
    assert found["twice"] == []
    assert found["pwned"] is None
    assert found["wide"] <= 0
    assert found["main"] == width
    assert await page.locator("#timeline").count() == 1


async def misbehave(daemon: Steered, attack: str, number: int) -> None:
    """Say it wherever something is said."""
    await daemon.command("rename_session", name=attack[:200].strip())
    for kind in ("prints", "raises"):
        await daemon.run(f"{attack}#{kind}")
    await daemon.ask(attack)
    daemon.model.think(attack)
    daemon.model.write(attack, new=True)
    daemon.model.write(f"# {attack}\n\n- {attack}\n\n> {attack}\n\n`{attack}`", new=True)
    daemon.model.write(f"```{attack}\n{attack}\n```\n\n|a|b|\n|-|-|\n|{attack}|x|", new=True)
    daemon.model.holds = True
    calls = [
        call(attack, 1, path=attack, **{attack[:60]: attack}),
        call("run_shell", 2, command=attack),
        call("edit_file", 3, path=attack, old=attack, new=f"{attack}!"),
        call("run_shell", 4, command=attack),
    ]
    daemon.model.end(calls=calls)
    for place in range(len(calls)):
        await daemon.model.runs()
        daemon.model.prints(attack)
        daemon.model.returns(attack, is_error=place == 1)
    daemon.model.holds = False
    await daemon.model.asked()
    if number % 2:
        daemon.model.fail(attack)
    else:
        daemon.model.write(attack)
        daemon.model.end()
    await daemon.ended()


@pytest.mark.slow
async def test_hostile_text_runs_nothing_reaches_nobody_and_breaks_no_page(tmp_path: Path) -> None:
    async with trapped() as trap, browsing() as browsers:
        said = attacks(trap.url)
        scenes = {
            f"{one}#{kind}": Scene(
                prints=(one,),
                errors=(one,),
                value=one,
                value_type=one,
                raises=CodeRaised(one, one) if kind == "raises" else None,
                names=(one,),
            )
            for one in said
            for kind in ("prints", "raises")
        }
        async with steered(tmp_path, scenes) as daemon, browsers.visitor(daemon) as ann:
            live = await ann.open(path_of(A))
            width = (await live.evaluate(OWN))["main"]
            for number, attack in enumerate(said):
                await misbehave(daemon, attack, number)
                if number % 6 == 5:
                    await over(daemon, live)
                    await harmless(live, width)
                    text = await live.locator("#timeline").text_content()
                    assert f"shown-{number}" in str(text)
                    assert f"shown-{number - 5}" in str(text)
            await live.reload()
            await connected(live)
            await harmless(live, width)

            # A question to a person, and every panel.
            daemon.model.asks = True
            await daemon.ask(said[2])
            daemon.model.end(calls=[call("run_shell", 1, command=said[1])])
            await expect(live.locator(".approval")).to_have_count(1)
            for name in await panels(live):
                await live.evaluate(PANEL, name)
                await expect(live.locator("#panel")).to_have_attribute("data-panel", name)
                found = await live.evaluate(OWN)
                assert (found["bad"], found["twice"], found["pwned"]) == ([], [], None), name
                assert found["wide"] <= 0, name

            # The other places that show names: the palette, the search, the page of all.
            await live.keyboard.press("Control+k")
            await expect(live.locator("#palette")).to_be_visible()
            await live.keyboard.press("Escape")
            await ann.go(live, "/dashboard")
            found = await live.evaluate(OWN)
            assert (found["bad"], found["twice"], found["pwned"]) == ([], [], None)
            assert found["wide"] <= 0
            await live.set_viewport_size({"width": 360, "height": 740})
            for path in ("/dashboard", path_of(A)):
                await ann.go(live, path)
                found = await live.evaluate(OWN)
                assert (found["bad"], found["wide"]) == ([], 0), path


async def over(daemon: Steered, page: Page) -> None:
    """Wait until a page shows the end of the newest turn."""
    ends = [one.event for one in await daemon.events() if isinstance(one.event, TurnFinished)]
    await expect(page.locator(f"#i-e-{ends[-1].turn}")).to_have_count(1)


async def panels(page: Page) -> list[str]:
    """The names of all panels."""
    found: list[str] = await page.evaluate(
        "() => Array.from(document.querySelectorAll('[role=tab]'), (one) => one.id.slice(4))"
    )
    return found


@pytest.mark.slow
async def test_huge_content_is_bounded_and_keeps_its_place(tmp_path: Path) -> None:
    line = "x" * LONG
    scenes = {"huge": Scene(prints=(line,), errors=(line,), value=line, value_type="str")}
    async with (
        steered(tmp_path, scenes) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        page = await ann.open(path_of(A))
        width = (await page.evaluate(OWN))["main"]
        await daemon.run("huge")
        await daemon.ask("huge")
        daemon.model.think(line)
        daemon.model.write(line, new=True)
        daemon.model.results["read"] = line
        daemon.model.end(calls=[call("read", 1, path=line[:100_000])])
        await daemon.model.asked()
        daemon.model.end()
        await expect(page.locator(".item-end")).to_have_count(1)
        await harmless(page, width)
        await page.reload()
        await connected(page)
        await harmless(page, width)
        size = await page.evaluate("document.documentElement.outerHTML.length")
        assert size < 3 * LONG

        # Very many calls at once: the page holds no more than its window.
        many = 500
        for turn in range(20):
            await daemon.ask(f"turn {turn}")
            daemon.model.end(calls=[call(f"t{turn}_{number}", number) for number in range(many)])
            await daemon.model.asked()
            daemon.model.end()
            await daemon.ended()
        await over(daemon, page)
        await expect(page.locator("#timeline")).to_contain_text(f"t19_{many - 1}")
        assert await page.locator("#timeline > *").count() <= 201
        await harmless(page, width)


RICH: Final = """\
from IPython.display import HTML, SVG, Markdown, display
attack = {attack!r}
display(HTML(f"<p>in a frame</p>{{attack}}<script>top.pwned=parent.pwned=1</script>"))
display(SVG(f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>"
            f"<script>top.pwned=1</script><image href='{url}/svg'/></svg>"))
display(Markdown(attack))
class Odd:
    def __repr__(self):
        return attack
Odd()"""


@pytest.mark.slow
async def test_what_cells_display_and_what_is_searched_for_runs_nothing(tmp_path: Path) -> None:
    async with trapped() as trap, real(tmp_path) as daemon, browsing() as browsers:
        await daemon.begin(A)
        for attack in attacks(trap.url):
            code = RICH.format(attack=attack.replace("\x00", ""), url=trap.url)
            done = await daemon.command("run_cell", A, code=code)
            assert done["envelopes"][-1]["event"]["type"] == "cell_finished", done
        async with browsers.visitor(daemon) as ann:
            # Frames say that their scripts are blocked, and what else their policy refuses. That is
            # told as a request too, which is never sent: the trap would know.
            ann.expects("sandboxed", "Content Security Policy", "policy: ", "ERR_BLOCKED")
            ann.expects("Refused", rf"^left: {trap.url}/")
            page = await ann.open(path_of(A))
            await expect(page.locator("#timeline iframe").last).to_be_attached()
            width = await page.locator("#main").evaluate("(one) => one.clientWidth")
            frames = await page.locator("#timeline iframe").count()
            assert frames >= len(attacks(trap.url))
            await page.locator("#timeline iframe").last.scroll_into_view_if_needed()
            inside = page.locator("#timeline iframe").last.content_frame
            await expect(inside.get_by_text("in a frame")).to_be_visible()
            await harmless(page, width)
            await page.evaluate(
                """async () => {
                  const found = await hearth.fetch("/dashboard/search?q=shown");
                  const held = document.createElement("div");
                  held.id = "found";
                  document.body.append(held);
                  hearth.patch(await found.text());
                }"""
            )
            await expect(page.locator("#found")).to_contain_text("shown")
            await harmless(page, width)
