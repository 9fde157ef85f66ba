"""The play: two people's worth of work, a refusal, a crash, and a daemon that dies."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hearth.api import Following, Hearth, Viewed
from hearth.app import running
from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.content import Diagnostic, Severity
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.refusals import Refused
from hearth.demo.page import Page
from hearth.engine.clock import Clock
from hearth.performers.interpreter.scripted import Scene, ScriptedInterpreter

ANN: Final = Origin(Actor.PERSON, "ann", Door.REPL)
SCOUT: Final = Origin(Actor.AGENT, "scout", Door.MCP)
SESSION: Final = SessionId("session-0demo0")

LOAD: Final = "prices = load('prices.csv')"
MEAN: Final = "mean(prices)"
FIT: Final = "fit(prices, rounds=10**9)"
TYPO: Final = "mean(price)"
CRASH: Final = "native.parse(prices)"

SCENES: Final[Mapping[str, Scene]] = {
    LOAD: Scene(prints=("read 1,204 rows\n",), names=("prices",)),
    MEAN: Scene(value="41.87", value_type="float"),
    FIT: Scene(prints=("round 1: loss 0.93\n", "round 2: loss 0.91\n"), ends="when interrupted"),
    TYPO: Scene(diagnostics=(Diagnostic("undefined name 'price'", Severity.ERROR, 1, 5, 1, 10),)),
    CRASH: Scene(ends="with the worker"),
}


async def play(home: Path, page: Page, clock: Clock | None = None) -> None:
    """Play everything, in this home."""
    page.plain(
        "hearth demo: one session, two authors, one log. Every line with a number is an event"
    )
    page.plain(
        "that was on disk before anyone was told of it. The interpreter plays from a script."
    )
    async with running(home, None, [ScriptedInterpreter(SCENES)], clock) as hearth:
        seen = await _first_daemon(hearth, page)
    async with running(home, None, [ScriptedInterpreter(SCENES)], clock) as hearth:
        await _second_daemon(hearth, page, seen)


async def _first_daemon(hearth: Hearth, page: Page) -> int:
    """Returns the number of the last event that was shown."""
    following = hearth.follow(SESSION, after=0)
    await page.say("ann starts a session.")
    config = c.SessionConfig(name="prices")
    await hearth.submit(SESSION, c.CreateSession(config), ANN)
    await _until(following, e.SessionReady, page)

    await page.say("She loads some data; an agent, scout, goes on with her variables.")
    await hearth.submit(SESSION, c.RunCell(LOAD), ANN)
    await _until(following, e.CellFinished, page)
    await hearth.submit(SESSION, c.RunCell(MEAN), SCOUT)
    await _until(following, e.CellFinished, page)

    await page.say("scout starts something long. ann wants to run a cell meanwhile.")
    await hearth.submit(SESSION, c.RunCell(FIT), SCOUT)
    await _until(following, e.CellStarted, page)
    refused = await hearth.submit(SESSION, c.RunCell(MEAN), ANN)
    if isinstance(refused, Refused):
        page.refusal(refused)

    await page.say("Checking code is possible all the time. Then she cancels.")
    await hearth.submit(SESSION, c.CheckCode(TYPO), ANN)
    await _until(following, e.DiagnosticsChecked, page)
    await hearth.submit(SESSION, c.CancelCell(), ANN)
    await _until(following, e.CellCancelled, page)

    await page.say("A native library takes the interpreter down; it is replaced after a pause.")
    await hearth.submit(SESSION, c.RunCell(CRASH), SCOUT)
    await _until(following, e.SessionReady, page)

    await page.say("In the middle of a cell, the daemon goes away.")
    await hearth.submit(SESSION, c.RunCell(FIT), ANN)
    seen = await _until(following, e.CellStarted, page)
    following.close()
    return seen


async def _second_daemon(hearth: Hearth, page: Page, seen: int) -> None:
    await page.say(
        "Another daemon takes the log up: nothing is lost, nothing is silently run again."
    )
    following = hearth.follow(SESSION, after=seen)
    await _until(following, e.SessionReady, page)
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
                elif isinstance(item.progress, OutputChunk):
                    page.output(item.progress.text)
    return seq
