"""Listens to the code of one interpreter, through a socket in the folder of its worker.

A question and its answer have a connection of their own: four bytes that say how long what follows
is, then JSON. The listener begins with a number, and the question carries a proof that whoever asks
has the worker's key. Who closes a connection before its answer stops the call.
"""

import asyncio
import contextlib
import hashlib
import hmac
import logging
import secrets
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from hearth.performers.cell_tools.answers import NOT_AVAILABLE, problem

LARGEST_QUESTION: Final = 4 << 20
MOST_CONNECTIONS: Final = 256
MOST_AT_ONCE: Final = 16
"""So many questions of one interpreter are looked at; the others wait."""
PATIENCE: Final = 10.0
"""Seconds that whoever connects has to ask, and to take the answer."""
GRACE: Final = 5.0
"""Seconds that a call has to end after nobody waits for it any more."""

_LENGTH: Final = struct.Struct(">I")
_said = logging.getLogger(__name__)

Answer: TypeAlias = Callable[[dict[str, Any]], Awaitable[bytes]]
"""Answers a question with JSON. It is cancelled when nobody waits any more."""


class _Refused(Exception):
    """What was said cannot be taken for a question."""


class Listening:
    """The socket of one interpreter, and whoever speaks there."""

    def __init__(self, path: Path, key: str, answer: Answer, patience: float = PATIENCE) -> None:
        self._path = path
        self._key = key.encode()
        self._answer = answer
        self._patience = patience
        self._room = asyncio.Semaphore(MOST_AT_ONCE)
        self._server: asyncio.Server | None = None
        self._beginning: asyncio.Task[None] | None = None
        self._talks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Listen from now on. What an earlier daemon left there is taken away. OSError."""
        if self._beginning is not None:
            return
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            made.setblocking(False)  # noqa: FBT003 - the socket's own signature
            made.bind(str(self._path))
            made.listen(MOST_CONNECTIONS)
        except OSError:
            made.close()
            raise
        self._beginning = asyncio.get_running_loop().create_task(self._begin(made))

    def close(self) -> None:
        """Listen no more; whoever waits for an answer is left alone."""
        if self._beginning is not None:
            self._beginning.cancel()
        if self._server is not None:
            self._server.close()
        for talk in tuple(self._talks):
            talk.cancel()

    async def _begin(self, made: socket.socket) -> None:
        try:
            self._server = await asyncio.start_unix_server(self._met, sock=made)
        except BaseException:
            made.close()
            raise

    def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._talks) >= MOST_CONNECTIONS:
            writer.close()
            return
        talk = asyncio.get_running_loop().create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            nonce = secrets.token_hex(16)
            _send(writer, msgspec.json.encode({"hearth_tools": 1, "nonce": nonce}))
            try:
                async with asyncio.timeout(self._patience):
                    question = await _question(reader)
                self._check(question, nonce)
            except _Refused as refused:
                answer: bytes | None = problem(NOT_AVAILABLE, str(refused))
            else:
                answer = await self._answered(question, reader)
            if answer is not None:
                _send(writer, answer)
                async with asyncio.timeout(self._patience):
                    await writer.drain()
        except (OSError, EOFError, TimeoutError):
            return  # nobody is there any more
        except Exception:  # noqa: BLE001 - one that goes wrong must not end the others
            _said.exception("what was asked at %s could not be answered", self._path)
        finally:
            writer.close()

    def _check(self, question: dict[str, Any], nonce: str) -> None:
        proof = hmac.new(self._key, nonce.encode(), hashlib.sha256).hexdigest()
        given = str(question.get("proof", ""))
        if not hmac.compare_digest(proof.encode(), given.encode("utf-8", "replace")):
            raise _Refused("this interpreter has another key")

    async def _answered(
        self, question: dict[str, Any], reader: asyncio.StreamReader
    ) -> bytes | None:
        """The answer; None if whoever asked has gone."""
        loop = asyncio.get_running_loop()
        answering = loop.create_task(self._in_turn(question))
        leaving = loop.create_task(reader.read(1))
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                return answering.result()
            answering.cancel()
            await asyncio.wait({answering}, timeout=GRACE)
            return None
        finally:
            answering.cancel()
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)

    async def _in_turn(self, question: dict[str, Any]) -> bytes:
        async with self._room:
            return await self._answer(question)


async def _question(reader: asyncio.StreamReader) -> dict[str, Any]:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if length > LARGEST_QUESTION:
        raise _Refused(f"a question may take {LARGEST_QUESTION} bytes, and this takes {length}")
    try:
        found = msgspec.json.decode(await reader.readexactly(length))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _Refused("this is no question, which would be a JSON object") from None
    if not isinstance(found, dict):
        raise _Refused("this is no question, which would be a JSON object")
    return found


def _send(writer: asyncio.StreamWriter, content: bytes) -> None:
    writer.write(_LENGTH.pack(len(content)) + content)
