"""Gathers what one cell shows, within bounds: printed text, pictures and tables, errors."""

import json
import re
from typing import Any, Final, Literal, TypeAlias

from hearth.core.vocabulary.content import Output, RichData, StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.progress import DisplayShown, OutputChunk, OutputCleared, Progress

MOST_OUTPUTS: Final = 2000
"""So many separate pieces are kept of one cell."""

_Stream: TypeAlias = Literal["stdout", "stderr"]
_ANSI: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")


def plain(text: str) -> str:
    """The text without the escapes that colour it."""
    return _ANSI.sub("", text)


class Collected:
    """The outputs of one cell so far. Each method answers what is to be shown live, if anything."""

    def __init__(self, cell: CellId, text_limit: int, display_limit: int) -> None:
        self.cell = cell
        self._limits = (text_limit, display_limit)
        self._text_room, self._display_room = self._limits
        self._outputs: list[Output] = []
        self._pieces: list[str] = []
        self._stream: _Stream = "stdout"
        self._displays: dict[str, int] = {}
        self._clear_next = False
        self.dropped = 0
        """Bytes that were too many."""

    def __bool__(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self._outputs or self._pieces or self.dropped)

    @property
    def text_room(self) -> int:
        """How many bytes of text would still be kept."""
        return self._text_room

    @property
    def display_room(self) -> int:
        """How many bytes of displays would still be kept."""
        return self._display_room

    def hear(self, kind: str, content: dict[str, Any]) -> list[Progress]:
        """One published message of the cell."""
        match kind:
            case "stream":
                return self._written(content)
            case "display_data" | "execute_result":
                data = RichData(_bundle(content), is_result=kind == "execute_result")
                return self._shown(data, _display_id(content))
            case "update_display_data":
                return self._updated(content)
            case "clear_output":
                return self._cleared(wait=bool(content.get("wait")))
            case _:
                return []

    def ends_with(self, stream: str, text: str) -> bool:
        """Whether this is the last that the stream has written so far."""
        pieces = [
            one.text
            for one in self._outputs
            if isinstance(one, StreamText) and one.stream == stream
        ]
        if self._pieces and self._stream == stream:
            pieces.append("".join(self._pieces))
        return "".join(one for one in pieces if isinstance(one, str)).endswith(text)

    def outputs(self) -> tuple[Output, ...]:
        """All of it, in order."""
        self._close_stream()
        return tuple(self._outputs)

    def _written(self, content: dict[str, Any]) -> list[Progress]:
        text = str(content.get("text", ""))
        stream: _Stream = "stderr" if content.get("name") == "stderr" else "stdout"
        shown = self._clear_now()
        kept = self._fitting(text)
        if not kept:
            return shown
        if stream != self._stream:
            self._close_stream()
            self._stream = stream
        if len(self._outputs) >= MOST_OUTPUTS:
            self.dropped += len(kept.encode(errors="replace"))
            return shown
        self._pieces.append(kept)
        return [*shown, OutputChunk(self.cell, stream, kept)]

    def _fitting(self, text: str) -> str:
        size = _bytes(text)
        if size <= self._text_room:
            self._text_room -= size
            return text
        kept = text.encode(errors="replace")[: self._text_room].decode(errors="ignore")
        self.dropped += size - len(kept.encode(errors="replace"))
        self._text_room = 0
        return kept

    def _shown(self, data: RichData, display: str) -> list[Progress]:
        shown = self._clear_now()
        size = _size(data)
        if size > self._display_room or len(self._outputs) >= MOST_OUTPUTS:
            whole, data = size, _reduced(data)
            size = _size(data)
            if not 0 < size <= self._display_room or len(self._outputs) >= MOST_OUTPUTS:
                self.dropped += whole
                return shown
            self.dropped += whole - size
        self._display_room -= size
        self._close_stream()
        if display:
            self._displays[display] = len(self._outputs)
        self._outputs.append(data)
        return [*shown, DisplayShown(self.cell, data, display)]

    def _updated(self, content: dict[str, Any]) -> list[Progress]:
        display = _display_id(content)
        place = self._displays.get(display)
        data = RichData(_bundle(content))
        if place is None:
            # It was shown by an earlier cell, which is closed: this one shows how it is now.
            return self._shown(data, display)
        before = self._outputs[place]
        data = RichData(data.bundle, isinstance(before, RichData) and before.is_result)
        grown = _size(data) - _size(before)
        if grown > self._display_room:
            self.dropped += _size(data)
            return []
        self._display_room -= grown
        self._outputs[place] = data
        return [DisplayShown(self.cell, data, display)]

    def _cleared(self, *, wait: bool) -> list[Progress]:
        self._clear_next = True
        return [] if wait else self._clear_now()

    def _clear_now(self) -> list[Progress]:
        if not self._clear_next:
            return []
        self._clear_next = False
        self._pieces.clear()
        self._outputs.clear()
        self._displays.clear()
        # What is shown is limited, not how often: an animation may go on for hours.
        self._text_room, self._display_room = self._limits
        return [OutputCleared(self.cell)]

    def _close_stream(self) -> None:
        if self._pieces:
            self._outputs.append(StreamText(self._stream, "".join(self._pieces)))
            self._pieces.clear()


def result_text(outputs: tuple[Output, ...]) -> str:
    """The text of the value of the cell's last expression, if it had one."""
    for output in reversed(outputs):
        if isinstance(output, RichData) and output.is_result:
            text = output.bundle.get("text/plain", "")
            return text if isinstance(text, str) else text.head
    return ""


def _display_id(content: dict[str, Any]) -> str:
    transient = content.get("transient")
    return str(transient.get("display_id") or "") if isinstance(transient, dict) else ""


def _bundle(content: dict[str, Any]) -> dict[str, Any]:
    data = content.get("data")
    if not isinstance(data, dict):
        return {}
    return {str(kind): _text(value) for kind, value in data.items()}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "".join(value)  # some kernels send lines
    return json.dumps(value, ensure_ascii=False)


def _size(data: Output) -> int:
    if not isinstance(data, RichData):
        return 0
    return sum(_bytes(one) for one in data.bundle.values() if isinstance(one, str))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def _reduced(data: RichData) -> RichData:
    """What is too large to be kept whole is kept as its plain text."""
    text = data.bundle.get("text/plain", "")
    return RichData({"text/plain": text}, data.is_result)
