"""A pretended provider in a process of its own, until it is ended.

    python -m tests.providers --dialect anthropic --script script.json --record requests.jsonl

The first line that it writes is its base address. In the record each request has a line when it has
come (`"outcome": "open"`), and another when it is over.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import TextIO, get_args

from tests.providers.script import read_script
from tests.providers.server import Dialect, Pace, Received, provider


def main() -> None:
    """Listen until a signal comes."""
    parser = argparse.ArgumentParser(prog="python -m tests.providers")
    parser.add_argument("--dialect", choices=get_args(Dialect), required=True)
    parser.add_argument("--script", type=Path, required=True, help="a file as script.py tells")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", help="the only one that is accepted")
    parser.add_argument("--record", type=Path, help="where to write what was asked")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before an answer begins")
    parser.add_argument("--tokens-per-second", type=float, default=0.0)
    options = parser.parse_args()
    with (options.record or Path(os.devnull)).open("a", encoding="utf-8") as record:
        asyncio.run(_listen(options, record))


async def _listen(options: argparse.Namespace, record: TextIO) -> None:
    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    async with provider(
        options.dialect,
        read_script(options.script),
        key=options.key,
        pace=Pace(options.delay, options.tokens_per_second),
        port=options.port,
        heard=lambda number, received: _note(record, number, received),
    ) as fake:
        sys.stdout.write(f"{fake.url}\n")
        sys.stdout.flush()
        await over.wait()


def _note(record: TextIO, number: int, received: Received) -> None:
    line = {
        "number": number,
        "outcome": received.outcome,
        "at": received.at,
        "ended": received.ended,
        "shares": received.shares and received.shares._asdict(),
        "headers": dict(received.headers),
        # Once is enough, of what may be megabytes.
        "body": received.body.decode() if received.outcome == "open" else None,
    }
    record.write(json.dumps(line) + "\n")
    record.flush()


if __name__ == "__main__":
    main()
