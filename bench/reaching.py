"""The HTTP door: `1+1` through it, against the kernel alone and against Jupyter's own server."""

import asyncio
from time import perf_counter
from typing import Final

from bench.daemons import Wire, daemon
from bench.living import PlainKernel, plain_kernel
from bench.measuring import Figure, Round, Scale, at_most, percentile, scratch
from bench.peers import JupyterServer, jupyter

from hearth.app import run

RAW: Final = "1+1 over HTTP with Prefer: wait, p50"
SERVER: Final = "the same, beside jupyter_server"
CODE: Final = "1+1"
WARM_UP: Final = 20


def measure(scale: Scale) -> list[Figure]:
    """One cell of each in turn, so that all see the same machine."""
    return run(_measure(scale))


async def _measure(scale: Scale) -> list[Figure]:
    raw: list[Round] = []
    server: list[Round] = []
    # The wire last: who connects and says nothing for as long as the other starts is hung up on.
    with daemon() as here, scratch() as folder, jupyter(folder) as peer, Wire(here) as wire:
        session = wire.session(here.project)
        async with plain_kernel() as (kernel, _):
            await _in_turn(wire, session, kernel, peer, WARM_UP)
            for _ in range(scale.rounds):
                ours, alone, theirs = await _in_turn(wire, session, kernel, peer, scale.of(100, 3))
                raw.append(Round(ours, alone))
                server.append(Round(ours, theirs))
    return [
        Figure(RAW, "ms", raw, "raw jupyter_client", at_most(2.0)),
        Figure(SERVER, "ms", server, "jupyter_server", at_most(0.5)),
    ]


async def _in_turn(
    wire: Wire, session: str, kernel: PlainKernel, peer: JupyterServer, times: int
) -> tuple[float, float, float]:
    """The milliseconds in the middle: through our door, without anything, through theirs."""
    ours, alone, theirs = [], [], []
    for _ in range(times):
        ours.append(await asyncio.to_thread(wire.seconds, session, CODE))
        begun = perf_counter()
        await kernel.run(CODE)
        alone.append(perf_counter() - begun)
        theirs.append(await asyncio.to_thread(peer.seconds, CODE))
    return (
        percentile(ours, 0.5) * 1000,
        percentile(alone, 0.5) * 1000,
        percentile(theirs, 0.5) * 1000,
    )
