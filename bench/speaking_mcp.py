"""The MCP door: `1+1` through it as the official client speaks, and how much its answers say."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, Final

import httpx2
from bench.daemons import Daemon, Wire, daemon
from bench.living import PlainKernel, plain_kernel
from bench.measuring import (
    Figure,
    Round,
    Scale,
    against_limit,
    at_most,
    for_information,
    percentile,
)
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent
from msgspec import json
from rs_bpe.bpe import openai

from hearth.app import run

NOW: Final = "run_code 1+1 over /mcp, the SDK's client, p50"
BEFORE: Final = "the same, in the era of sessions"
FIRST: Final = "the first call of a daemon, which loads the SDK"
VALUE: Final = "tokens of the answer to 1+1"
STATUS: Final = "tokens of a status"
CODE: Final = "1+1"
WARM_UP: Final = 20
MOST_VALUE: Final = 60
MOST_STATUS: Final = 120


def measure(scale: Scale) -> list[Figure]:
    """One cell of each in turn, so that all see the same machine."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    modern: list[Round] = []
    legacy: list[Round] = []
    with daemon() as here:
        with Wire(here) as wire:
            session = wire.session(here.project)
        begun = perf_counter()
        async with client(here, "auto") as now:
            await _ran(now, session)
            first = perf_counter() - begun
            async with client(here, "legacy") as before, plain_kernel() as (kernel, _):
                await _in_turn(now, before, kernel, session, WARM_UP)
                for _ in range(scale.rounds):
                    taken = await _in_turn(now, before, kernel, session, scale.of(100, 3))
                    ours, older, alone = (percentile(one, 0.5) * 1000 for one in taken)
                    modern.append(Round(ours, alone))
                    legacy.append(Round(older, alone))
            value = _tokens(await now.call_tool("run_code", _asked(session)))
            status = _tokens(await now.call_tool("get_status", {"session": session}))
    return [
        Figure(NOW, "ms", modern, "raw jupyter_client", at_most(3.0)),
        Figure(BEFORE, "ms", legacy, "raw jupyter_client", at_most(3.0)),
        for_information(FIRST, "ms", [first * 1000]),
        against_limit(VALUE, "", [value], MOST_VALUE),
        against_limit(STATUS, "", [status], MOST_STATUS),
    ]


@asynccontextmanager
async def client(here: Daemon, mode: str) -> AsyncIterator[Client]:
    """The official client, connected to a daemon as a program of its person."""
    token = {"Authorization": f"Bearer {here.found.token}"}
    url = f"http://127.0.0.1:{here.found.port}/mcp"
    async with (
        httpx2.AsyncClient(headers=token, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as speaker,
    ):
        yield speaker


async def _in_turn(
    now: Client, before: Client, kernel: PlainKernel, session: str, times: int
) -> tuple[list[float], list[float], list[float]]:
    """The seconds of each: as the protocol is now, as it was before, without anything."""
    modern, legacy, alone = [], [], []
    for _ in range(times):
        modern.append(await _ran(now, session))
        legacy.append(await _ran(before, session))
        begun = perf_counter()
        await kernel.run(CODE)
        alone.append(perf_counter() - begun)
    return modern, legacy, alone


async def _ran(speaker: Client, session: str) -> float:
    begun = perf_counter()
    answered = await speaker.call_tool("run_code", _asked(session))
    taken = perf_counter() - begun
    if answered.is_error or "2" not in _text(answered):
        raise TypeError(f"1+1 was answered with {answered}")
    return taken


def _asked(session: str) -> dict[str, Any]:
    return {"code": CODE, "session": session}


def _text(answered: Any) -> str:
    return "".join(one.text for one in answered.content if isinstance(one, TextContent))


def _tokens(answered: Any) -> int:
    """Of what a model reads: the text, or the structured content where a client gives it that."""
    count = openai.o200k_base().count
    structured = json.encode(answered.structured_content).decode()
    return max(int(count(_text(answered))), int(count(structured)))
