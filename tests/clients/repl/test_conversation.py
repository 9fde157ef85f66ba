"""Entries go out in order, events come in, and nothing that was typed is lost."""

import asyncio
from pathlib import Path

import pytest
from tests.clients.repl.agenting import PLAYS
from tests.clients.repl.talking import PATIENCE, Remembering, room
from tests.contracts.scenes import BOT

from hearth.clients.repl.attached import Surroundings
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import NotNow, UnknownSession
from hearth.performers.interpreter.scene import Scene

F = Scene(inspection=Inspection(found=True, name="f", signature="f(a)"))


async def test_code_is_run_and_its_value_is_shown(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await here.talk.say("1+1")
        assert (await here.screen.until("# int")).endswith("2  # int\n")
        assert await here.talk.say("   ")
        assert here.talk.last_code == "1+1"


async def test_what_is_entered_while_a_cell_runs_waits(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.say("hang")
        await here.screen.until("begun")
        await here.talk.say("1+1")
        async with asyncio.timeout(PATIENCE):
            while not here.talk.standing().now or not here.talk.attached.now.waiting:
                await here.screen.news()
        assert here.talk.standing().is_mine
        assert here.talk.interrupt()
        shown = await here.screen.until("# int")
        assert shown.index("cancelled after") < shown.index("# int")


async def test_there_is_nothing_to_interrupt_where_nothing_runs(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert not here.talk.interrupt()


async def test_an_agents_cell_is_cancelled_only_when_asked_twice(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.host.engine.submit(here.talk.attached.session, c.RunCell("hang"), BOT)
        await here.screen.until("begun")
        assert not here.talk.standing().is_mine
        assert here.talk.interrupt()
        await here.screen.until("c1 is bot's: Ctrl-C once more stops it")
        assert here.talk.attached.now.running is not None
        assert here.talk.interrupt()
        await here.screen.until("c1 was cancelled")


async def test_a_question_of_a_cell_is_asked_and_answered(tmp_path: Path) -> None:
    async with room(tmp_path, {"ask": Scene(asks="name? ")}) as here:
        await here.talk.say("ask")
        async with asyncio.timeout(PATIENCE):
            while not here.screen.asked:
                await here.screen.news()
        (question,) = here.screen.asked
        assert question is not None
        assert (question.cell, question.prompt) == ("c1", "name? ")
        await here.talk.answer(question.cell, "ann")
        await here.screen.until("ann  # str")
        assert here.screen.asked == [question, None]
        before = here.screen.shown
        await here.talk.answer(question.cell, "again")
        assert here.screen.shown != before


async def test_an_agents_question_is_not_put_to_the_person(tmp_path: Path) -> None:
    async with room(tmp_path, {"ask": Scene(asks="name? ")}) as here:
        session = here.talk.attached.session
        await here.host.engine.submit(session, c.RunCell("ask", may_ask=True), BOT)
        await here.screen.until("c1 waits for an answer: name? ")
        assert here.screen.asked == []


async def test_completions_and_signatures_come_while_a_cell_runs(tmp_path: Path) -> None:
    async with room(tmp_path, {"f": F}) as here:
        await here.talk.say("hang")
        await here.screen.until("begun")
        (found,) = await here.talk.complete("xs.ap", 5)
        assert found.label == "append"
        inspection = await here.talk.inspect("f", 1)
        assert inspection is not None
        assert inspection.signature == "f(a)"
        assert "append" not in here.screen.shown


async def test_nobody_is_asked_while_the_daemon_is_away(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        here.host.go()
        await here.screen.until("the daemon cannot be reached")
        assert not here.talk.standing().is_reachable
        assert await here.talk.complete("xs.ap", 5) == ()
        assert await here.talk.inspect("f", 1) is None


async def test_what_is_entered_while_the_daemon_is_away_is_run_once_it_is_back(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        here.host.go()
        await here.screen.until("the daemon cannot be reached (the stream ended); waiting for it")
        entered = asyncio.create_task(here.talk.say("1+1"))
        here.host.come_back()
        shown = await here.screen.until("# int")
        assert await entered
        assert shown.count("the daemon is back") == 1
        assert shown.count("# int") == 1
        assert shown.count("cannot be reached") == 1


async def test_what_happened_while_the_daemon_could_not_be_heard_is_told(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.say("hang")
        await here.screen.until("begun")
        here.host.go()
        await here.screen.until("cannot be reached")
        session = here.talk.attached.session
        await here.host.engine.submit(session, c.CancelCell(), BOT)
        here.host.come_back()
        shown = await here.screen.until("cancelled after")
        assert shown.count("begun\n") == 1


async def test_another_session_is_taken_up_and_the_first_no_longer_told(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        first = here.talk.attached.session
        second = await here.begin("/yarn")
        assert await here.talk.find("yarn") == second
        await here.talk.switch(second)
        await here.screen.until("yarn · session-000002 · /yarn")
        assert here.talk.session_names() == ("yarn", "loom")
        await here.host.engine.submit(first, c.RunCell("print"), BOT)
        await here.host.engine.submit(second, c.RunCell("1+1"), BOT)
        assert "one" not in await here.screen.until("2  # int")


async def test_a_session_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert isinstance(await here.talk.attach(SessionId("nowhere")), UnknownSession)
        await here.talk.say("1+1")
        await here.screen.until("# int")
        await here.talk.switch(SessionId("nowhere"))
        await here.screen.until("there is no session 'nowhere'")


async def test_a_refusal_is_shown_with_what_helps(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.say(".stop")
        await here.screen.until("the session is stopped")
        assert isinstance(await here.talk.run("1+1"), NotNow)
        before = len(here.screen.shown)
        await here.talk.say("1+1")
        assert here.screen.shown[before:].count("\n") == 2
        await here.talk.say(".hard-reset")
        await here.screen.until("the interpreter is replaced")


async def test_a_lost_interpreter_is_told(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.talk.say("die")
        shown = await here.screen.until(".hard-reset starts another interpreter")
        assert "the interpreter died" in shown


async def test_names_may_be_others_after_every_cell(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        before = here.talk.epoch()
        assert here.talk.epoch() == before
        await here.talk.run("x = 1")
        assert here.talk.epoch() != before
        assert here.talk.is_python()
        assert here.talk.live() == ""


async def test_a_stopped_session_says_how_to_bring_it_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session = await here.begin("/yarn")
        await here.host.engine.submit(session, c.StopSession(), BOT)
        await here.talk.switch(session)
        await here.screen.until("it is stopped: .hard-reset starts it again")
        assert "is ready" not in here.screen.shown.rpartition("it is stopped")[2]


async def test_whoever_waits_is_told_when_the_conversation_ends(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        waiting = asyncio.create_task(here.talk.run("hang"))
        await here.screen.until("begun")
        await here.talk.close()
        async with asyncio.timeout(PATIENCE):
            (outcome,) = await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(outcome, ConnectionError)


async def test_a_message_begins_a_turn_and_the_next_one_waits(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        assert await here.talk.say("> begin")
        await here.screen.until("Weaving is old.")
        assert here.talk.standing().is_my_turn
        assert here.talk.live() == "It goes"
        await here.talk.say("1+1")
        await here.screen.until("# int")
        await here.talk.say("> go on")
        await here.screen.until("m1 queued")
        here.agent.go_on()
        shown = await here.screen.until("# t2 done")
        assert shown.index("# t1 done") < shown.index("m1 delivered: go on")
        assert shown.count("Weaving is old.") == 1
        assert await here.talk.say(">  ")
        assert "t3" not in here.screen.shown


async def test_ctrl_c_stops_the_turn_only_where_nothing_is_typed(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["hanging"]) as here:
        await here.talk.say("> hang")
        await here.screen.until("begun")
        assert not here.talk.interrupt(is_empty=False)
        assert here.talk.attached.now.turn is not None
        assert here.talk.interrupt(is_empty=True)
        shown = await here.screen.until("c1 was cancelled")
        assert "# t1 cancelled" in shown
        async with asyncio.timeout(PATIENCE):
            while here.talk.attached.now.running is not None:
                await here.screen.news()
        assert not here.talk.interrupt()


async def test_ones_own_cell_is_stopped_before_the_agent(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        await here.talk.say("> begin")
        await here.screen.until("Weaving is old.")
        await here.talk.say("hang")
        await here.screen.until("begun")
        assert here.talk.interrupt(is_empty=False)
        await here.screen.until("cancelled after")
        assert here.talk.attached.now.turn is not None
        assert here.talk.interrupt()
        await here.screen.until("# t1 cancelled")


async def test_somebody_elses_turn_is_stopped_only_when_asked_twice(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        session = here.talk.attached.session
        await here.host.engine.submit(session, p.SendMessage("begin"), BOT)
        await here.screen.until("Weaving is old.")
        assert here.talk.interrupt()
        await here.screen.until("t1 is bot's: Ctrl-C once more stops it")
        assert here.talk.attached.now.turn is not None
        assert here.talk.interrupt()
        await here.screen.until("# t1 cancelled")


@pytest.mark.promise("DL-CLI-06")
async def test_who_comes_in_the_middle_of_a_turn_sees_all_of_it(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        await here.talk.say("> begin")
        await here.screen.until("Weaving is old.")
        second = Remembering()
        around = Surroundings(here.host, BOT, second, Paint())
        other = Conversation(around, may_ask=True)
        try:
            assert await other.attach(here.talk.attached.session) is None
            shown = await second.until("Weaving is old.")
            assert "ann (repl) to the agent ──\nbegin\n" in shown
            here.agent.go_on()
            shown = await second.until("# t1 done")
        finally:
            await other.close()
        assert shown.count("Weaving is old.\nIt goes\n") == 1
        here_shown = await here.screen.until("# t1 done")
        assert here_shown.count("Weaving is old.\nIt goes\n") == 1


async def test_a_message_that_is_sent_while_the_daemon_is_away_is_sent_once(
    tmp_path: Path,
) -> None:
    async with room(tmp_path) as here:
        here.host.go()
        await here.screen.until("the daemon cannot be reached")
        sending = asyncio.create_task(here.talk.say("> hello"))
        here.host.come_back()
        async with asyncio.timeout(PATIENCE):
            assert await sending
        shown = await here.screen.until("# t1 done")
        assert shown.count("There is no more.") == 1
