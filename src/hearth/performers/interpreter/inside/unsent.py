"""What was printed and not sent yet, where it outlives the process that printed it.

Texts are gathered for a moment before they are sent. A process that dies in that moment, by a
signal, a fault or `os._exit`, would take them along; but not what lies in a shared mapping.
"""

import mmap
import os
import struct
from pathlib import Path
from typing import Final

from .busy import read_plain

SIZE: Final = 1 << 16
_LENGTHS: Final = struct.Struct("<HI")
"""Of the request's name, and of the text."""
_NAME: Final = 250
_TEXT: Final = _LENGTHS.size + _NAME


class Unsent:
    """The texts of one stream. To be used under the lock of the stream."""

    def __init__(self, path: Path) -> None:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(fd, SIZE)
            self._bytes = mmap.mmap(fd, SIZE)
        finally:
            os.close(fd)
        self._length = 0
        self._request = ""

    @property
    def length(self) -> int:
        """How many bytes are kept."""
        return self._length

    def clear(self) -> None:
        """Forget all of it: in another process, which had not printed it."""
        self._request = ""
        self._tell(0)

    def add(self, request: str, text: str) -> None:
        """Keep one more text, if there is room and it is of the same request."""
        if self._length == 0 and request != self._request:
            self._name(request)
        content = text.encode("utf-8", "replace")
        at = _TEXT + self._length
        if request != self._request or at + len(content) > SIZE:
            return  # it is sent soon in any case
        self._bytes[at : at + len(content)] = content
        self._tell(self._length + len(content))

    def drop(self, length: int) -> None:
        """So many bytes were sent; what came behind them moves up."""
        rest = self._length - length
        if rest > 0:
            self._bytes.move(_TEXT, _TEXT + length, rest)
        self._tell(max(0, rest))

    def _name(self, request: str) -> None:
        name = request.encode("utf-8", "replace")[:_NAME]
        self._bytes[_LENGTHS.size : _LENGTHS.size + len(name)] = name
        self._request = request
        self._bytes[: _LENGTHS.size] = _LENGTHS.pack(len(name), self._length)

    def _tell(self, length: int) -> None:
        self._length = length
        self._bytes[2 : _LENGTHS.size] = length.to_bytes(4, "little")


def read(path: Path) -> tuple[str, str]:
    """The request and the text that were left; both empty if none were."""
    content = read_plain(path, SIZE)
    if len(content) < _TEXT:
        return "", ""
    name, length = _LENGTHS.unpack_from(content)
    request = content[_LENGTHS.size : _LENGTHS.size + min(name, _NAME)]
    text = content[_TEXT : _TEXT + length]
    return request.decode("utf-8", "replace"), text.decode("utf-8", "replace")
