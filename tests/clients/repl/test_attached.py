"""One stream tells everything, and answers everything that is asked."""

import asyncio
from pathlib import Path

import pytest
from tests.clients.repl.agenting import PLAYS, Part
from tests.clients.repl.talking import PATIENCE, Room, room
from tests.contracts.scenes import BOT

from hearth.clients.repl.attached import Attached, attach
from hearth.clients.repl.host import fresh_input_id
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import SessionId, TurnId
from hearth.core.vocabulary.prompting import SendMessage
from hearth.core.vocabulary.refusals import NotNow, Refusal, Refused, UnknownSession
from hearth.core.vocabulary.turns import TurnEnd


async def test_questions_open_no_stream_of_their_own(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.run("1+1")
        streams = len(here.host._open)
        for _ in range(3):
            outcome = await here.talk.attached.outcome(c.CompleteCode("xs.ap", 5))
            assert not isinstance(outcome, Refused)
            assert isinstance(outcome.event, e.CompletionsReturned)
        assert len(here.host._open) == streams


async def test_several_questions_at_once_get_their_own_answers(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        attached = here.talk.attached
        asked = [attached.outcome(c.CheckCode(code)) for code in ("undefined", "1+1")]
        async with asyncio.timeout(PATIENCE):
            first, second = await asyncio.gather(*asked)
        assert not isinstance(first, Refused)
        assert not isinstance(second, Refused)
        assert isinstance(first.event, e.DiagnosticsChecked)
        assert isinstance(second.event, e.DiagnosticsChecked)
        assert (len(first.event.diagnostics), len(second.event.diagnostics)) == (1, 0)


async def test_a_command_whose_answer_was_lost_is_carried_out_once(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        mine = fresh_input_id()
        assert await here.talk.attached.submit(c.RunCell("1+1"), mine) == mine
        assert await here.talk.attached.submit(c.RunCell("1+1"), mine) == mine
        assert (await here.screen.until("# int")).count("# int") == 1
        refused = await here.talk.attached.submit(c.CancelCell())
        assert isinstance(refused, NotNow)


async def test_a_cell_that_runs_already_is_told_when_one_comes(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session = here.talk.attached.session
        await here.host.engine.submit(session, c.RunCell("hang"), BOT)
        await here.screen.until("begun")
        later = await attach(here.around, session)
        assert isinstance(later, Attached)
        listening = asyncio.create_task(later.listen())
        async with asyncio.timeout(PATIENCE):
            while here.screen.shown.count("── c1  bot (agent, mcp) ──\nhang\n") < 2:
                await here.screen.news()
        later.close()
        async with asyncio.timeout(PATIENCE):
            await listening


async def test_a_session_that_is_not_there_is_refused(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert isinstance(await attach(here.around, SessionId("nowhere")), UnknownSession)


async def test_every_event_is_told_to_whoever_wants_to_know(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        heard: list[e.Event] = []
        here.around.heard = lambda envelope: heard.append(envelope.event)
        await here.talk.run("1+1")
        assert [type(one) for one in heard if isinstance(one, e.CellStarted | e.CellFinished)] == [
            e.CellStarted,
            e.CellFinished,
        ]


async def queued(here: Room) -> "asyncio.Task[Envelope | Refusal]":
    """A message that waits for the agent, whose end is waited for."""
    await here.talk.say("> begin")
    await here.screen.until("── scripted:weaver ──")
    asking = asyncio.create_task(here.talk.attached.outcome(SendMessage("go on")))
    await here.screen.until("m1 queued")
    return asking


async def test_a_message_that_waited_is_answered_with_the_end_of_its_turn(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        asking = await queued(here)
        here.agent.go_on()
        async with asyncio.timeout(PATIENCE):
            ended = await asking
        assert not isinstance(ended, Refused)
        assert isinstance(ended.event, e.TurnFinished)
        assert (ended.event.turn, ended.event.end) == (TurnId("t2"), TurnEnd.DONE)


async def test_a_turn_that_ends_with_the_news_of_its_message_is_no_less_waited_for(
    tmp_path: Path,
) -> None:
    fails = Part(fails="the key is not valid", for_good=True)
    async with room(tmp_path, parts=(*PLAYS["long"], fails)) as here:
        asking = await queued(here)
        here.host.go()
        await here.screen.until("the daemon cannot be reached")
        here.agent.go_on()
        following = here.host.engine.follow(here.talk.attached.session, after=0)
        async with asyncio.timeout(PATIENCE):
            ends = 0
            while ends < 2:
                stored = [one for one in await following.batch() if isinstance(one, Stored)]
                ends += sum(isinstance(envelope(one).event, e.TurnFinished) for one in stored)
            following.close()
            here.host.come_back()  # all that was missed comes at once
            ended = await asking
        assert not isinstance(ended, Refused)
        assert isinstance(ended.event, e.TurnFinished)
        assert ended.event.end is TurnEnd.FAILED


async def test_who_waits_for_a_turn_is_told_when_the_session_is_left(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        asking = await queued(here)
        here.talk.attached.close()
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(ConnectionError):
                await asking
