"""Browsers before the dashboard: one Chromium for all tests of a process.

    async with browsing() as browsers, browsers.visitor(daemon) as ann:
        page = await ann.open("/dashboard")

Whatever goes wrong in a page of a visitor is known in the end: errors in its console, violations of
its policy, dialogs, and requests to anybody but its daemon.
"""

import asyncio
import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    async_playwright,
    expect,
)
from playwright.async_api import Error as PlaywrightError
from tests.journeys.live import MARK

CHROMIUM: Final = "/usr/bin/chromium"
PATIENCE: Final = 30.0
SHOWN: Final = 15_000.0
"""Milliseconds within which a page shows what is expected of it, on a machine that is busy."""
FLAGS: Final = (
    *("--headless", "--no-sandbox", "--no-first-run", "--disable-extensions", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps"),
    *("--disable-background-timer-throttling", "--disable-renderer-backgrounding"),
    *("--disable-backgrounding-occluded-windows", "--disable-dev-shm-usage", "--mute-audio"),
    *("--hide-scrollbars", "--remote-debugging-pipe", "--remote-debugging-port=0"),
)
VIOLATIONS: Final = """
addEventListener("securitypolicyviolation", (evt) => console.error(
  `policy: ${evt.effectiveDirective} ${evt.blockedURI} ${evt.sample} ${evt.sourceFile}`
));
"""
"""A page says what its policy refused."""

WORKERLESS: Final = "delete window.SharedWorker;"
"""A page then holds its line itself."""

expect.set_options(timeout=SHOWN)


class Doorway(Protocol):
    """A daemon, as far as a browser must know it."""

    @property
    def address(self) -> str:
        """Where it listens."""

    async def code(self) -> str:
        """What lets a browser in, once."""


# -- the one browser of a process ----------------------------------------------------------------


@cache
def chromium() -> str:
    """Where the Chromium of this process listens; started by whoever asks first.

    It reads from a pipe of ours, and so ends with this process, however that ends.
    """
    assert Path(CHROMIUM).exists(), "there is no Chromium: as root: apt-get install chromium"
    profile = tempfile.mkdtemp(prefix="hearth-chromium-")
    held = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
    process = subprocess.Popen(  # noqa: S603 - our own words
        ["/bin/sh", "-c", held, CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # It belongs to no journey: whoever ends theirs leaves it alone.
        env={name: value for name, value in os.environ.items() if name != MARK},
    )
    atexit.register(_end, process, profile)
    said, until = Path(profile) / "DevToolsActivePort", _now() + PATIENCE
    while not (said.exists() and said.read_text().count("\n")):
        assert process.poll() is None, f"Chromium ended with {process.returncode}"
        assert _now() < until, "Chromium did not come up"
        os.sched_yield()
    return f"http://127.0.0.1:{said.read_text().split()[0]}"


def _end(process: "subprocess.Popen[bytes]", profile: str) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(PATIENCE)
    shutil.rmtree(profile, ignore_errors=True)


def _now() -> float:
    return os.times().elapsed


# -- who looks -----------------------------------------------------------------------------------


class Visitor:
    """A browser with cookies of its own, and everything that went wrong in it."""

    def __init__(self, context: BrowserContext, daemon: Doorway) -> None:
        self.context = context
        self.daemon = daemon
        self.troubles: list[str] = []
        self._expected: list[re.Pattern[str]] = []
        self._own = urlsplit(daemon.address).netloc
        context.on("console", self._console)
        context.on("weberror", lambda one: self.troubles.append(f"error: {one.error}"))
        context.on("dialog", self._dialog)
        context.on("request", self._request)

    async def sign_in(self) -> None:
        """By a link, without a page."""
        link = f"{self.daemon.address}/login?code={await self.daemon.code()}"
        answer = await self.context.request.get(link, max_redirects=0)
        assert answer.status == 303, await answer.text()

    async def page(self) -> Page:
        """An empty tab."""
        return await self.context.new_page()

    async def open(self, path: str, *, live: bool = True) -> Page:
        """A tab that shows this; `live`: and is told what happens."""
        page = await self.context.new_page()
        await self.go(page, path, live=live)
        return page

    async def go(self, page: Page, path: str, *, live: bool = True) -> None:
        """Show this in a tab."""
        answer = await page.goto(f"{self.daemon.address}{path}")
        assert answer is not None
        assert answer.ok, answer.status
        if live:
            await connected(page)

    def expects(self, *patterns: str) -> None:
        """What may go wrong in this test."""
        self._expected += [re.compile(one) for one in patterns]

    def settled(self) -> None:
        """Nothing has gone wrong that need not."""
        known = self._expected
        wrong = [one for one in self.troubles if not any(e.search(one) for e in known)]
        assert not wrong, wrong

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            where = message.location.get("url", "")
            self.troubles.append(f"{message.type}: {message.text} {where}")

    async def _dialog(self, dialog: Dialog) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        with suppress(PlaywrightError):
            await dialog.dismiss()

    def _request(self, request: Request) -> None:
        said = urlsplit(request.url)
        if said.scheme in {"http", "https", "ws", "wss"} and said.netloc != self._own:
            self.troubles.append(f"left: {request.url}")


class Browsing:
    """The browser, and those who look through it."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    @asynccontextmanager
    async def visitor(
        self, daemon: Doorway, *, signed_in: bool = True, **more: Any
    ) -> AsyncIterator[Visitor]:
        """Somebody with cookies of their own; in the end nothing may have gone wrong for them."""
        wanted = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **more}
        context = await self.browser.new_context(**wanted)
        try:
            context.set_default_timeout(SHOWN)
            await context.add_init_script(VIOLATIONS)
            visitor = Visitor(context, daemon)
            if signed_in:
                await visitor.sign_in()
            yield visitor
            visitor.settled()
        finally:
            async with asyncio.timeout(PATIENCE):
                await context.close()


@asynccontextmanager
async def browsing() -> AsyncIterator[Browsing]:
    """The browser of this process, for the loop of this test."""
    address = await asyncio.to_thread(chromium)
    async with async_playwright() as driver:
        browser = await driver.chromium.connect_over_cdp(address)
        try:
            yield Browsing(browser)
        finally:
            await browser.close()


# -- what pages show -----------------------------------------------------------------------------


async def connected(page: Page) -> None:
    """Wait until the page is told what happens."""
    await until(page, "() => window.hearth && hearth.live === true")


async def until(page: Page, holds: str, argument: Any = None) -> Any:
    """Wait until a function of the page gives something true, looking once a frame.

    The page's policy refuses Playwright's own way to wait for functions.
    """
    looking = f"""(argument) => new Promise((done) => {{
      const holds = {holds};
      const look = () => {{
        const found = holds(argument);
        if (found) done(found); else requestAnimationFrame(look);
      }};
      look();
    }})"""
    try:
        async with asyncio.timeout(SHOWN / 1000):
            return await page.evaluate(looking, argument)
    except TimeoutError:
        raise AssertionError(f"it never came that {holds}") from None


def path_of(session: str) -> str:
    """The page of a session."""
    return f"/dashboard/s/{session}"


async def items(page: Page) -> list[str]:
    """What stands in the timeline, whoever looks and whenever: ids, and texts without marks."""
    found: list[str] = await page.evaluate(
        """() => Array.from(document.querySelectorAll("#timeline > *"), (one) => {
          const own = one.cloneNode(true);
          for (const mark of own.querySelectorAll("time, .took, footer")) mark.remove();
          return one.id + " " + own.textContent.replace(/\\s+/g, " ").trim();
        })"""
    )
    return found


async def compose(page: Page, text: str, mode: str) -> None:
    """Send it by keyboard, as code (`code`) or to the agent (`ask`)."""
    await page.locator(f"label[for=mode-{mode}]").click()
    await page.locator("#composer-text").fill(text)
    await page.keyboard.press("Shift+Enter" if mode == "code" else "Enter")
