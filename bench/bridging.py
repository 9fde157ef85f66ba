"""`hearth mcp`, the bridge: from the start of its process until a client is let in."""

import json
import subprocess
import sys
from time import perf_counter
from typing import IO, Any, Final

from bench.daemons import Daemon, daemon
from bench.measuring import Figure, Scale, against_limit, for_information, percentile

STARTED: Final = "hearth mcp, from its start to initialised, p95"
FIRST: Final = "the first one of a daemon, which loads the SDK"
LIMIT: Final = 1000.0
HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
READY: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ASKED: Final = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def measure(scale: Scale) -> list[Figure]:
    """A client that starts the bridge, says hello and asks for the tools, again and again."""
    with daemon() as here:
        first = _milliseconds(here)
        taken = [
            percentile([_milliseconds(here) for _ in range(scale.of(10, 2))], 0.95)
            for _ in range(scale.rounds)
        ]
    return [
        against_limit(STARTED, "ms", taken, LIMIT),
        for_information(FIRST, "ms", [first]),
    ]


def _milliseconds(here: Daemon) -> float:
    began = perf_counter()
    command = [sys.executable, "-m", "hearth", "mcp"]
    with subprocess.Popen(  # noqa: S603 - our own interpreter and words
        command, cwd=here.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as bridge:
        if bridge.stdin is None or bridge.stdout is None:
            raise TypeError("there is no pipe to the bridge")
        _say(bridge.stdin, HELLO)
        _heard(bridge.stdout, 1)
        taken = perf_counter() - began
        _say(bridge.stdin, READY)
        _say(bridge.stdin, ASKED)
        if not _heard(bridge.stdout, 2)["tools"]:
            raise TypeError("hearth has no tools")
        bridge.stdin.close()
        if bridge.wait(30) != 0:
            raise TypeError(f"the bridge ended with {bridge.returncode}")
    return taken * 1000


def _say(pipe: IO[bytes], message: dict[str, Any]) -> None:
    pipe.write(json.dumps(message).encode() + b"\n")
    pipe.flush()


def _heard(pipe: IO[bytes], number: int) -> Any:
    """The result of a request; whatever else is told on the way is passed over."""
    for line in pipe:
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]
    raise TypeError("the bridge ended before it answered")
