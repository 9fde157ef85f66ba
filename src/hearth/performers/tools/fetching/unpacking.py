"""Unpacks what a server sent, as far as there is room for it: a small answer may be a huge one."""

import zlib
from typing import Final, Protocol

ENCODINGS: Final = "gzip, deflate"
"""What is asked for; nothing else can be unpacked."""
_GZIP: Final = 16 + zlib.MAX_WBITS


class _Packed(Protocol):
    """What zlib unpacks with."""

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class CannotUnpack(ValueError):
    """What came is not packed as it says."""


class Unpacking:
    """Takes what comes piece by piece, until there is no more room."""

    def __init__(self, encoding: str, room: int) -> None:
        """CannotUnpack if nobody knows the encoding."""
        self.content = bytearray()
        self.is_full = False
        self._room = room
        self._may_be_bare = False
        self._packed: _Packed | None = None
        match encoding.strip().lower():
            case "" | "identity":
                pass
            case "gzip" | "x-gzip":
                self._packed = zlib.decompressobj(_GZIP)
            case "deflate":
                self._packed = zlib.decompressobj()
                self._may_be_bare = True
            case other:
                raise CannotUnpack(f"it is packed as {other[:50]!r}, which was not asked for")

    @property
    def is_whole(self) -> bool:
        """Whether everything came, and found room."""
        is_ended = self._packed is None or self._packed.eof or not self.content
        return is_ended and not self.is_full

    def take(self, piece: bytes) -> None:
        """The next piece. CannotUnpack."""
        if self._packed is None:
            self._add(piece)
            return
        try:
            # One more than there is room for, to know that there is more.
            unpacked = self._packed.decompress(piece, self._room - len(self.content) + 1)
        except zlib.error as error:
            if not self._may_be_bare:
                raise CannotUnpack(f"it cannot be unpacked: {error}") from None
            unpacked = self._bare(piece, error)
        self._may_be_bare = False
        self._add(unpacked)

    def _bare(self, piece: bytes, error: zlib.error) -> bytes:
        """Some send `deflate` without the head that it should have."""
        bare = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            unpacked = bare.decompress(piece, self._room + 1)
        except zlib.error:
            raise CannotUnpack(f"it cannot be unpacked: {error}") from None
        self._packed = bare
        return unpacked

    def _add(self, piece: bytes) -> None:
        room = self._room - len(self.content)
        self.is_full = self.is_full or len(piece) > room
        self.content += piece[:room]
