"""What is typed before there is a session waits, and is sent in order."""

import asyncio
from pathlib import Path

import pytest
from tests.clients.repl.agenting import PLAYS
from tests.clients.repl.controlling import typing
from tests.clients.repl.talking import PATIENCE, room

from hearth.clients.repl import desk as desks
from hearth.clients.repl.choosing import Picked
from hearth.clients.repl.desk import Desk
from hearth.clients.repl.host import Question
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.performers.interpreter.scene import Scene

ROWS = [
    SessionRow(session=SessionId("session-a"), name="loom", directory="/", state=PhaseName.READY),
    SessionRow(session=SessionId("session-b"), name="yarn", directory="/", state=PhaseName.READY),
]


async def test_without_a_session_everything_can_be_asked() -> None:
    desk = Desk()
    assert desk.standing().now is None
    assert desk.live() == ""
    assert desk.is_python()
    assert desk.session_names() == ()
    assert desk.epoch() is None
    assert not desk.interrupt()
    assert await desk.complete("x", 1) == ()
    assert await desk.inspect("x", 1) is None


async def test_what_was_typed_early_is_sent_in_order_and_quitting_ends_it(tmp_path: Path) -> None:
    desk = Desk()
    async with room(tmp_path) as here:
        with typing() as typed:
            typed.keys.send_text("1+1\rprint\r.quit\r")
            async with asyncio.timeout(PATIENCE):
                reading = asyncio.create_task(desk.converse(typed.terminal))
                await desk.send(here.talk, typed.terminal)
                await reading
                assert await desk.unsent() == 0
        shown = await here.screen.until("two")
        assert shown.index("# int") < shown.index("one")
        assert desk.standing().now is not None
        assert desk.session_names() == ("loom",)
        assert desk.epoch() == here.talk.epoch()


async def test_what_could_not_be_sent_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "PATIENCE", 0.01)
    desk = Desk()
    with typing() as typed:
        typed.keys.send_text("1+1\rx\r\x04")
        async with asyncio.timeout(PATIENCE):
            await desk.converse(typed.terminal)
        assert desk.standing().sent == 2
        assert await desk.unsent() == 2


async def test_answers_go_to_the_cell_that_asked(tmp_path: Path) -> None:
    desk = Desk()
    async with room(tmp_path, {"ask": Scene(asks="name? ")}) as here:
        desk.talk = here.talk
        await here.talk.say("ask")
        await here.screen.until("")
        async with asyncio.timeout(PATIENCE):
            while not here.screen.asked:
                await here.screen.news()
        (question,) = here.screen.asked
        assert question is not None
        desk._answered(question, "ann", 1.0)
        await here.screen.until("ann  # str")


async def test_what_is_typed_about_something_decides_it(tmp_path: Path) -> None:
    desk = Desk()
    question = Question(CellId(""), "a1: allow it? ", password=False, about="a1")
    desk._answered(question, "y", 1.0)  # nobody is there yet
    async with room(tmp_path, parts=PLAYS["shell"]) as here:
        desk.talk = here.talk
        await here.talk.say("> make it")
        async with asyncio.timeout(PATIENCE):
            while not here.screen.asked:
                await here.screen.news()
        desk._answered(question, "y", 0.01)
        await here.screen.until("too soon")
        assert "a1 allowed" not in here.screen.shown
        desk._answered(question, "y", 1.0)
        assert "a1 allowed once\n" in await here.screen.until("Made.")


async def test_no_answer_stops_the_cell(tmp_path: Path) -> None:
    desk = Desk()
    async with room(tmp_path, {"ask": Scene(asks="name? ")}) as here:
        desk.talk = here.talk
        await here.talk.say("ask")
        async with asyncio.timeout(PATIENCE):
            while not here.screen.asked:
                await here.screen.news()
        (question,) = here.screen.asked
        assert question is not None
        desk._answered(question, None, 1.0)
        await here.screen.until("cancelled after")


@pytest.mark.parametrize(
    ("keys", "picked"),
    [
        ("2\r", Picked(SessionId("session-b"))),
        ("nonsense\rloom\r", Picked(SessionId("session-a"))),
        ("\r", Picked(None)),
        ("\x04", None),
    ],
)
async def test_a_session_is_picked(keys: str, picked: Picked | None) -> None:
    desk = Desk()
    with typing() as typed:
        reading = asyncio.create_task(desk.converse(typed.terminal))
        async with asyncio.timeout(PATIENCE):
            picking = asyncio.create_task(desk.pick(ROWS, typed.terminal, "1 loom\n2 yarn"))
            for key in keys.splitlines(keepends=True):
                while not typed.terminal._asking.app.is_running:  # noqa: ASYNC110 - nobody tells of it
                    await asyncio.sleep(0)
                typed.keys.send_text(key)
                while typed.terminal._asking.app.is_running:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0)
            assert await picking == picked
            typed.terminal.end()
            await reading
