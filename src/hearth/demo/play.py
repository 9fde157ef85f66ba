"""The play: two people's worth of work in a real interpreter, a crash, and a daemon that dies."""

import asyncio
from pathlib import Path
from typing import Final

from hearth.api import Following, Hearth, Viewed
from hearth.app import living
from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.refusals import Refused
from hearth.demo.page import Page
from hearth.engine.clock import Clock
from hearth.performers.interpreter.preferences import Preferences

ANN: Final = Origin(Actor.PERSON, "ann", Door.REPL)
SCOUT: Final = Origin(Actor.AGENT, "scout", Door.MCP)
SESSION: Final = SessionId("session-0demo0")
CONFIG: Final = c.SessionConfig(name="prices", mode=c.SessionMode.BARE)

LOAD: Final = "prices = [40 + d % 7 for d in range(1204)]; len(prices)"
MEAN: Final = "sum(prices) / len(prices)"
FIT: Final = "print('round 1: loss 0.93')\nwhile True: pass"
TYPO: Final = "sum(price)"
CRASH: Final = "import ctypes; ctypes.string_at(0)"
SLOW: Final = "import time; time.sleep(1.5); print('slept'); sum(prices)"


async def play(home: Path, page: Page, clock: Clock | None = None) -> None:
    """Play everything, in this home."""
    page.plain(
        "hearth demo: one session, two authors, one log. Every line with a number is an event"
    )
    page.plain("that was on disk before anyone was told of it. The interpreter is a real one.")
    wanted = Preferences(spares=0)
    async with living(home, preferences=wanted, clock=clock, watch=False) as hearth:
        seen = await _first_daemon(hearth.engine, page)
    async with living(home, preferences=wanted, clock=clock, watch=False) as hearth:
        await _second_daemon(hearth.engine, page, seen)
        await hearth.end_all()


async def _first_daemon(hearth: Hearth, page: Page) -> int:
    """Returns the number of the last event that was shown."""
    following = hearth.follow(SESSION, after=0)
    await page.say("ann starts a session. What its interpreter has loaded is known by a hash.")
    await hearth.submit(SESSION, c.CreateSession(CONFIG), ANN)
    await _until(following, e.SessionReady, page)

    await page.say("She loads some data; an agent, scout, goes on with her variables.")
    await hearth.submit(SESSION, c.RunCell(LOAD), ANN)
    await _until(following, e.CellFinished, page)
    await hearth.submit(SESSION, c.RunCell(MEAN), SCOUT)
    await _until(following, e.CellFinished, page)

    await page.say("scout starts something that never ends. ann wants to run a cell meanwhile.")
    await hearth.submit(SESSION, c.RunCell(FIT), SCOUT)
    await _until_printed(following, page)
    refused = await hearth.submit(SESSION, c.RunCell(MEAN), ANN)
    if isinstance(refused, Refused):
        page.refusal(refused)

    await page.say("She can check code and complete it all the while. Then she cancels.")
    await hearth.submit(SESSION, c.CheckCode(TYPO), ANN)
    await _until(following, e.DiagnosticsChecked, page)
    await hearth.submit(SESSION, c.CompleteCode("prices.ap", 9), ANN)
    await _until(following, e.CompletionsReturned, page)
    await hearth.submit(SESSION, c.CancelCell(), ANN)
    await _until(following, e.CellCancelled, page)

    await page.say("A segmentation fault takes the interpreter down; it is replaced.")
    await hearth.submit(SESSION, c.RunCell(CRASH), SCOUT)
    await _until(following, e.SessionReady, page)
    await page.say("Her variables are lost, and nothing is run again in silence. ann asks for it.")
    await hearth.submit(SESSION, c.ReplaySession(), ANN)
    await _until(following, e.SessionReplayed, page)

    await page.say("In the middle of a cell, the daemon goes away.")
    await hearth.submit(SESSION, c.RunCell(SLOW), ANN)
    seen = await _until(following, e.CellStarted, page)
    following.close()
    return seen


async def _second_daemon(hearth: Hearth, page: Page, seen: int) -> None:
    await page.say("Another daemon comes. The interpreter is the same, and so is the cell.")
    following = hearth.follow(SESSION, after=seen)
    await _until(following, e.CellFinished, page)
    await page.say("ann is done. What is left:")
    await hearth.submit(SESSION, c.StopSession("the demo is over"), ANN)
    await _until(following, e.SessionStopped, page)
    following.close()
    viewed = await hearth.view("status", SESSION)
    if isinstance(viewed, Viewed) and isinstance(viewed.value, Status):
        page.status(viewed.value)


async def _until(following: Following, last: type[e.Event], page: Page) -> int:
    """Show everything up to an event of this type and what came with it; the last number."""
    found, seq = False, 0
    async with asyncio.timeout(60):
        while not found:
            for item in await following.batch():
                if isinstance(item, Stored):
                    shown, seq = envelope(item), item.seq
                    await page.event(shown)
                    found = found or isinstance(shown.event, last)
    return seq


async def _until_printed(following: Following, page: Page) -> None:
    """Show everything up to the first thing that a cell prints, while it goes on."""
    found = False
    async with asyncio.timeout(60):
        while not found:
            for item in await following.batch():
                if isinstance(item, Stored):
                    await page.event(envelope(item))
                elif isinstance(item.progress, OutputChunk):
                    page.output(item.progress.text)
                    found = True
