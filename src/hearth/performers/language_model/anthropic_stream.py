"""Anthropic's Messages: an answer out of its stream of events."""

from typing import Any, Final

import msgspec

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Written
from hearth.performers.language_model.anthropic_events import Counted, Event, decoded, malformed
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    Heard,
    TextHeard,
    ThinkingHeard,
    WireTrouble,
)
from hearth.performers.language_model.event_reading import EventReader
from hearth.performers.language_model.failures import told_in, trouble_of
from hearth.performers.language_model.server_sent import Frame

STOPS: Final = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.TOOLS,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "pause_turn": StopReason.PAUSE,
    "refusal": StopReason.REFUSAL,
}

_DELTAS: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "input_json_delta": "tool_use",
}
"""The kind of block that each kind of delta belongs to."""
_READ: Final = frozenset(_DELTAS.values())


class _Open:
    """A block of the answer, as far as it was heard."""

    __slots__ = ("closed", "kind", "pieces", "signature", "start")

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.kind = start.get("type")
        self.pieces: list[str] = []
        self.signature = ""
        self.closed = False

    def written(self) -> Written | None:
        """What is kept of it; None if it says nothing, or nothing that was asked for."""
        said = "".join(self.pieces)
        match self.kind:
            case "text":
                return Written(said) if said else None
            case "thinking":
                if not self.signature or not self.closed:
                    # Without all of its signature it cannot be sent back; people may read it.
                    return Written(said, thinking=True) if said else None
                return Written(said, thinking=True, native=self._native(said))
            case "redacted_thinking":
                return Written(thinking=True, native=_json(self.start))
            case "tool_use":
                return Written(
                    said or _json(self.start.get("input") or {}),
                    name=self.start["name"],
                    wire_id=self.start["id"],
                )
            case _:
                return None

    def _native(self, said: str) -> str:
        return _json({**self.start, "thinking": said, "signature": self.signature})


class AnthropicReader(EventReader):
    """Understands one answer, as it comes in."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: list[_Open] = []
        self._counted = Counted(0, 0, 0, 0)
        self._stop: StopReason | None = None
        self._begun = False

    def partial(self) -> tuple[Written, ...]:
        """What can be kept of an answer that was given up: its text and thinking, no calls."""
        return tuple(piece for piece in self._written() if not piece.name)

    def _written(self) -> list[Written]:
        return [piece for block in self._blocks if (piece := block.written()) is not None]

    def _read(self, frame: Frame, heard: list[Heard]) -> None:
        if frame.event == "ping":
            return
        event = decoded(frame)
        if event is None:
            return
        match event.type:
            case "content_block_delta":
                self._continue(event, heard)
            case "content_block_start":
                self._start(event, heard)
            case "content_block_stop":
                self._block(event.index).closed = True
            case "error":
                code, message = told_in({"error": event.error})
                raise WireTrouble(
                    trouble_of(None, code, message),
                    message or code or "the provider broke its answer off and gave no reason",
                )
            case _:
                self._read_whole(event)

    def _read_whole(self, event: Event) -> None:
        """An event about the message itself; any other is new, and says nothing to us."""
        match event.type:
            case "message_start":
                if self._begun:
                    raise malformed("it began twice")
                self._begun = True
                self._count(event.message.usage if event.message else None)
            case "message_delta":
                self._count(event.usage)
                if event.delta is not None and event.delta.stop_reason is not None:
                    self._stop = STOPS.get(event.delta.stop_reason, StopReason.OTHER)
            case "message_stop":
                self._complete()
            case _:
                pass

    def _start(self, event: Event, heard: list[Heard]) -> None:
        block = event.content_block
        if not self._begun or block is None:
            raise malformed("a block began before the message, or without saying as what")
        if event.index != len(self._blocks) or (self._blocks and not self._blocks[-1].closed):
            raise malformed(f"block {event.index} began where none could")
        made = _Open(block)
        self._blocks.append(made)
        match made.kind:
            case "text" | "thinking":
                self._hear(made, event.index, _string(block, made.kind), heard)
                made.signature = _string(block, "signature")
            case "tool_use":
                if not _string(block, "name") or not _string(block, "id"):
                    raise malformed("a tool is called without its name or an id")
                heard.append(CallHeard(event.index, block["name"]))
            case _:
                pass

    def _continue(self, event: Event, heard: list[Heard]) -> None:
        delta, block = event.delta, self._block(event.index)
        if delta is None:
            raise malformed("a block went on without saying how")
        meant = _DELTAS.get(delta.type)
        if meant is None or block.kind not in _READ:
            return  # kinds of blocks and deltas that nobody asked for
        if meant != block.kind:
            raise malformed(f"a {delta.type} came for a block of {block.kind}")
        match delta.type:
            case "signature_delta":
                block.signature += delta.signature
            case "input_json_delta":
                block.pieces.append(delta.partial_json)
            case _:
                self._hear(block, event.index, delta.text or delta.thinking, heard)

    def _hear(self, block: _Open, place: int, text: str, heard: list[Heard]) -> None:
        if not text:
            return
        block.pieces.append(text)
        heard.append(TextHeard(place, text) if block.kind == "text" else ThinkingHeard(place, text))

    def _block(self, index: int) -> _Open:
        if index != len(self._blocks) - 1 or index < 0 or self._blocks[index].closed:
            raise malformed(f"something came for block {index}, which is not open")
        return self._blocks[index]

    def _count(self, counted: Counted | None) -> None:
        """Numbers are sums of all so far: the latest holds, and what it leaves out stays."""
        if counted is None:
            return
        for name in Counted.__struct_fields__:
            value = getattr(counted, name)
            if value is not None:
                setattr(self._counted, name, value)

    def _complete(self) -> None:
        if not self._begun or self._stop is None or (self._blocks and not self._blocks[-1].closed):
            raise malformed("it ended before it was complete, or without saying why")
        counted = self._counted
        usage = Usage(
            fresh=counted.input_tokens or 0,
            cache_read=counted.cache_read_input_tokens or 0,
            cache_write=counted.cache_creation_input_tokens or 0,
            output=counted.output_tokens or 0,
        )
        self._answer = Answer(tuple(self._written()), self._stop, usage)


def _string(block: dict[str, Any], name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
