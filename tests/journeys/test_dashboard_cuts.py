"""Streams that break: a daemon that is killed, a network that goes silent, clocks that lie."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from tests.journeys.browsing import WORKERLESS, browsing, connected, items, path_of, until
from tests.journeys.dashboards import A, B, Steered, real, steered

WORDS = 150
LINES = 120
HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  const state = hidden ? "hidden" : "visible";
  Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
CODE = f"import time\nfor i in range({LINES}):\n    print(f'line-{{i}}.'); time.sleep(0.03)"


class Wire:
    """Lies between browsers and a daemon, and can go silent without anybody being told."""

    def __init__(self, daemon: Steered) -> None:
        self._daemon = daemon
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._streams: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._era = 0
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def code(self) -> str:
        return await self._daemon.code()

    def silence(self) -> None:
        """Streams that are open now hear nothing any more; who comes anew is served."""
        self._era += 1
        for writer in self._writers - self._streams:
            writer.transport.abort()  # a connection at rest is closed, as by any network

    async def open(self) -> None:
        while True:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.port = self._server.sockets[0].getsockname()[1]
            if len(str(self.port)) == len(str(self._daemon.served.port)):
                return
            self._server.close()

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        for writer in self._writers:
            writer.transport.abort()
        left = (writer.wait_closed() for writer in self._writers)
        await asyncio.gather(*self._tasks, *left, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._daemon.served.port)
        self._writers |= {writer, back}
        # The daemon minds how it is called, and both names have the same length.
        own, known = f"127.0.0.1:{self.port}", f"127.0.0.1:{self._daemon.served.port}"
        ways = (
            self._carry(reader, back, own.encode(), known.encode(), {writer, back}),
            self._carry(there, writer, b"", b"", set()),
        )
        self._tasks |= {asyncio.create_task(one) for one in ways}

    async def _carry(
        self,
        one: asyncio.StreamReader,
        other: asyncio.StreamWriter,
        old: bytes,
        new: bytes,
        both: set[asyncio.StreamWriter],
    ) -> None:
        era = self._era
        with suppress(ConnectionError):
            while said := await one.read(65536):
                if b"GET /dashboard/lines/" in said:
                    self._streams |= both
                if era == self._era:
                    other.write(said.replace(old, new) if old else said)
        if era == self._era:
            other.close()


@asynccontextmanager
async def wired(daemon: Steered) -> AsyncIterator[Wire]:
    wire = Wire(daemon)
    await wire.open()
    try:
        yield wire
    finally:
        await wire.close()


@pytest.mark.slow
@pytest.mark.promise("SF-DASH-04", "SF-DASH-05", "SF-DASH-06", "DP-BG-01", "DP-BG-05", "DP-BG-09")
async def test_a_killed_daemon_is_told_of_and_everything_is_there_when_it_is_back(
    tmp_path: Path,
) -> None:
    async with real(tmp_path) as daemon, browsing() as browsers:
        script = daemon.home.project / "script.json"
        words = [f"word-{number}." for number in range(WORDS)]
        script.write_text(json.dumps([{"text": " ".join(words), "delay": 0.03}]))
        await daemon.begin(A)
        await daemon.begin(B)
        async with browsers.visitor(daemon) as ann:
            ann.expects(r"net::ERR_", r"502|503")
            cell, turn = await ann.open(path_of(A)), await ann.open(path_of(B))
            for page in (cell, turn):
                await expect(page.locator("#banner")).to_be_hidden()
            await daemon.command("run_cell", A, wait=False, code=CODE)
            model = f"scripted:{script}"
            await daemon.command("send_message", B, wait=False, text="go", model=model)
            await expect(cell.locator("#timeline")).to_contain_text("line-5.")
            await expect(turn.locator("#timeline")).to_contain_text("word-5.")
            await daemon.kill()
            for page in (cell, turn):
                await expect(page.locator("#banner")).to_be_visible(timeout=2000)
                await expect(page.locator("#banner")).to_contain_text("Reconnecting")
            await daemon.start()
            for page in (cell, turn):
                await expect(page.locator("#banner")).to_be_hidden()
            await expect(cell.locator(".item-cell.is-finished")).to_have_count(1)
            await expect(turn.locator(".item-end")).to_have_count(1)
            lines = "".join(f"line-{number}.\n" for number in range(LINES))
            assert await text_of(cell, ".item-cell .out-stdout") == lines
            said = await text_of(turn, ".item-text .item-in")
            assert said.split() == words
            for page in (cell, turn):
                shown = await items(page)
                assert len({one.split()[0] for one in shown}) == len(shown)
                await page.reload()
                await connected(page)
                assert await items(page) == shown, "what was pieced together is what the log has"


async def text_of(page: Page, where: str) -> str:
    """The text of all that is found there."""
    return "".join(await page.locator(where).all_text_contents())


async def test_a_page_that_was_away_is_right_when_it_is_back(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        wired(daemon) as wire,
        browsing() as browsers,
        browsers.visitor(wire) as ann,
    ):
        # Its line is held by the page itself, whose clock is ours.
        await ann.context.add_init_script(WORKERLESS)
        page = await ann.page()
        await page.clock.install()
        await ann.go(page, path_of(A))
        answer = page.locator(".item-text")

        # Hidden for a minute, while something is written.
        await daemon.ask("hello")
        await page.evaluate(HIDE, arg=True)
        daemon.model.write("while away ")
        await page.clock.fast_forward(60_000)
        await page.evaluate(HIDE, arg=False)
        await expect(answer).to_contain_text("while away")
        await expect(page.locator("#banner")).to_be_hidden()

        # The machine sleeps: what comes is lost, and nobody says that the line is dead.
        await page.evaluate(HIDE, arg=True)
        wire.silence()
        daemon.model.write("while asleep ")
        await page.clock.fast_forward(3_600_000)
        await page.evaluate(HIDE, arg=False)
        await expect(answer).to_contain_text("while away while asleep")

        # The line goes silent while somebody looks.
        wire.silence()
        daemon.model.write("in silence ")
        await page.clock.fast_forward(26_000)
        await expect(answer).to_contain_text("while away while asleep in silence")

        # The clock is set back by hours, then forward by more; and the line goes silent again.
        for hours in (-7, 30):
            now = await page.evaluate("Date.now()")
            await page.clock.set_system_time((now + hours * 3_600_000) / 1000)
            daemon.model.write(f"at {hours} ")
            await expect(answer).to_contain_text(f"at {hours}")
            wire.silence()
            daemon.model.write(f"after {hours} ")
            await page.clock.fast_forward(26_000)
            await expect(answer).to_contain_text(f"after {hours}")
        daemon.model.end()
        await expect(page.locator(".item-end")).to_have_count(1)
        whole = "while away while asleep in silence at -7 after -7 at 30 after 30"
        assert (await answer.all_text_contents())[0].split() == whole.split()
        assert await answer.count() == 1
        await expect(page.locator("#banner")).to_be_hidden()


async def test_a_browser_that_is_let_in_no_more_is_told_so(tmp_path: Path) -> None:
    async with (
        steered(tmp_path) as daemon,
        browsing() as browsers,
        browsers.visitor(daemon) as ann,
    ):
        ann.expects("401")
        page = await ann.open(path_of(A))
        status = "hearth.fetch('/logout', {method: 'POST', json: {}}).then((one) => one.status)"
        assert await page.evaluate(status) == 204
        await page.evaluate("hearth.again()")
        await expect(page.locator("#banner")).to_contain_text("not signed in any more")
        await ann.sign_in()
        await until(page, "() => document.querySelector('#banner').hidden && hearth.live")
        await daemon.turn("hello", "you are back")
        await expect(page.locator("#timeline")).to_contain_text("you are back")
