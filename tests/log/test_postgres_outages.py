"""Two daemons on one server that is restarted at random, while one of them is killed."""

import asyncio
import json
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.event_log import assert_sound, read_all
from tests.log.postgres_server import PostgresMaker, making, new_schema

from hearth.core.vocabulary import codec

CONTESTED = ("session-contested-1", "session-contested-2")
RESTARTS = 6


@pytest.fixture
async def maker() -> AsyncIterator[PostgresMaker]:
    async with making() as maker:
        yield maker


class Daemons:
    """Processes of tests.log.postgres_writer, and everything they said."""

    def __init__(self, url: str, schema: str) -> None:
        self._arguments = (sys.executable, "-m", "tests.log.postgres_writer", url, schema)
        self.acknowledged: list[dict[str, Any]] = []
        self.followed: list[dict[str, int]] = []
        self.stopped = 0
        self._more = asyncio.Condition()
        self._listening: list[asyncio.Task[None]] = []
        self.alive: dict[str, Process] = {}

    async def start(self, owner: str) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._arguments,
            owner,
            *CONTESTED,
            cwd=Path(__file__).parents[2],
            stdin=PIPE,
            stdout=PIPE,
        )
        self.alive[owner] = process
        self._listening.append(asyncio.create_task(self._listen(process)))

    async def kill(self, owner: str) -> None:
        process = self.alive.pop(owner)
        process.kill()
        await process.wait()

    async def tell(self, line: str) -> None:
        for process in self.alive.values():
            assert process.stdin is not None
            process.stdin.write(f"{line}\n".encode())
            await process.stdin.drain()

    async def until(self, name: str, number: int) -> None:
        """Wait for so many acknowledgements, or whatever else."""
        async with asyncio.timeout(60), self._more:
            await self._more.wait_for(lambda: self.said(name) >= number)

    def said(self, name: str) -> int:
        what = getattr(self, name)
        return what if isinstance(what, int) else len(what)

    async def end(self) -> None:
        await asyncio.gather(*self._listening)
        for process in self.alive.values():
            assert await process.wait() == 0

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        async for raw in process.stdout:
            if not raw.endswith(b"\n"):
                return
            line = json.loads(raw)
            async with self._more:
                if "id" in line:
                    self.acknowledged.append(line)
                elif "followed" in line:
                    self.followed.append(line)
                else:
                    self.stopped += 1
                self._more.notify_all()


@pytest.mark.slow
@pytest.mark.promise("SF-LOG-08", "SF-LOG-10", "SF-LOG-19", "SF-LOG-21")
async def test_nothing_is_lost_doubled_or_skipped_and_one_owner_writes(
    maker: PostgresMaker,
) -> None:
    chance = random.Random(11)  # noqa: S311 - a test that can be run again
    schema = new_schema()
    await maker.on(schema, owner="witness")
    daemons = Daemons(maker.server.url, schema)
    for owner in ("north", "south"):
        await daemons.start(owner)
    for restart in range(RESTARTS):
        await daemons.until("acknowledged", len(daemons.acknowledged) + chance.randint(20, 60))
        if restart == RESTARTS // 2:
            await daemons.kill("north")
            await daemons.start("north")
        mode = chance.choice(["fast", "immediate"])
        await asyncio.to_thread(maker.server.stop, mode)
        await asyncio.to_thread(maker.server.start)
    await daemons.until("acknowledged", len(daemons.acknowledged) + 40)
    await daemons.tell("stop")
    await daemons.until("stopped", 2)
    log = await maker.on(schema, owner="judge")
    rows = await read_all(log)
    await daemons.tell(f"until {rows[-1].seq}")
    await daemons.until("followed", 2)
    await daemons.end()

    assert_sound(rows)
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1)), "seq has a gap"
    stored = {codec.decode_fact(row.data).id: row for row in rows}
    assert len(stored) == len(rows), "an event is there twice"
    for one in daemons.acknowledged:
        row = stored[one["id"]]
        assert (row.seq, row.session, row.version) == (one["seq"], one["session"], one["version"])
    assert daemons.followed == [{"followed": len(rows), "missed": 0}] * 2
    for session in CONTESTED:
        reigns = sorted(
            (one["version"], one["generation"], one["id"].partition("-")[0])
            for one in daemons.acknowledged
            if one["session"] == session
        )
        generations = [generation for _, generation, _ in reigns]
        assert generations == sorted(generations), "an overtaken owner has appended"
        owners = {(generation, owner) for _, generation, owner in reigns}
        assert len(owners) == len(set(generations)), "two owners at a time"
        assert {owner for _, owner in owners} == {"north", "south"}
    assert list(await log.check()) == []
