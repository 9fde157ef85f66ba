"""A pretended model that says what time it is, token by token: `python -m bench.speaker`.

Each token is the time at which it is sent, of the monotonic clock that all processes share, so that
whoever gets it knows how late it is. The first line that it writes is its base address.
"""

import argparse
import asyncio
import sys
from contextlib import suppress
from time import monotonic_ns
from typing import Any, Final

from tests.providers.anthropic import AnthropicWire
from tests.providers.connection import LARGEST_HEAD, Connection
from tests.providers.script import Reply, Say, Tokens
from tests.providers.wire import event

STREAM: Final = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
SAID: Final = "@{}@ "


class Speaker:
    """Answers every request with so many tokens, so many a second."""

    def __init__(self, tokens: int, rate: float, paragraph: int = 0) -> None:
        self._tokens = tokens
        self._rate = rate
        self._paragraph = paragraph
        self._wire = AnthropicWire()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Speak with whoever has connected, until they leave."""
        connection = Connection(reader, writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while (head := await connection.head()) is not None:
                await connection.rest(head)
                await self._speak(connection)
        await connection.close()

    async def _speak(self, connection: Connection) -> None:
        # The frames around one token, which is left out.
        around = self._wire.stream({"model": "speaker"}, 0, Reply((Say("."),)), Tokens(1))
        place = next(number for number, frame in enumerate(around) if frame.delta)
        connection.begin(STREAM)
        connection.chunk(b"".join(frame.data for frame in around[:place]))
        begun = asyncio.get_running_loop().time()
        for number in range(self._tokens):
            await _until(begun + number / self._rate)
            said = SAID.format(monotonic_ns())
            if self._paragraph and number % self._paragraph == self._paragraph - 1:
                said += "\n\n"
            connection.chunk(event("content_block_delta", _delta(said)))
            await connection.flush()
        connection.chunk(b"".join(frame.data for frame in around[place + 1 :]))
        connection.end()
        await connection.flush()


def _delta(text: str) -> dict[str, Any]:
    said = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": 0, "delta": said}


async def _until(time: float) -> None:
    early = time - asyncio.get_running_loop().time()
    if early > 0:
        await asyncio.sleep(early)


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.speaker")
    parser.add_argument("--tokens", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--paragraph", type=int, default=0, help="tokens; 0: one without end")
    options = parser.parse_args()
    speaker = Speaker(options.tokens, options.rate, options.paragraph)
    server = await asyncio.start_server(speaker.serve, "127.0.0.1", 0, limit=LARGEST_HEAD)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main())
