"""The scripted model: needs no key and no network, and always says the same.

It is asked as every other model is: the same log, the same tape, the same reports. Only what it
reads are the messages themselves.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import msgspec

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.messages import Message
from hearth.core.vocabulary.modelling import Trouble, Written
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    Opening,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)
from hearth.performers.language_model.scripted_scenes import (
    Memory,
    Scene,
    ScriptBroken,
    companion,
    played,
    script_at,
    summary_of,
)
from hearth.performers.language_model.summing_up import SummaryDraft
from hearth.performers.language_model.tape import Draft, Encoding, Witness
from hearth.performers.language_model.voices import Listener, Request

Pause: TypeAlias = Callable[[float], Awaitable[None]]

COMPANION: Final = frozenset({"", "scripted", "companion"})
"""The models of this provider that are no path of a script."""
BYTES_PER_TOKEN: Final = 4
_WORD: Final = re.compile(r"\s*\S+\s*|\s+")


class PlainEncoding:
    """Messages as plain JSON: nobody reads it, but its size and what is alike in it are real."""

    def opening(self, opening: Opening) -> bytes:
        """System and tools, which are counted."""
        return f"{opening.tools}\n{opening.system}\n".encode()

    def closing(self) -> bytes:
        """Nothing."""
        return b""

    def encode(self, message: Message, choice: ModelChoice, *, marked: bool) -> bytes:
        """A message as its piece of a request."""
        del choice, marked  # there is nobody who would read them
        return msgspec.json.encode(message)

    def witness(self) -> Witness | None:
        """The model's own memory of the conversation."""
        return Memory()


class _Saying:
    """Text or thinking, as far as it was said."""

    def __init__(self, *, thinking: bool) -> None:
        self.thinking = thinking
        self.words: list[str] = []

    def written(self) -> Written:
        text = "".join(self.words)
        if not self.thinking:
            return Written(text)
        native = msgspec.json.encode({"thinking": text}).decode()
        return Written(text, thinking=True, native=native)


class ScriptedVoice:
    """Answers one request."""

    def __init__(self, model: str, directory: str, pause: Pause = asyncio.sleep) -> None:
        self.encoding: Encoding = PlainEncoding()
        self.secrets: tuple[str, ...] = ()
        self._model = model
        self._directory = directory
        self._pause = pause
        self._said: list[_Saying] = []

    async def answer(self, request: Request, listener: Listener) -> None:
        """Say it word by word. WireTrouble if the script cannot be played."""
        scene, number = await self._scene(request)
        listener.began()
        if scene.thinking:
            await self._say(scene.thinking, scene.delay, listener, thinking=True)
        if scene.text:
            await self._say(scene.text, scene.delay, listener)
        written = list(self.partial())
        for place, call in enumerate(scene.calls):
            listener.hear((CallHeard(len(written), call.name),))
            wire_id = f"call_{number}_{place}"
            written.append(Written(call.written(), name=call.name, wire_id=wire_id))
        stop = StopReason.TOOLS if scene.calls else StopReason.END
        listener.done(Answer(tuple(written), stop, _usage(request, written)))

    def partial(self) -> tuple[Written, ...]:
        """What was said by now."""
        return tuple(one.written() for one in self._said if one.words)

    async def _scene(self, request: Request) -> tuple[Scene, int]:
        """What is answered, and the how-manieth answer it is."""
        if isinstance(request, SummaryDraft):
            return Scene(text=summary_of(request.messages)), 0
        memory = request.tape.witness
        if not isinstance(memory, Memory):
            raise TypeError("this tape was not made for the scripted model")
        now = memory.now(request.messages)
        if self._model in COMPANION:
            tools = request.opening.tools
            can_run, has_shell = '"run_code"' in tools, '"run_shell"' in tools
            return companion(now, can_run=can_run, has_shell=has_shell), now.answers
        try:
            script = await asyncio.to_thread(script_at, self._model, self._directory)
        except ScriptBroken as broken:
            raise WireTrouble(Trouble.REJECTED, str(broken)) from broken
        return played(script, now), now.answers

    async def _say(
        self, text: str, delay: float, listener: Listener, *, thinking: bool = False
    ) -> None:
        place, said = len(self._said), _Saying(thinking=thinking)
        kind = ThinkingHeard if thinking else TextHeard
        self._said.append(said)
        for word in _WORD.findall(text):
            await self._pause(delay)
            said.words.append(word)
            listener.hear((kind(place, word),))


def _usage(request: Request, written: list[Written]) -> Usage:
    """By bytes: what the request before had as well is read from the cache, the rest written."""
    said = sum(len(str(one.text).encode()) + len(one.name) for one in written)
    output = max(1, said // BYTES_PER_TOKEN)
    if not isinstance(request, Draft):
        return Usage(fresh=len(request.body) // BYTES_PER_TOKEN, output=output)
    read = request.note.shared // BYTES_PER_TOKEN
    whole = request.note.size // BYTES_PER_TOKEN
    return Usage(cache_read=read, cache_write=whole - read, output=output)
