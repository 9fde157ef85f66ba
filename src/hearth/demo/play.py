"""The play: ann asks an agent for a picture, changes her mind while it works, and goes on with it.

Everything in it is real but the model: the engine, its log on disk, the interpreter, the tools.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from hearth.app import living
from hearth.clients.repl.images import Drawing, Pictures
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.turns import TurnEnd
from hearth.demo.page import Page
from hearth.demo.seat import Seat, Unwilling
from hearth.demo.story import FIRST, FOLDER, LOOKED_UP, SCRIPT, SECOND, Pace, lay_out
from hearth.performers.interpreter.preferences import Preferences
from hearth.settings.agents import AgentSettings

ANN: Final = Origin(Actor.PERSON, "ann", Door.REPL)
SESSION: Final = SessionId("session-0demo0")
PATIENCE: Final = 55.0
"""Seconds that it may take as a whole."""
WANTED: Final = Preferences(spares=0, orphan_after=30.0)
"""Should the demo be killed, its interpreter ends by itself."""
RUN: Final = ">>> "
TELL: Final = "> "


class DemoFailed(Exception):
    """It could not be played to its end; the message says why."""


async def play(home: Path, pictures: Path, page: Page, pace: Pace, drawing: Drawing) -> None:
    """Play it in this home, in which nothing lives on. DemoFailed if that is not possible.

    What the terminal cannot draw is saved in the folder `pictures`.
    """
    folder = lay_out(home, pace, "svg" if drawing is Drawing.LINK else "png")
    async with _seated(home / "home", pictures, page, drawing) as ann:
        try:
            async with asyncio.timeout(PATIENCE):
                await _begin(ann, folder)
                await _ask(ann, page, pace)
                await _look(ann, page, pace)
        except TimeoutError:
            raise DemoFailed(f"it takes longer than {PATIENCE:.0f} s on this machine") from None
        except Unwilling as refusal:
            raise DemoFailed(str(refusal)) from refusal


@asynccontextmanager
async def _seated(home: Path, pictures: Path, page: Page, drawing: Drawing) -> AsyncIterator[Seat]:
    """Ann's seat in a hearth of its own, which ends with it."""
    settings = AgentSettings(f"scripted:{SCRIPT}", knowledge=False)
    async with living(
        home, preferences=WANTED, watch=False, agents=lambda _directory: settings
    ) as hearth:
        links = page.paint.colour  # a terminal that has colours leaves out what it does not know
        shown = Pictures(hearth.engine.fetch, str(pictures), drawing, page.paint, links)
        seat = Seat(hearth.engine, SESSION, ANN, page, shown)
        following = hearth.engine.follow(SESSION, after=0)
        listening = asyncio.create_task(seat.listen(following))
        try:
            yield seat
        finally:
            following.close()
            # What went wrong with it was told to whoever waited for something.
            await asyncio.gather(listening, return_exceptions=True)
            page.close()
            await hearth.end_all()


async def _begin(ann: Seat, folder: Path) -> None:
    begun = ann.expect(lambda heard: isinstance(heard, e.SessionReady | e.SessionFaulted))
    await ann.send(c.CreateSession(c.SessionConfig(str(folder), FOLDER)))
    if isinstance(faulted := await begun, e.SessionFaulted):
        raise DemoFailed(f"the interpreter could not be started: {faulted.failure}")


async def _ask(ann: Seat, page: Page, pace: Pace) -> None:
    """One turn of the agent; she speaks up in the middle of it."""
    page.remark("ann says something to the agent of her session.")
    await asyncio.sleep(pace.read)
    await page.type(TELL, FIRST, pace.typed)
    adding = ann.expect(lambda heard: isinstance(heard, OutputChunk) and "adding" in heard.text)
    done = ann.expect(lambda heard: isinstance(heard, e.TurnFinished))
    await ann.send(p.SendMessage(FIRST))
    await asyncio.wait([adding, done], return_when=asyncio.FIRST_COMPLETED)
    if not done.done():
        page.remark("It works. Meanwhile she notices something, and just says it.")
        await page.type(TELL, SECOND, pace.typed)
        await ann.send(p.SendMessage(SECOND))
    finished = await done
    if isinstance(finished, e.TurnFinished) and finished.end is not TurnEnd.DONE:
        raise DemoFailed(f"the turn {finished.end}: {finished.why}")


async def _look(ann: Seat, page: Page, pace: Pace) -> None:
    """She goes on with what the agent left in the interpreter."""
    await asyncio.sleep(pace.read)
    page.remark("The interpreter is hers as well: she goes on with the agent's variables.")
    await page.type(RUN, LOOKED_UP, pace.typed)
    ran = ann.expect(lambda heard: isinstance(heard, e.CellFinished | e.CellFailed))
    await ann.send(c.RunCell(LOOKED_UP))
    await ran
