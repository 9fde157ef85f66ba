"""At a seat everything is shown as it happens, and what goes wrong is told to whoever waits."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from hearth.app import running
from hearth.clients.repl.images import Drawing, Pictures
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.demo.page import Page
from hearth.demo.seat import Seat, Unwilling
from hearth.engine.engine import Engine
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter

ANN = Origin(Actor.PERSON, "ann")
SCENES = {"6 * 7": Scene(value="42", value_type="int")}
SESSION = SessionId("session-seat00")


def seat_at(engine: Engine, home: Path, write: Callable[[str], object]) -> Seat:
    page = Page(write, Paint())
    shown = Pictures(engine.fetch, str(home), Drawing.LINK, page.paint, links=False)
    return Seat(engine, SESSION, ANN, page, shown)


async def test_what_is_expected_is_heard_and_shown(tmp_path: Path) -> None:
    written: list[str] = []
    async with running(tmp_path, performers=[ScriptedInterpreter(SCENES)]) as engine:
        seat = seat_at(engine, tmp_path, written.append)
        following = engine.follow(SESSION, after=0)
        listening = asyncio.create_task(seat.listen(following))
        async with asyncio.timeout(30):
            ready = seat.expect(lambda heard: isinstance(heard, e.SessionReady))
            await seat.send(c.CreateSession())
            assert isinstance(await ready, e.SessionReady)
            with pytest.raises(Unwilling):
                await seat.send(c.CreateSession())
            ran = seat.expect(lambda heard: isinstance(heard, e.CellFinished))
            await seat.send(c.RunCell("6 * 7"))
            await ran
            following.close()
            await listening
    assert "".join(written) == "42  # int\n"


async def test_a_reader_who_goes_away_ends_the_waiting(tmp_path: Path) -> None:
    def write(_: str) -> None:
        raise BrokenPipeError

    async with running(tmp_path, performers=[ScriptedInterpreter(SCENES)]) as engine:
        seat = seat_at(engine, tmp_path, write)
        following = engine.follow(SESSION, after=0)
        listening = asyncio.create_task(seat.listen(following))
        async with asyncio.timeout(30):
            ready = seat.expect(lambda heard: isinstance(heard, e.SessionReady))
            await seat.send(c.CreateSession())
            await ready
            never = seat.expect(lambda _: False)
            await seat.send(c.RunCell("6 * 7"))
            with pytest.raises(BrokenPipeError):
                await never
            with pytest.raises(BrokenPipeError):
                await seat.expect(lambda _: False)
            with pytest.raises(BrokenPipeError):
                await listening
        following.close()
