"""Servers of others: a warm call through the pool, beside the bare client of the official SDK."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from bench.measuring import (
    Figure,
    Round,
    Scale,
    at_most,
    for_information,
    percentile,
    scratch,
)
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from hearth.app import run
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.mcp_client.connecting import Call
from hearth.performers.mcp_client.pool import Lease, Pool, Ways
from hearth.performers.mcp_client.recorded import Recorded
from hearth.performers.mcp_client.servers import Around, McpServers
from hearth.performers.mcp_client.starting import Starter
from hearth.performers.tools.tool import Scene
from hearth.settings.mcp import McpSettings, ServerSpec

WARM: Final = "a warm call of a pooled stdio server, p50"
WHOLE: Final = "… with settings, approval and change looked at"
SERVER: Final = str(Path(__file__).with_name("echoing.py"))
WARM_UP: Final = 20
SAID: Final = {"text": "hello"}


def measure(scale: Scale) -> list[Figure]:
    """One call of each in turn, so that both see the same machine."""
    with scratch() as folder:
        rounds = run(_measure(folder, scale))
    return [
        Figure(WARM, "ms", [one.pooled for one in rounds], "the SDK's client", at_most(1.2)),
        for_information(WHOLE, "ms", [one.whole for one in rounds]),
    ]


class _Taken(NamedTuple):
    pooled: Round
    whole: float


async def _measure(folder: Path, scale: Scale) -> list[_Taken]:
    scene = Scene(SessionId("pooling"), str(folder), str(folder))
    spec = ServerSpec("echo", sys.executable, (SERVER,), cwd=str(folder))
    starter = Starter(folder, os.environ, Recorded(folder))
    pool = Pool(Ways(connect=starter.connect))
    async with _servers(folder, spec) as servers, _bare() as bare:
        await servers.begin_turn(scene)
        lease = await pool.acquire(spec)
        try:
            await _in_turn(lease, servers, bare, scene, WARM_UP)
            return [
                await _in_turn(lease, servers, bare, scene, scale.of(300, 5))
                for _ in range(scale.rounds)
            ]
        finally:
            lease.release()
            await pool.close()


@asynccontextmanager
async def _servers(folder: Path, spec: ServerSpec) -> AsyncIterator[McpServers]:
    settings = McpSettings(servers={spec.name: spec})
    servers = McpServers(Around(folder, os.environ, lambda _: settings))
    await servers.open()
    try:
        yield servers
    finally:
        await servers.close()


@asynccontextmanager
async def _bare() -> AsyncIterator[Client]:
    told = StdioServerParameters(command=sys.executable, args=[SERVER])
    async with Client(stdio_client(told)) as client:
        yield client


async def _in_turn(
    lease: Lease, servers: McpServers, bare: Client, scene: Scene, times: int
) -> _Taken:
    """The milliseconds in the middle: through the pool, as a tool is called, without any of it."""
    pooled, whole, theirs = [], [], []
    call = Call("echo", SAID, 60.0)
    for _ in range(times):
        begun = perf_counter()
        outcome = await lease.call(call)
        pooled.append(perf_counter() - begun)
        begun = perf_counter()
        result = await bare.call_tool("echo", SAID)
        theirs.append(perf_counter() - begun)
        begun = perf_counter()
        other = await servers.call(scene, "echo", "echo", SAID)
        whole.append(perf_counter() - begun)
        if not outcome.text == other.text == SAID["text"] or result.is_error:
            raise TypeError(f"the echo was {outcome}, {other} and {result}")
    ours, alone, all_of_it = (percentile(one, 0.5) * 1000 for one in (pooled, theirs, whole))
    return _Taken(Round(ours, alone), all_of_it)
