import asyncio
from collections.abc import Callable, Sequence

import pytest
from tests.contracts.scenes import ANN
from tests.performers.mcp_client.faking import LIMIT

from hearth.api import Item, settle
from hearth.core.vocabulary.commands import CreateSession, SessionConfig, StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.performers.mcp_client.turn_ends import TurnEnds


@pytest.mark.promise("LK-SESS-05")
async def test_a_session_that_is_stopped_is_told_of() -> None:
    log = MemoryLog()
    await log.open()
    engine = Engine(log, [])
    await engine.open()
    told: list[SessionId] = []
    heard = asyncio.Event()

    def tell(session: SessionId) -> None:
        told.append(session)
        heard.set()

    ends = TurnEnds(engine, tell)
    ends.open()
    one, two = SessionId("one"), SessionId("two")
    for session in (one, two):
        await engine.submit(session, CreateSession(SessionConfig()), ANN)
    await settle(engine, two, StopSession(), ANN)
    async with asyncio.timeout(LIMIT):
        await heard.wait()
    assert told == [two]
    await ends.close()
    await engine.close()
    await log.close()


class Silent:
    """A stream that never says anything."""

    def __init__(self) -> None:
        self.is_closed = False

    async def batch(self) -> Sequence[Item]:
        await asyncio.Event().wait()
        return ()

    def close(self) -> None:
        self.is_closed = True


async def test_whoever_stops_looking_lets_go_of_the_stream() -> None:
    stream = Silent()

    class Hearth:
        follow: Callable[..., Silent] = staticmethod(lambda *_args, **_more: stream)

    ends = TurnEnds(Hearth(), print)  # type: ignore[arg-type] # all that is used of it
    await ends.close()
    ends.open()
    await asyncio.sleep(0)
    await ends.close()
    assert stream.is_closed
