"""Takes the pictures of README and docs: `make pictures`. Everything on them is real but the model.

A daemon of its own in a folder that is removed, two projects, an agent that plays from a script,
and Chromium; what is seen is what a person would see.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, expect, sync_playwright

from hearth.demo.story import FAST, FIRST, SCRIPT, lay_out

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "docs" / "pictures"
CHROMIUM: Final = "/usr/bin/chromium"
PATIENCE: Final = 60_000

SHOP: Final = '''\
def price(x: float) -> float:
    """What a customer pays."""
    return x
'''
WISHES: Final = [
    {
        "when": "round the price",
        "thinking": "A price should have two digits. I look at the file, then I change it.",
        "text": "`price` hands on whatever it is given. I round it to cents.",
        "calls": [{"name": "read_file", "arguments": {"path": "shop.py"}}],
    },
    {
        "text": "Now the change, and then the tests.",
        "calls": [
            {
                "name": "edit_file",
                "arguments": {
                    "path": "shop.py",
                    "edits": [{"old": "return x", "new": "return round(x, 2)"}],
                },
            },
            {"name": "run_shell", "arguments": {"command": "make test | tee out.txt"}},
        ],
    },
    {"text": "Done."},
]


FARES: Final = """\
fares = {"Bern": 42.0, "Lyon": 31.5, "Oslo": 129.0}
budget = 100
"""
VARIANTS: Final = (
    "best = min(fares, key=fares.get)\nbest",
    "best = sorted(fares)[0]\nprint('by name, of', len(fares))\nbest",
    "best = fares.index(min(fares))\nbest",
)


class Daemon:
    """A daemon that is ours alone."""

    def __init__(self, home: Path) -> None:
        self.home = home
        own = {"HOME": str(home), "HEARTH_HOME": str(home / "hearth"), "USER": "ann"}
        self._environment = {**os.environ, **own}

    def hearth(self, *words: str, at: Path) -> str:
        """A command, as a person gives it."""
        program = [str(Path(sys.executable).with_name("hearth")), *words]
        done = subprocess.run(  # noqa: S603 - our own words
            program, cwd=at, env=self._environment, check=False, capture_output=True, text=True
        )
        return done.stdout + done.stderr

    def asked(self, *words: str, at: Path) -> "subprocess.Popen[bytes]":
        """A command that goes on."""
        program = [str(Path(sys.executable).with_name("hearth")), *words]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(  # noqa: S603 - our own words
            program, cwd=at, env=self._environment, stdin=quiet, stdout=quiet, stderr=quiet
        )

    def get(self, path: str, said: dict[str, Any] | None = None) -> Any:
        """What the daemon answers a program."""
        known = json.loads((self.home / "hearth" / "daemon.json").read_text("utf-8"))
        request = urllib.request.Request(
            f"http://127.0.0.1:{known['port']}{path}",
            data=None if said is None else json.dumps(said).encode(),
            headers={
                "Authorization": f"Bearer {known['token']}",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own daemon
            return json.load(answer)

    def link(self) -> str:
        """A way in for a browser."""
        return str(self.get("/codes", {})["url"])

    def session(self, name: str) -> str:
        """The address of the page of a session."""
        rows = self.get("/sessions")["value"]["rows"]
        (found,) = [row["session"] for row in rows if row["name"] == name]
        return f"/dashboard/s/{found}"


@contextmanager
def played() -> Iterator[Daemon]:
    """A daemon in which something has happened, and something waits."""
    with tempfile.TemporaryDirectory(prefix="ann-") as folder:
        home = Path(folder)
        daemon = Daemon(home)
        shop = lay_out(home, FAST, "svg")
        prices = home / "prices"
        (prices / ".git").mkdir(parents=True)
        (prices / "shop.py").write_text(SHOP, "utf-8")
        (prices / "wishes.json").write_text(json.dumps(WISHES), "utf-8")
        (prices / "Makefile").write_text("test:\n\t@echo 3 passed\n", "utf-8")
        asking = None
        try:
            daemon.hearth("run", "--trust", "import sys; sys.version_info[:2]", at=shop)
            daemon.hearth("ask", "--model", f"scripted:{SCRIPT}", FIRST, at=shop)
            daemon.hearth("run", "max(sums, key=sums.get)", at=shop)
            daemon.hearth("run", "--trust", "from shop import price; price(3.999)", at=prices)
            asking = daemon.asked(
                "ask", "--model", "scripted:wishes.json", "round the price", at=prices
            )
            yield daemon
        finally:
            if asking is not None:
                asking.kill()
                asking.wait()
            daemon.hearth("stop", at=home)


def branch(daemon: Daemon) -> None:
    """A session with branches, of which a cell was taken back, and that waits for a choice."""
    fares = daemon.home / "fares"
    (fares / ".git").mkdir(parents=True)
    daemon.hearth("run", "--trust", FARES, at=fares)
    daemon.hearth("undo", "fares", "--for", "everyone", at=fares)
    for source, name in (("fares", "cheap"), ("cheap", "cheap, by rail"), ("fares", "north")):
        daemon.hearth("fork", source, "--name", name, at=fares)
    daemon.hearth("run", "-s", "cheap", "budget = 40; fares.pop('Oslo')", at=fares)
    daemon.hearth("run", "-s", "fares", "fares.clear()", at=fares)
    daemon.hearth("undo", "fares", at=fares)
    tried = [word for code in VARIANTS for word in ("-e", code)]
    daemon.hearth("try", "-s", "fares", *tried, at=fares)


def take() -> None:
    """Take them all."""
    FOLDER.mkdir(exist_ok=True)
    with played() as daemon, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        light = _page(browser, daemon, "light", 1280, 800)
        _show(light, daemon.session("prices"))
        expect(
            light.get_by_text("wants to use").or_(light.locator(".approval")).first
        ).to_be_visible(timeout=PATIENCE)
        _panel(light, "Approvals")
        light.screenshot(path=FOLDER / "panels.png")
        _show(light, daemon.session("shop"))
        _panel(light, "Variables")
        light.screenshot(path=FOLDER / "session.png")
        _show(light, "/dashboard")
        light.screenshot(path=FOLDER / "home.png")
        dark = _page(browser, daemon, "dark", 1280, 800)
        _show(dark, daemon.session("shop"))
        _panel(dark, "Usage")
        dark.screenshot(path=FOLDER / "dark.png")
        small = _page(browser, daemon, "light", 360, 720)
        _show(small, daemon.session("prices"))
        small.screenshot(path=FOLDER / "small.png")
        branch(daemon)
        _show(light, daemon.session("fares"))
        light.locator("#head-togglePanel").click()  # the variants then have room beside each other
        expect(light.get_by_role("button", name="Keep variant 3")).to_be_visible(timeout=PATIENCE)
        light.screenshot(path=FOLDER / "variants.png")
        _panel(light, "Branches")
        light.get_by_role("button", name="Compare with cheap", exact=True).click()
        expect(light.get_by_text("2 differences")).to_be_visible(timeout=PATIENCE)
        light.screenshot(path=FOLDER / "branches.png")
        browser.close()


def _page(browser: Browser, daemon: Daemon, theme: Any, width: int, height: int) -> Page:
    wanted = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
    )
    page = wanted.new_page()
    page.goto(daemon.link())
    return page


def _show(page: Page, path: str) -> None:
    port = page.url.split("/")[2]
    page.goto(f"http://{port}{path}")
    expect(page.locator("body[data-tab]")).to_be_visible(timeout=PATIENCE)
    page.wait_for_timeout(1500)  # for whoever looks: fonts, frames and the first view are there


def _panel(page: Page, title: str) -> None:
    if page.locator("body").get_attribute("data-panel") == "closed":
        page.locator("#head-togglePanel").click()
    tab = page.get_by_role("tab", name=title)
    tab.click()
    expect(tab).to_have_attribute("aria-selected", "true", timeout=PATIENCE)


if __name__ == "__main__":
    take()
