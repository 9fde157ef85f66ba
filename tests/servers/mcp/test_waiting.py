"""Waiting for what becomes of a command."""

import asyncio
from pathlib import Path

from tests.contracts.scenes import ANN, SCENES
from tests.servers.http.serving import PATIENCE, served

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import UnknownSession
from hearth.performers.interpreter.scene import Scene
from hearth.servers.mcp.waiting import Waited, carried_out

S = SessionId("session-aaaaaa")


async def test_the_outcome_is_there_once_it_has_ended(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        waited = await carried_out(daemon.engine, S, c.RunCell("print"), ANN, wait=PATIENCE)
        assert isinstance(waited, Waited)
        assert waited.outcome is not None
        assert isinstance(waited.outcome.event, e.CellFinished)
        assert waited.ending is waited.outcome.event
        assert waited.cell == "c1"


async def test_who_stops_waiting_has_a_handle_and_the_cell_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        waited = await carried_out(daemon.engine, S, c.RunCell("hang"), ANN, wait=0.1)
        assert isinstance(waited, Waited)
        assert waited.outcome is None
        assert waited.ending is None
        assert waited.cell == "c1"
        assert waited.cursor >= waited.seq
        cancelled = await daemon.command({"type": "cancel_cell"})
        assert cancelled.status_code == 200


async def test_a_cell_that_asks_is_not_waited_for(tmp_path: Path) -> None:
    scenes = {**SCENES, "ask": Scene(asks="Name? ")}
    async with served(tmp_path, scenes) as daemon, asyncio.timeout(PATIENCE):
        await daemon.begin()
        command = c.RunCell("ask", may_ask=True)
        waited = await carried_out(daemon.engine, S, command, ANN, wait=PATIENCE)
        assert isinstance(waited, Waited)
        assert waited.asks is not None
        assert waited.asks.prompt == "Name? "


async def test_a_refusal_is_the_answer(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        said = await carried_out(daemon.engine, S, c.RunCell("1+1"), ANN, wait=PATIENCE)
        assert isinstance(said, UnknownSession)
