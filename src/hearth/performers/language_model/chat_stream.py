"""Understands the streams of Chat Completions, as OpenAI writes them and as everyone else does.

A chunk adds to one message: thinking, text, and calls by their index. Servers differ in where the
thinking is, in whether calls have ids and indexes, and in how they say that nothing follows.
"""

from typing import Any, Final

import msgspec

from hearth.core.vocabulary.blocks import StopReason
from hearth.core.vocabulary.modelling import Trouble, Written
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    Heard,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)
from hearth.performers.language_model.event_reading import (
    DONE,
    EventReader,
    complained,
    malformed,
)
from hearth.performers.language_model.openai_parts import encode
from hearth.performers.language_model.openai_reading import counted, decoded
from hearth.performers.language_model.sent_back import native_item
from hearth.performers.language_model.server_sent import Frame

_STOPS: Final = {
    "stop": StopReason.END,
    "tool_calls": StopReason.TOOLS,
    "function_call": StopReason.TOOLS,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
}
_GAVE_UP: Final = "insufficient_system_resource"
"""DeepSeek had to break off for lack of machines; the answer is not complete."""


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"null")
    """A string of JSON; some servers send the object itself."""


class _CallDelta(msgspec.Struct, frozen=True):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_CallDelta] | None = None
    function_call: _Function | None = None


class _Choice(msgspec.Struct, frozen=True):
    index: int = 0
    delta: _Delta | None = None
    finish_reason: str | None = None
    error: Any = None


class _Chunk(msgspec.Struct, frozen=True):
    choices: list[_Choice] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None
    object: str | None = None
    message: Any = None
    code: Any = None


_chunk: Final = msgspec.json.Decoder(_Chunk)


class _Said:
    """Text, or thinking: then `field` is what its server calls it."""

    __slots__ = ("field", "place", "texts")

    def __init__(self, place: int, field: str = "") -> None:
        self.place = place
        self.field = field
        self.texts: list[str] = []

    def written(self) -> Written:
        text = "".join(self.texts)
        if not self.field:
            return Written(text)
        return Written(text, thinking=True, native=encode({self.field: text}).decode())


class _Calling:
    """A call as far as it has come."""

    __slots__ = ("arguments", "id", "index", "name", "ordinal", "place")

    def __init__(self, place: int, index: int | None, ordinal: int) -> None:
        self.place = place
        self.index = index
        self.ordinal = ordinal
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []

    def is_whole(self) -> bool:
        return bool(self.name) and native_item("".join(self.arguments)) is not None

    def written(self, stop: StopReason) -> Written:
        if not self.name:
            raise malformed("it calls a tool and does not say which")
        arguments = "".join(self.arguments)
        if not arguments.strip() and stop is not StopReason.LENGTH:
            arguments = "{}"  # how some servers write a call without arguments
        # Where a server names no call, its place does: the same stream always gives the same id.
        return Written(arguments, name=self.name, wire_id=self.id or f"call_{self.ordinal}")


class ChatReader(EventReader):
    """Understands one answer. Text, thinking and each call are one piece, where they first came."""

    def __init__(self) -> None:
        super().__init__()
        self._text: _Said | None = None
        self._thinking: _Said | None = None
        self._calls: list[_Calling] = []
        self._places = 0
        self._finish = ""
        self._refused = False
        self._usage: dict[str, Any] | None = None

    def _ended(self) -> Answer | None:
        # A stream that said why it stops is complete without its last words.
        return self._complete() if self._finish else None

    def partial(self) -> tuple[Written, ...]:
        """Text and thinking, as far as they came."""
        return tuple(said.written() for said in self._said())

    def _read(self, frame: Frame, heard: list[Heard]) -> None:
        if frame.data == DONE:
            if not self._finish:
                raise malformed("it ends without saying why it stops")
            self._answer = self._complete()
            return
        chunk = _checked(frame)
        for choice in chunk.choices or ():
            if choice.index == 0:
                self._choose(choice, heard)
        if chunk.usage is not None:
            self._usage = chunk.usage
            if self._finish:
                # The counts are the last that any server sends.
                self._answer = self._complete()

    def _choose(self, choice: _Choice, heard: list[Heard]) -> None:
        if choice.error is not None:
            raise complained({"error": choice.error})
        if choice.delta is not None:
            self._add(choice.delta, heard)
        if choice.finish_reason == _GAVE_UP:
            raise WireTrouble(Trouble.OVERLOADED, "the provider ran out of machines and broke off")
        if choice.finish_reason == "error":
            raise complained({})
        if choice.finish_reason:
            self._finish = choice.finish_reason

    def _add(self, delta: _Delta, heard: list[Heard]) -> None:
        if thought := delta.reasoning_content or delta.reasoning:
            if self._thinking is None:
                field = "reasoning_content" if delta.reasoning_content else "reasoning"
                self._thinking = _Said(self._place(), field)
            self._thinking.texts.append(thought)
            heard.append(ThinkingHeard(self._thinking.place, thought))
        self._refused = self._refused or bool(delta.refusal)
        if text := (delta.content or "") + (delta.refusal or ""):
            if self._text is None:
                self._text = _Said(self._place())
            self._text.texts.append(text)
            heard.append(TextHeard(self._text.place, text))
        for call in delta.tool_calls or ():
            self._call(call, heard)
        if delta.function_call is not None:
            self._call(_CallDelta(index=0, function=delta.function_call), heard)

    def _place(self) -> int:
        self._places += 1
        return self._places - 1

    def _call(self, delta: _CallDelta, heard: list[Heard]) -> None:
        function = delta.function or _Function()
        call = self._calling(delta, function)
        call.id = call.id or (delta.id or "")
        if function.name and not call.name:
            call.name = function.name
            heard.append(CallHeard(call.place, call.name))
        if arguments := _arguments(function.arguments):
            call.arguments.append(arguments)

    def _calling(self, delta: _CallDelta, function: _Function) -> _Calling:
        """The call that a delta adds to: one that is there, or a new one."""
        alike = (call for call in reversed(self._calls) if delta.index in {None, call.index})
        call = next(alike, None)
        if call is None or _is_another(call, delta, function):
            call = _Calling(self._place(), delta.index, len(self._calls))
            self._calls.append(call)
        return call

    def _said(self) -> list[_Said]:
        said = [said for said in (self._thinking, self._text) if said is not None]
        return sorted(said, key=lambda said: said.place)

    def _complete(self) -> Answer:
        stop = self._stop()
        placed = [(said.place, said.written()) for said in self._said()]
        placed += [(call.place, call.written(stop)) for call in self._calls]
        usage = counted(
            self._usage,
            sent="prompt_tokens",
            written="completion_tokens",
            details="prompt_tokens_details",
        )
        return Answer(tuple(piece for _, piece in sorted(placed, key=_first)), stop, usage)

    def _stop(self) -> StopReason:
        stop = _STOPS.get(self._finish, StopReason.OTHER)
        if self._refused and stop is StopReason.END:
            return StopReason.REFUSAL
        if self._calls and stop in {StopReason.END, StopReason.OTHER}:
            return StopReason.TOOLS  # several servers say `stop` all the same
        if not self._calls and stop is StopReason.TOOLS:
            return StopReason.END
        return stop


def _checked(frame: Frame) -> _Chunk:
    """A part of an answer; raises what it says if it is an error."""
    chunk = decoded(_chunk, frame.data)
    if chunk.error is not None:
        raise complained({"error": chunk.error})
    if chunk.object == "error" or frame.event == "error":
        raise complained({"message": chunk.message, "code": chunk.code})
    # Some proxies keep a connection open with frames of that name.
    if chunk.choices is None and chunk.usage is None and frame.event != "ping":
        raise malformed("it has a frame that is no part of an answer")
    return chunk


def _first(placed: tuple[int, Written]) -> int:
    return placed[0]


def _arguments(raw: msgspec.Raw) -> str:
    value = bytes(raw)
    if value == b"null":
        return ""
    if not value.startswith(b'"'):
        return value.decode()
    return msgspec.json.decode(value, type=str)


def _is_another(call: _Calling, delta: _CallDelta, function: _Function) -> bool:
    """Whether a delta with the index of a call begins another one.

    Ollama gives all calls the same index, and some servers none: then a new id tells, or, where
    there are no ids, a name that comes after a call that is whole.
    """
    if delta.id and call.id:
        return delta.id != call.id and bool(function.name)
    return bool(function.name) and call.is_whole()
