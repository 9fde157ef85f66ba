"""Conversations, read by an engine out of its log."""

import asyncio
from pathlib import Path

import pytest
from tests.contracts.faulty_log import FaultyLog
from tests.contracts.hearth_api import S, T, accepted, begin, ran, until
from tests.contracts.manual_clock import ManualClock
from tests.contracts.quick_agent import QuickAgent
from tests.contracts.scenes import ANN, SCENES

from hearth.api import Accepted, Viewed
from hearth.core.views.branches import Branches as Branching
from hearth.core.views.conversation import WINDOW, Conversation, carry_on, conversation
from hearth.core.views.open_blocks import OpenBlock, OpenKind
from hearth.core.views.sessions import Sessions
from hearth.core.views.talk import TalkStatus
from hearth.core.views.usage import Usage
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import TextBlock
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import ForkPoint, SessionConfig
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import SessionId, TurnId
from hearth.core.vocabulary.modelling import AskModel, Written
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.refusals import Quarantined, StoreUnavailable
from hearth.engine.conversing import conversation_of
from hearth.engine.engine import Engine
from hearth.engine.restoring import fold_name, restore
from hearth.log.event_log import EventLog
from hearth.log.memory import MemoryLog
from hearth.log.spool import Spool
from hearth.log.sqlite import SqliteLog
from hearth.performers.branches import Branches
from hearth.performers.interpreter.scripted import ScriptedInterpreter


async def opened(log: EventLog, agent: QuickAgent | None = None) -> Engine:
    await log.open()
    branches = Branches(log.read_session)
    engine = Engine(log, [ScriptedInterpreter(SCENES), agent or QuickAgent(), branches])
    await engine.open()
    return engine


async def talked(engine: Engine, session: SessionId = S) -> Conversation:
    viewed = await engine.view("conversation", session)
    assert isinstance(viewed, Viewed), viewed
    assert isinstance(viewed.value, Conversation)
    return viewed.value


async def stored(engine: Engine, session: SessionId = S) -> list[Envelope]:
    return [envelope(row) for row in await engine.rows(session, 0, 100_000)]


def said(view: Conversation) -> list[str]:
    return [str(row.content.text) for row in view.rows if isinstance(row.content, TextBlock)]


async def test_before_anything_is_said_there_is_an_empty_one() -> None:
    engine = await opened(MemoryLog())
    await begin(engine)
    assert await talked(engine) == Conversation()
    await engine.close()


@pytest.mark.promise("DP-LOG-03")
async def test_what_many_say_at_once_has_one_order_and_what_was_followed_is_what_is_loaded(
    tmp_path: Path,
) -> None:
    log = SqliteLog(tmp_path / "hearth.db")
    engine = await opened(log)
    await begin(engine)
    following = engine.follow(S)
    async with asyncio.timeout(30), asyncio.TaskGroup() as many:
        for number in range(20):
            many.create_task(accepted(engine, p.SendMessage(f"say {number}")))
    view, heard = conversation(await stored(engine)), 0
    while heard < 20 or view.now.turn is not None or view.now.queue:
        async with asyncio.timeout(30):
            items = await following.batch()
        for item in items:
            if isinstance(item, Stored):
                view = carry_on(view, envelope(item))
        heard = sum(text.startswith("say ") for text in said(view))
    following.close()
    loaded = await talked(engine)
    assert view == loaded
    seqs = [row.seq for row in loaded.rows]
    assert seqs == sorted(set(seqs))
    assert sorted(text for text in said(loaded) if text.startswith("say ")) == sorted(
        f"say {number}" for number in range(20)
    )
    await engine.close()
    await log.close()


async def test_a_view_and_its_cursor_join_with_what_follows() -> None:
    engine = await opened(MemoryLog())
    await begin(engine)
    await ran(engine, p.SendMessage("one"))
    viewed = await engine.view("conversation", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Conversation)
    following = engine.follow(S, after=viewed.seq)
    await ran(engine, p.SendMessage("two"))
    view = viewed.value
    for item in await until(following, t.TurnFinished):
        if isinstance(item, Stored):
            view = carry_on(view, envelope(item))
    following.close()
    assert view == await talked(engine)
    assert said(view) == ["one", "yes", "two", "yes"]
    await engine.close()


async def test_branches_forks_and_what_they_show() -> None:
    engine = await opened(MemoryLog())
    await begin(engine)
    await ran(engine, p.SendMessage("one"))
    await ran(engine, p.SendMessage("two"))
    two = next(row.block for row in (await talked(engine)).rows if "two" in repr(row.content))
    await ran(engine, p.EditMessage(two, "zwei"))
    assert said(await talked(engine)) == ["one", "yes", "zwei"]
    viewed = await engine.view("branches", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Branching)
    assert [(row.preview, row.current) for row in viewed.value.rows] == [
        ("zwei", True),
        ("two", False),
    ]
    following = engine.follow(T)
    await accepted(engine, c.CreateSession(SessionConfig(forked_from=ForkPoint(S, two))), T)
    await until(following, t.ConversationForked)
    following.close()
    assert said(await talked(engine, T)) == ["one", "yes", "two"]
    await engine.close()


async def test_usage_is_counted_and_listed() -> None:
    engine = await opened(MemoryLog())
    await begin(engine)
    await ran(engine, p.SendMessage("what is\nthis?"))
    viewed = await engine.view("usage", S)
    assert isinstance(viewed, Viewed)
    assert isinstance(viewed.value, Usage)
    total = viewed.value.total
    assert (total.requests, total.fresh, total.cache_read, total.output) == (1, 10, 20, 40)
    listed = await engine.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    (row,) = listed.value.rows
    assert (row.preview, row.messages, row.replied) == ("what is this?", 2, True)
    assert (row.model, row.cost) == ("scripted:quick", None)
    assert row.talked is not None
    await engine.close()


async def test_a_long_conversation_is_a_window_and_costs_a_few_pages() -> None:
    log = FaultyLog()
    steps = iter(range(130))

    def says(_: AskModel) -> tuple[Written, ...]:
        number = next(steps, None)
        if number is None:
            return (Written("end"),)
        return (Written("x"), Written(f'{{"n":{number}}}', name="look", wire_id="w"))

    engine = await opened(log, QuickAgent(says))
    await begin(engine)
    await ran(engine, p.SendMessage("go"))
    pages = log.pages_read
    view = await talked(engine)
    assert (len(view.rows), view.older) == (WINDOW, True)
    assert view.rows[-1].content == TextBlock("end")
    assert log.pages_read - pages <= 4
    await engine.close()


async def test_while_the_store_is_down_the_last_one_is_shown() -> None:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine)
    await ran(engine, p.SendMessage("one"))
    log.down = True
    assert isinstance(await engine.view("conversation", S), StoreUnavailable)
    assert isinstance(await engine.view("branches", S), StoreUnavailable)
    log.down = False
    seen = await engine.view("conversation", S)
    log.down = True
    assert await engine.view("conversation", S) == seen
    log.down = False
    await engine.close()


async def test_what_waits_on_disk_is_known_before_it_can_be_read(tmp_path: Path) -> None:
    log, clock, agent = FaultyLog(), ManualClock(), QuickAgent(lambda _: None)
    await log.open()
    performers: list[Performer] = [ScriptedInterpreter(SCENES), agent]
    engine = Engine(log, performers, spool=Spool(tmp_path), clock=clock)
    await engine.open()
    await begin(engine)
    await ran_into(engine, "one")
    log.down = True
    assert isinstance(await engine.submit(S, p.SendMessage("two"), ANN), Accepted)
    log.down = False  # it is back, and what waits has not been appended yet
    view = await talked(engine)
    assert [one.text for one in view.now.queue] == ["two"]
    assert said(view) == ["one"]
    assert view.version < view.now.version
    following = engine.follow(S, after=view.rows[-1].seq)
    await clock.someone_waits()
    clock.pass_time(60)
    for item in await until(following, t.MessageQueued):
        if isinstance(item, Stored):
            view = carry_on(view, envelope(item))
    following.close()
    assert view == await talked(engine)
    await engine.close()


async def ran_into(engine: Engine, text: str) -> None:
    following = engine.follow(S)
    await accepted(engine, p.SendMessage(text))
    await until(following, t.ModelAsked)
    following.close()


async def test_a_row_that_cannot_be_read_is_told() -> None:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine)
    await ran(engine, p.SendMessage("one"))
    log.store.damage_row(len(log.store.stored(S)) - 1)
    assert isinstance(await engine.view("conversation", S), Quarantined)
    await engine.close()


async def test_what_is_being_written_is_part_of_it() -> None:
    log = MemoryLog()
    engine = await opened(log, QuickAgent(lambda _: None))
    await begin(engine)
    await ran_into(engine, "one")
    writing = (OpenBlock(TurnId("t1"), 0, 0, OpenKind.TEXT, "so f"),)
    viewed = await conversation_of(log, await restore(log, S, fold_name()), writing)
    assert isinstance(viewed.value, Conversation)
    assert viewed.value.open == writing
    assert viewed.value.now.status is TalkStatus.RUNNING
    await engine.close()


async def test_what_was_sealed_is_not_shown_as_being_written_as_well() -> None:
    log = MemoryLog()
    engine = await opened(log)
    await begin(engine)
    await ran(engine, p.SendMessage("one"))
    writing = (OpenBlock(TurnId("t1"), 0, 0, OpenKind.TEXT, "yes"),)
    viewed = await conversation_of(log, await restore(log, S, fold_name()), writing)
    assert isinstance(viewed.value, Conversation)
    assert viewed.value.open == ()
    await engine.close()


@pytest.mark.promise("DL-SESS-07", "DL-SESS-09", "DL-MGR-04", "DL-MGR-06")
async def test_what_was_said_outlives_the_daemon_and_the_same_conversation_goes_on(
    tmp_path: Path,
) -> None:
    log = SqliteLog(tmp_path / "hearth.db")
    engine = await opened(log, QuickAgent(lambda _: None))
    await begin(engine)
    await ran(engine, p.SetModel("openai:gpt-5"))
    await ran_into(engine, "one")
    await engine.close()
    await log.close()
    again, agent = SqliteLog(tmp_path / "hearth.db"), QuickAgent()
    engine = await opened(again, agent)
    view, following = await talked(engine), engine.follow(S, after=0)
    assert said(view)[:1] == ["one"]
    await until(following, t.TurnFinished)
    following.close()
    await ran(engine, p.SendMessage("two"))
    assert said(await talked(engine)) == ["one", "yes", "two", "yes"]
    rows = (await talked(engine)).rows
    assert [row.parent for row in rows[-3:]] == [row.block for row in rows[-4:-1]]
    assert agent.prepared[-1].model == "openai:gpt-5"
    listed = await engine.view("sessions")
    assert isinstance(listed, Viewed)
    assert isinstance(listed.value, Sessions)
    assert len(listed.value.rows) == 1
    await engine.close()
    await again.close()


@pytest.mark.promise("DL-SESS-06")
async def test_what_cannot_be_stored_is_refused_and_not_swallowed() -> None:
    log = FaultyLog()
    engine = await opened(log)
    await begin(engine)
    log.down = True
    refusal = await engine.submit(S, p.SendMessage("lost?"), ANN)
    assert isinstance(refusal, StoreUnavailable)
    log.down = False
    assert said(await talked(engine)) == []
    await engine.close()
