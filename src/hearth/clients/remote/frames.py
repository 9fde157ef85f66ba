"""Server-sent events back into rows and progress; a row has the bytes that it has in the log."""

from collections.abc import Iterator

import msgspec

from hearth.api import Item, Shown
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId


class Place(msgspec.Struct, frozen=True):
    """What stands before a row's own bytes."""

    seq: int
    session: SessionId
    version: int


_places = msgspec.json.Decoder(Place)
_shown = msgspec.json.Decoder(Shown)


class NotOurs(ValueError):
    """This is not what a hearth daemon sends."""


class Frames:
    """Takes the bytes of a stream as they come, however they are cut."""

    def __init__(self) -> None:
        self.cursor: int | None = None
        """The newest `id` of the stream: where to go on."""
        self._parts: list[bytes] = []
        """Of a frame that is not complete yet."""

    def feed(self, piece: bytes) -> list[tuple[Item, int]]:
        """The items that are complete now, each with the bytes it took. NotOurs."""
        if not piece:
            return []
        ends_in_line = bool(self._parts) and self._parts[-1].endswith(b"\n")
        self._parts.append(piece)
        if b"\n\n" not in piece and not (ends_in_line and piece.startswith(b"\n")):
            return []  # a large frame comes in very many pieces: they are joined once
        *blocks, rest = b"".join(self._parts).split(b"\n\n")
        self._parts = [rest] if rest else []
        return [(item, len(block)) for block in blocks for item in self._items(block)]

    def _items(self, block: bytes) -> Iterator[Item]:
        name, data = b"", b""
        for line in block.split(b"\n"):
            field, _, value = line.partition(b": ")
            if field == b"data":
                data = value
            elif field == b"event":
                name = value
            elif field == b"id":
                self.cursor = _number(value)
        if not data:
            return  # a comment, or only a cursor
        if not name:
            yield stored(data)
        elif name == b"progress" and (shown := _progress(data)) is not None:
            yield shown


def stored(raw: bytes) -> Stored:
    """The reverse of `codec.envelope_json`, byte for byte. NotOurs."""
    try:
        place = _places.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotOurs(f"a row cannot be read: {error}") from error
    before = codec.envelope_json(Stored(place.seq, place.session, place.version, b"{"))
    if not raw.startswith(before):
        raise NotOurs("a row does not begin with its place")
    return Stored(place.seq, place.session, place.version, b"{" + raw[len(before) :])


def _progress(data: bytes) -> Shown | None:
    try:
        return _shown.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # a word of a newer daemon; progress may have gaps


def _number(value: bytes) -> int:
    if not value.isdigit():
        raise NotOurs(f"{value[:40]!r} is no cursor")
    return int(value)
