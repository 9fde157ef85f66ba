"""Understands the streams of OpenAI's Responses.

An answer is a list of items, each opened by `output_item.added` and closed by `output_item.done`,
which repeats it whole; what lies between them is for those who watch. Only the closed form of
reasoning has all of its encrypted content.
"""

from collections.abc import Iterator
from typing import Any, Final, Literal, TypeAlias

import msgspec

from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.modelling import Written
from hearth.performers.language_model.codec import (
    Answer,
    CallHeard,
    Heard,
    TextHeard,
    ThinkingHeard,
)
from hearth.performers.language_model.event_reading import (
    DONE,
    EventReader,
    complained,
    malformed,
)
from hearth.performers.language_model.openai_reading import counted, decoded
from hearth.performers.language_model.server_sent import Frame

_Kind: TypeAlias = Literal["message", "reasoning", "function_call"]
_KINDS: Final[dict[str, _Kind]] = {
    "message": "message",
    "reasoning": "reasoning",
    "function_call": "function_call",
}
_DELTAS: Final[dict[str, _Kind]] = {
    "response.output_text.delta": "message",
    "response.refusal.delta": "message",
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
    "response.function_call_arguments.delta": "function_call",
}
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_CUT: Final = {
    "max_output_tokens": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
}
_BETWEEN: Final = "\n\n"
"""Between the parts of a summary of reasoning."""


class _Typed(msgspec.Struct, frozen=True):
    type: str = ""


class _Changed(msgspec.Struct, frozen=True):
    """A delta; `part` only says that a further part of a summary begins."""

    output_index: int
    delta: str = ""
    summary_index: int = 0


class _Part(msgspec.Struct, frozen=True):
    text: str = ""
    refusal: str = ""


class _Item(msgspec.Struct, frozen=True):
    type: str
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    content: list[_Part] | None = None
    summary: list[_Part] | None = None
    encrypted_content: str | None = None


class _Itemized(msgspec.Struct, frozen=True):
    output_index: int
    item: msgspec.Raw


class _Incomplete(msgspec.Struct, frozen=True):
    reason: str = ""


class _Response(msgspec.Struct, frozen=True):
    usage: dict[str, Any] | None = None
    error: Any = None
    incomplete_details: _Incomplete | None = None


class _Ended(msgspec.Struct, frozen=True):
    response: _Response


_typed: Final = msgspec.json.Decoder(_Typed)
_changed: Final = msgspec.json.Decoder(_Changed)
_itemized: Final = msgspec.json.Decoder(_Itemized)
_item: Final = msgspec.json.Decoder(_Item)
_ended: Final = msgspec.json.Decoder(_Ended)


class _Slot:
    """An item of the answer, as far as it has come; placed once there is something of it."""

    __slots__ = ("call_id", "kind", "name", "native", "place", "texts", "whole")

    def __init__(self, kind: _Kind | None) -> None:
        self.kind = kind
        self.place: int | None = None
        self.texts: list[str] = []
        self.native = ""
        self.name = ""
        self.call_id = ""
        self.whole = False

    def text(self) -> str:
        return "".join(self.texts)

    def written(self) -> Written:
        if self.kind == "function_call":
            return Written(self.text(), name=self.name, wire_id=self.call_id)
        return Written(self.text(), thinking=self.kind == "reasoning", native=self.native)


class ResponsesReader(EventReader):
    """Understands one answer."""

    def __init__(self) -> None:
        super().__init__()
        self._slots: dict[int, _Slot] = {}
        self._placed: list[_Slot] = []
        self._refused = False

    def partial(self) -> tuple[Written, ...]:
        """Text and thinking, as far as they came.

        Reasoning is only taken back together with the item that followed it, whole: where that is
        missing, what is kept of it is for people.
        """
        return tuple(self._kept())

    def _kept(self) -> Iterator[Written]:
        for place, slot in enumerate(self._placed):
            if slot.kind == "function_call":
                continue
            written = slot.written()
            if slot.native and not self._is_followed(place):
                written = Written(written.text, thinking=True)
            if written.text or written.native:
                yield written

    def _is_followed(self, place: int) -> bool:
        behind = (slot for slot in self._placed[place + 1 :] if slot.kind != "reasoning")
        following = next(behind, None)
        return following is not None and following.kind == "message" and following.whole

    def _read(self, frame: Frame, heard: list[Heard]) -> None:
        if frame.data == DONE:
            return
        kind = decoded(_typed, frame.data).type or frame.event
        if kind in _DELTAS:
            self._add(kind, decoded(_changed, frame.data), heard)
        elif kind == "response.output_item.added":
            self._open(decoded(_itemized, frame.data), heard)
        elif kind == "response.output_item.done":
            self._close(decoded(_itemized, frame.data), heard)
        elif kind == "response.reasoning_summary_part.added":
            self._part(decoded(_changed, frame.data), heard)
        elif kind in _ENDS:
            self._end(kind, decoded(_ended, frame.data).response)
        elif kind == "error":
            raise complained(msgspec.json.decode(frame.data))
        # All other kinds repeat what these say, or concern tools that are the provider's own.

    def _slot(self, index: int, kind: _Kind) -> _Slot:
        slot = self._slots.get(index)
        if slot is None:
            raise malformed(f"it adds to item {index}, which it never began")
        if slot.kind != kind:
            raise malformed(f"it adds to item {index} what belongs to a {kind}")
        return slot

    def _open(self, itemized: _Itemized, heard: list[Heard]) -> None:
        index = itemized.output_index
        if index in self._slots:
            raise malformed(f"it begins item {index} twice")
        slot = self._slots[index] = _Slot(_KINDS.get(decoded(_typed, itemized.item).type))
        if slot.kind == "function_call":
            self._named(slot, decoded(_item, itemized.item), heard)

    def _named(self, slot: _Slot, item: _Item, heard: list[Heard]) -> None:
        if not item.name or not item.call_id:
            raise malformed("it calls a tool without saying which, or without an id")
        slot.name, slot.call_id = item.name, item.call_id
        heard.append(CallHeard(self._place(slot), slot.name))

    def _place(self, slot: _Slot) -> int:
        if slot.place is None:
            slot.place = len(self._placed)
            self._placed.append(slot)
        return slot.place

    def _add(self, kind: str, changed: _Changed, heard: list[Heard]) -> None:
        slot = self._slot(changed.output_index, _DELTAS[kind])
        self._refused = self._refused or kind == "response.refusal.delta"
        if changed.delta:
            self._heard(slot, changed.delta, heard)

    def _part(self, changed: _Changed, heard: list[Heard]) -> None:
        slot = self._slot(changed.output_index, "reasoning")
        if slot.texts and changed.summary_index:
            self._heard(slot, _BETWEEN, heard)

    def _heard(self, slot: _Slot, text: str, heard: list[Heard]) -> None:
        slot.texts.append(text)
        place = self._place(slot)
        if slot.kind == "message":
            heard.append(TextHeard(place, text))
        elif slot.kind == "reasoning":
            heard.append(ThinkingHeard(place, text))

    def _close(self, itemized: _Itemized, heard: list[Heard]) -> None:
        index = itemized.output_index
        slot = self._slots.get(index)
        if slot is None:
            raise malformed(f"it ends item {index}, which it never began")
        if slot.kind is None:
            return
        item = decoded(_item, itemized.item)
        if item.type != slot.kind:
            raise malformed(f"item {index} began as {slot.kind} and ended as {item.type}")
        self._settle(slot, _text_of(item), heard)
        slot.whole = True
        if slot.kind == "reasoning" and (item.encrypted_content or item.content):
            # Without either the provider, which keeps nothing, could not know what it thought.
            slot.native = bytes(itemized.item).decode()
            self._place(slot)
        self._refused = self._refused or any(part.refusal for part in item.content or ())

    def _settle(self, slot: _Slot, text: str, heard: list[Heard]) -> None:
        """The closed form is what counts; what of it was not told yet is told now."""
        said = slot.text()
        if text.startswith(said):
            if text != said:
                self._heard(slot, text[len(said) :], heard)
        elif text:
            slot.texts = [text]

    def _end(self, kind: str, response: _Response) -> None:
        if kind == "response.failed":
            raise complained({"error": response.error})
        if kind == "response.completed":
            self._check_calls()
        usage = counted(
            response.usage,
            sent="input_tokens",
            written="output_tokens",
            details="input_tokens_details",
        )
        self._answer = self._made(self._stop(kind, response), usage)

    def _check_calls(self) -> None:
        for slot in self._placed:
            if slot.kind != "function_call":
                continue
            if not slot.whole:
                raise malformed("it is said to be complete while a call is not")
            if not slot.text().strip():
                slot.texts = ["{}"]  # how some servers write a call without arguments

    def _made(self, stop: StopReason, usage: Usage) -> Answer:
        return Answer(tuple(slot.written() for slot in self._placed), stop, usage)

    def _stop(self, kind: str, response: _Response) -> StopReason:
        if kind == "response.incomplete":
            details = response.incomplete_details
            return _CUT.get(details.reason if details else "", StopReason.OTHER)
        if self._refused:
            return StopReason.REFUSAL
        has_calls = any(slot.kind == "function_call" for slot in self._placed)
        return StopReason.TOOLS if has_calls else StopReason.END


def _text_of(item: _Item) -> str:
    """What an item says, whole."""
    if item.type == "function_call":
        return item.arguments or ""
    if item.type == "reasoning" and item.summary:
        return _BETWEEN.join(part.text for part in item.summary)
    return "".join(part.text or part.refusal for part in item.content or ())
