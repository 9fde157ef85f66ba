"""Who answers a request: a provider behind a wire. The scripted model is the other one there is."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.modelling import Trouble, Written
from hearth.performers.language_model.codec import (
    Answer,
    Codec,
    Heard,
    StreamReader,
    WireTrouble,
)
from hearth.performers.language_model.failures import retry_after
from hearth.performers.language_model.keys import KEYLESS, Keys
from hearth.performers.language_model.requesting import Reply, Requesting
from hearth.performers.language_model.summing_up import SummaryDraft
from hearth.performers.language_model.tape import Draft, Encoding
from hearth.performers.language_model.wires import WireEncoding

DRAINING: Final = 2.0
"""So long we wait for the end of a stream whose answer is complete, to keep the connection."""
LOCAL_PATIENCE: Final = 10
"""One's own machine may load a model first, and reads a long conversation slowly."""

Request: TypeAlias = Draft | SummaryDraft


class Listener(Protocol):
    """Who is told what a model says."""

    def began(self) -> None:
        """The request was taken, and the answer begins."""

    def hear(self, heard: Sequence[Heard]) -> None:
        """The next pieces of it, which came at once."""

    def done(self, answer: Answer) -> None:
        """It is complete."""


class Voice(Protocol):
    """One request's way to its answer."""

    @property
    def encoding(self) -> Encoding:
        """How messages are encoded for it."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be said of it."""

    async def answer(self, request: Request, listener: Listener) -> None:
        """Have the request answered: `done` exactly once, or WireTrouble or KeyMissing."""

    def partial(self) -> tuple[Written, ...]:
        """What can be kept of an answer that is given up now."""


class WireVoice:
    """Asks a provider over its wire."""

    def __init__(
        self, session: SessionId, codec: Codec, keys: Keys, requesting: Requesting
    ) -> None:
        self.encoding: Encoding = WireEncoding(codec)
        self.secrets: tuple[str, ...] = ()
        self._session = session
        self._codec = codec
        self._keys = keys
        self._requesting = requesting
        self._reader: StreamReader | None = None

    async def answer(self, request: Request, listener: Listener) -> None:
        """Send it, and understand what comes back. WireTrouble, KeyMissing."""
        codec, choice = self._codec, request.opening.choice
        key = await self._keys.key_for(self._session, choice.provider)
        self.secrets = (key.value,)
        idle = self._requesting.idle * (LOCAL_PATIENCE if choice.provider in KEYLESS else 1)
        url = joined(key.base_url, codec.path)
        headers = codec.headers(key.value)
        async with self._requesting.post(url, headers, request.body, idle=idle) as reply:
            await self._refuse(reply)
            reader = self._reader = codec.reader(choice)
            listener.began()
            async for chunk in reply.chunks:
                if heard := reader.feed(chunk):
                    listener.hear(heard)
                if reader.answer is not None:
                    listener.done(reader.answer)
                    await _drain(reply)
                    return
            listener.done(reader.finish())

    def partial(self) -> tuple[Written, ...]:
        """The text and the thinking that came by now."""
        return self._reader.partial() if self._reader is not None else ()

    async def _refuse(self, reply: Reply) -> None:
        """WireTrouble if it is not the beginning of an answer."""
        kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        if reply.status == 200 and kind not in {"application/json", "text/html"}:
            return
        content = await reply.content()
        if reply.status == 200 and kind == "text/html":
            raise WireTrouble(
                Trouble.MALFORMED,
                "a page for people came instead of an answer; is baseUrl right?",
                reply.status,
            )
        raise self._codec.rejected(reply.status, content, retry_after(reply.headers))


def joined(base_url: str, path: str) -> str:
    """Where requests go: many write the `/v1` that some protocols have in their paths, too."""
    base = base_url.rstrip("/")
    return base.removesuffix("/v1") + path if path.startswith("/v1/") else base + path


async def _drain(reply: Reply) -> None:
    # Whatever goes wrong now, the answer is there; only the connection is not used again.
    with contextlib.suppress(WireTrouble, TimeoutError):
        async with asyncio.timeout(DRAINING):
            async for _ in reply.chunks:
                pass
