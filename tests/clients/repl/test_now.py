"""How a session stands follows from its events, as its status would say it."""

from pathlib import Path

from tests.clients.repl.agenting import PLAYS
from tests.clients.repl.talking import room
from tests.clients.repl.telling_of import NOON, S, told
from tests.contracts.scenes import BOT

from hearth.api import Viewed
from hearth.clients.repl.now import Now, carry_on, now_of
from hearth.core.views.conversation import Conversation
from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.ids import CellId, MessageId, TurnId
from hearth.core.vocabulary.phases import PhaseName

C = CellId("c1")
READY = Now(S, "loom", PhaseName.READY)


async def test_what_is_carried_on_equals_what_is_looked_up(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        session = here.talk.attached.session
        for code in ("x = 1", "1/0", "hang"):
            await here.talk.say(code)
        await here.talk.say("1+1")
        await here.screen.until("begun")
        await here.host.engine.submit(session, c.RenameSession("weaver"), BOT)
        await here.screen.until("weaver")
        viewed = await here.host.view("status", session)
        assert isinstance(viewed, Viewed)
        assert isinstance(viewed.value, Status)
        looked_up, carried = now_of(viewed.value), here.talk.attached.now
        assert carried.running == looked_up.running
        assert len(carried.waiting) == looked_up.more_waiting == 1
        assert (carried.name, carried.state) == (looked_up.name, looked_up.state)


def test_a_cell_comes_and_goes() -> None:
    queued = carry_on(READY, told(e.CellQueued(C, "x")))
    assert queued.waiting == (C,)
    started = carry_on(queued, told(e.CellStarted(C, "x")))
    assert started.waiting == ()
    assert started.running is not None
    assert (started.running.cell, started.running.since) == (C, NOON)
    ended = carry_on(started, told(e.CellFinished(C, 0.1)))
    assert ended.running is None
    assert ended.epoch != started.epoch
    assert carry_on(queued, told(e.CellWithdrawn(C, "no"))).waiting == ()


def test_cells_that_waited_before_are_counted_down() -> None:
    before = READY._replace(more_waiting=2)
    assert carry_on(before, told(e.CellStarted(C, "x"))).more_waiting == 1


def test_everything_else_the_toolbar_shows_is_kept() -> None:
    assert carry_on(READY, told(e.EnvironmentChanged("f", {}, stale=2))).stale == 2
    found = Surroundings(language="bash", name="x")
    assert carry_on(READY, told(e.SessionWarmUpCompleted(0.1, surroundings=found))).language == (
        "bash"
    )
    stopped = carry_on(READY, told(e.SessionStopped()))
    assert stopped.stopped
    assert not carry_on(stopped, told(e.SessionWarmUpStarted(2))).stopped
    moved = e.StateTransitioned(PhaseName.READY, PhaseName.FAULTED)
    assert carry_on(READY, told(moved)).state is PhaseName.FAULTED
    assert carry_on(READY, told(e.CompletionsReturned())) == READY


T = TurnId("t1")


def test_a_turn_comes_and_goes() -> None:
    started = carry_on(READY, told(t.TurnStarted(T), seq=1))
    assert started.turn is not None
    assert (started.turn.turn, started.turn.since) == (T, NOON)
    assert started.talk.turn == T
    queued = carry_on(started, told(t.MessageQueued(MessageId("m1"), "x"), seq=2))
    assert [one.message for one in queued.talk.queue] == ["m1"]
    stopping = carry_on(queued, told(t.TurnCancelRequested(T), seq=3))
    assert stopping.turn is not None
    assert stopping.turn.is_stopping
    ended = carry_on(stopping, told(t.TurnFinished(T, t.TurnEnd.CANCELLED), seq=4))
    assert ended.turn is None
    assert ended.talk.turn is None
    assert carry_on(ended, told(t.TurnStarted(T), seq=2)).talk == ended.talk


async def test_who_comes_late_knows_the_turn_and_whose_it_is(tmp_path: Path) -> None:
    async with room(tmp_path, parts=PLAYS["long"]) as here:
        await here.talk.say("> begin")
        await here.screen.until("Weaving is old.")
        await here.talk.say("> and then")
        await here.screen.until("m1 queued")
        session = here.talk.attached.session
        status = await here.host.view("status", session)
        said = await here.host.view("conversation", session)
        assert isinstance(status, Viewed)
        assert isinstance(status.value, Status)
        assert isinstance(said, Viewed)
        assert isinstance(said.value, Conversation)
        now = now_of(status.value, said.value)
        assert now.turn is not None
        assert (now.turn.turn, now.turn.author.name) == ("t1", "ann")
        assert now.talk.queue == here.talk.attached.now.talk.queue
        assert now.talk.model == here.talk.attached.now.talk.model == "scripted:weaver"


def test_a_trial_runs_like_a_cell_and_names_may_be_others_after_it() -> None:
    started = carry_on(READY, told(e.TrialStarted(C, ("x", "y"))))
    assert started.running is not None
    assert started.running.cell == C
    ended = carry_on(started, told(e.TrialEnded(C)))
    assert ended.running is None
    for event in (e.CellsUndone((C,)), e.CellsRedone((C,)), e.VariantKept(C, 1, 2)):
        assert carry_on(ended, told(event)).epoch != ended.epoch
