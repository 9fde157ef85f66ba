"""The prompt gives way to questions and comes back with what was typed."""

import asyncio

import pytest
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.lexers import SimpleLexer
from tests.clients.repl.controlling import Typing, typing
from tests.journeys.live import comes_true

from hearth.clients.repl.entered import Answered, Left, Typed
from hearth.clients.repl.host import Question
from hearth.core.vocabulary.ids import CellId

NAME = Question(CellId("c1"), "name? ", password=False)


async def done(here: Typing) -> Typed | Answered | Left:
    """What the person does next."""
    async with asyncio.timeout(20):
        return await here.terminal.read()


async def typed_so_far(here: Typing, text: str) -> None:
    """Wait until the prompt has heard this much."""
    here.keys.send_text(text)
    await comes_true(lambda: here.terminal._session.default_buffer.text == text)


@pytest.mark.parametrize("begun", ["half a", "> half a"])
async def test_a_question_comes_between_and_what_was_typed_comes_back(begun: str) -> None:
    history = InMemoryHistory()
    with typing(history) as here:
        reading = asyncio.create_task(done(here))
        await typed_so_far(here, begun)
        here.terminal.ask(NAME)
        await comes_true(lambda: here.terminal._asking.app.is_running)
        here.keys.send_text("ann\r")
        assert (await reading)[:2] == Answered(NAME, "ann")[:2]
        here.keys.send_text(" thought\r")
        assert await done(here) == Typed(f"{begun} thought")
        assert history.get_strings() == [f"{begun} thought"]


async def test_a_question_that_is_no_longer_open_goes_away() -> None:
    with typing() as here:
        here.terminal.ask(NAME)
        reading = asyncio.create_task(done(here))
        await comes_true(lambda: here.terminal._asking.app.is_running)
        here.terminal.ask(None)
        await typed_so_far(here, "1+1")
        here.keys.send_text("\r")
        assert await reading == Typed("1+1")


CONSENT = Question(CellId(""), "a1: allow it? ", password=False, about="a1")


async def test_what_hearth_asks_waits_until_the_line_is_entered() -> None:
    with typing() as here:
        reading = asyncio.create_task(done(here))
        await typed_so_far(here, "y = ")
        here.terminal.ask(CONSENT)
        here.keys.send_text("3\r")
        assert await reading == Typed("y = 3")
        reading = asyncio.create_task(done(here))
        await comes_true(lambda: here.terminal._asking.app.is_running)
        here.keys.send_text("n\r")
        answered = await reading
        assert isinstance(answered, Answered)
        assert (answered.question, answered.text) == (CONSENT, "n")
        assert 0 <= answered.after < 30


async def test_what_hearth_asks_comes_at_once_where_nothing_is_typed() -> None:
    with typing() as here:
        reading = asyncio.create_task(done(here))
        await comes_true(lambda: here.terminal._session.app.is_running)
        here.terminal.ask(CONSENT)
        await comes_true(lambda: here.terminal._asking.app.is_running)
        here.keys.send_text("y\r")
        assert (await reading)[:2] == (CONSENT, "y")


async def test_what_is_not_asked_any_more_takes_nothing_that_was_typed_away() -> None:
    with typing() as here:
        reading = asyncio.create_task(done(here))
        await typed_so_far(here, "half")
        here.terminal.ask(CONSENT)
        here.terminal.ask(None)
        here.keys.send_text(" done\r")
        assert await reading == Typed("half done")


async def test_a_question_between_two_prompts_brings_nothing_old_back() -> None:
    with typing() as here:
        here.keys.send_text("1+1\r")
        assert await done(here) == Typed("1+1")
        here.terminal.ask(NAME)
        here.keys.send_text("ann\r")
        assert (await done(here))[:2] == Answered(NAME, "ann")[:2]
        here.keys.send_text("2+2\r")
        assert await done(here) == Typed("2+2")


async def test_no_answer_is_remembered() -> None:
    with typing() as here:
        here.terminal.ask(Question(CellId("c1"), "secret? ", password=True))
        here.keys.send_text("hunter2\r")
        assert isinstance(await done(here), Answered)
        here.terminal.ask(NAME)
        here.keys.send_text("\x1b[A\r")
        assert (await done(here))[:2] == Answered(NAME, "")[:2]


async def test_ctrl_d_leaves_and_answers_nothing() -> None:
    with typing() as here:
        here.keys.send_text("\x04")
        assert await done(here) == Left()
        here.terminal.ask(NAME)
        here.keys.send_text("\x04")
        assert (await done(here))[:2] == Answered(NAME, None)[:2]


async def test_after_the_end_nothing_is_read() -> None:
    with typing() as here:
        reading = asyncio.create_task(done(here))
        await typed_so_far(here, "x")
        here.terminal.end()
        assert await reading == Left()
        assert await done(here) == Left()


async def test_what_is_written_comes_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    with typing() as here:
        written: list[str] = []
        monkeypatch.setattr(here.terminal, "_put", written.append)
        reading = asyncio.create_task(done(here))
        await typed_so_far(here, "x")
        async with asyncio.timeout(20):
            await asyncio.gather(*(here.terminal.write(str(number)) for number in range(5)))
        assert written == ["0", "1", "2", "3", "4"]
        here.terminal.end()
        await reading


async def test_only_code_is_shown_in_colours() -> None:
    with typing() as here:
        lexer = SimpleLexer()
        here.terminal._lexer = lexer
        reading = asyncio.create_task(done(here))
        await typed_so_far(here, "x")
        assert here.terminal._lexer_now() is lexer
        for text in ("> for you", ".info"):
            here.terminal._session.default_buffer.text = text
            assert here.terminal._lexer_now() is None
        here.keys.send_text("\r")
        assert await reading == Typed(".info")
