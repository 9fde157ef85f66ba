"""Server-sent events, taken out of bytes that may be cut anywhere."""

from typing import Final, NamedTuple

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import WireTrouble

LONGEST_FRAME: Final = 32 * 1024 * 1024
"""Bytes of a frame that never ends, after which it is taken for no frame at all."""

_MARK: Final = b"\xef\xbb\xbf"
_NEWLINE: Final = 10
_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")


class Frame(NamedTuple):
    """One event: its name (empty if it has none) and its data, lines joined by newlines."""

    event: str
    data: bytes


class Frames:
    """Takes frames out of a stream. Lines may end in any of the three ways the standard allows."""

    __slots__ = ("_begun", "_data", "_event", "_pieces", "_returned", "_size")

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._data: list[bytes] = []
        self._event = b""
        self._size = 0
        self._returned = False
        self._begun = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that these bytes complete. WireTrouble (malformed) if one never ends."""
        if self._returned and data:
            # The line ended with \r at the end of the bytes before; this \n belongs to it.
            self._returned = False
            if data[0] == _NEWLINE:
                data = data[1:]
        self._size += len(data)
        if self._size > LONGEST_FRAME:
            raise WireTrouble(
                Trouble.MALFORMED, f"a part of the answer is longer than {LONGEST_FRAME} bytes"
            )
        if b"\n" not in data and b"\r" not in data:
            self._pieces.append(data)
            return []
        if self._pieces:
            data = b"".join((*self._pieces, data))
            self._pieces.clear()
        lines = data.splitlines()
        if data.endswith((b"\n", b"\r")):
            self._returned = data.endswith(b"\r")
        else:
            self._pieces.append(lines.pop())
        return self._read(lines)

    def finish(self) -> list[Frame]:
        """The stream has ended: the frame that it ended in, if there was one without its end."""
        rest = b"".join(self._pieces)
        self._pieces.clear()
        return self._read([rest, b""])

    def _read(self, lines: list[bytes]) -> list[Frame]:
        frames: list[Frame] = []
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(_MARK)
        for line in lines:
            if not line:
                if self._data:
                    # What is no UTF-8 in a name makes it an event that nobody knows.
                    name = self._event.decode("utf-8", "replace")
                    frames.append(Frame(name, b"\n".join(self._data)))
                    self._data = []
                self._event = b""
                # What is left of these bytes belongs to frames to come, and is counted with them.
                self._size = len(self._pieces[0]) if self._pieces else 0
                continue
            field, _, value = line.partition(b":")
            if field == b"data":
                self._data.append(value.removeprefix(b" "))
            elif field == b"event":
                self._event = value.removeprefix(b" ")
            # Comments, ids, times to reconnect and fields that nobody knows say nothing to us.
        return frames


def begins_a_stream(head: bytes) -> bool:
    """Whether bytes are the beginning of a frame, as far as they came."""
    begun = head.removeprefix(_MARK).lstrip(b"\r\n")
    return any(begun.startswith(name) or name.startswith(begun) for name in _FIELDS)
