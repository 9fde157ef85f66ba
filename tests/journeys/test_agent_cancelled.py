"""A turn is cancelled while a real interpreter is busy for its agent, and the session goes on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.contracts.scenes import ANN
from tests.journeys.agents import PATIENCE, S, settings_for
from tests.journeys.live import PLAIN, assert_nothing_left, marked
from tests.journeys.transcripts import assert_whole, transcript
from tests.providers.script import Call, Reply, Say
from tests.providers.server import provider

from hearth.api import Accepted, Following, Settled, settle
from hearth.app import Living, living
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import CreateSession, SessionConfig, SessionMode
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.progress import OutputChunk
from hearth.core.vocabulary.prompting import CancelTurn, SendMessage

SOON = 5.0
"""It takes a few milliseconds; this is for machines that are very busy."""

ENDLESS = {
    "a loop": "print('begun', flush=True)\nwhile True:\n    pass",
    "a pause": "import time\nprint('begun', flush=True)\ntime.sleep(10_000)",
}


@asynccontextmanager
async def lived(home: Path, url: str) -> AsyncIterator[Living]:
    """A daemon with real interpreters, of which nothing is left in the end."""
    with marked(home):
        async with living(home, preferences=PLAIN, watch=False, agents=settings_for(url)) as one:
            config = SessionConfig(directory=str(home), mode=SessionMode.BARE)
            async with asyncio.timeout(PATIENCE):
                made = await settle(one.engine, S, CreateSession(config), ANN)
            assert isinstance(made, Settled)
            try:
                yield one
            finally:
                await one.end_all()
        assert_nothing_left(home)


@pytest.mark.promise("LK-CANC-01")
@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
async def test_a_cell_without_an_end_is_cancelled_with_its_turn(tmp_path: Path, code: str) -> None:
    replies = [
        Reply((Say("I run it."), Call("run_code", {"code": code}))),
        Reply((Call("run_code", {"code": "6 * 7"}),)),
        Reply((Say("Done."),)),
    ]
    async with provider("anthropic", replies) as fake, lived(tmp_path / "home", fake.url) as one:
        engine = one.engine
        following = engine.follow(S)
        assert isinstance(await engine.submit(S, SendMessage("go"), ANN), Accepted)
        await until(following, OutputChunk)
        async with asyncio.timeout(SOON):
            assert isinstance(await engine.submit(S, CancelTurn(), ANN), Accepted)
            await until(following, t.TurnFinished)
        # The interpreter keeps its names; what it was at is over before the next cell begins.
        async with asyncio.timeout(PATIENCE):
            again = await settle(engine, S, SendMessage("and now?"), ANN)
        assert isinstance(again, Settled)
        following.close()
        envelopes = [envelope(row) for row in await engine.rows(S, 0, 10_000)]
        assert fake.refusals == []
    assert_whole(envelopes)
    _assert_cancelled_then_done(envelopes)


def _assert_cancelled_then_done(envelopes: list[Envelope]) -> None:
    events = [one.event for one in envelopes]
    ends = [one.end for one in events if isinstance(one, t.TurnFinished)]
    assert ends == [t.TurnEnd.CANCELLED, t.TurnEnd.DONE]
    assert [type(one) for one in events if isinstance(one, e.CellCancelled | e.CellFinished)] == [
        e.CellCancelled,
        e.CellFinished,
    ]
    told = [one.text for one in transcript(envelopes)]
    assert "Interrupted, effects unknown: the person cancelled the turn while this ran." in told
    assert told[-2:] == ["Out: 42", "Done."]


async def until(following: Following, kind: type[OutputChunk | t.TurnFinished]) -> None:
    """Wait until this is shown or stored."""
    async with asyncio.timeout(PATIENCE):
        while True:
            for item in await following.batch():
                seen = envelope(item).event if isinstance(item, Stored) else item.progress
                if isinstance(seen, kind):
                    return
