"""What an agent is asked, followed to its end."""

import asyncio
from pathlib import Path

from tests.contracts.scenes import ANN
from tests.servers.http.agents.asking_agent import SESSION, asking
from tests.servers.http.serving import PATIENCE

from hearth.core.vocabulary.ids import SessionId, TurnId
from hearth.core.vocabulary.prompting import SendMessage
from hearth.core.vocabulary.refusals import UnknownSession
from hearth.servers.mcp import turns

S = SessionId(SESSION)


async def test_a_turn_is_followed_to_what_it_waits_for_and_to_its_end(tmp_path: Path) -> None:
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        hearth = opened.daemon.engine
        asked = await turns.ask(hearth, S, SendMessage("build it"), ANN)
        assert isinstance(asked, turns.AskedTurn)
        await turns.follow(hearth, S, asked, wait=PATIENCE)
        assert list(asked.waits_for) == ["a1"]
        assert not asked.is_over
        answer = {"answer": "once"}
        await opened.daemon.client.post(f"/sessions/{S}/approvals/a1", json=answer)
        await turns.follow(hearth, S, asked, wait=PATIENCE)
        assert asked.ending is not None
        assert asked.said == "yes"
        assert not asked.waits_for


async def test_who_comes_later_hears_the_same(tmp_path: Path) -> None:
    async with asking(tmp_path) as opened, asyncio.timeout(PATIENCE):
        hearth = opened.daemon.engine
        first = await turns.ask(hearth, S, SendMessage("build it"), ANN)
        assert isinstance(first, turns.AskedTurn)
        await turns.follow(hearth, S, first, wait=PATIENCE)
        await opened.daemon.client.post(f"/sessions/{S}/approvals/a1", json={"answer": "once"})
        later = turns.AskedTurn(turn=TurnId("t1"))
        await turns.follow(hearth, S, later, wait=PATIENCE)
        assert later.said == "yes"


async def test_a_refusal_is_the_answer(tmp_path: Path) -> None:
    async with asking(tmp_path) as opened:
        said = await turns.ask(opened.daemon.engine, SessionId("x"), SendMessage("hi"), ANN)
        assert isinstance(said, UnknownSession)
