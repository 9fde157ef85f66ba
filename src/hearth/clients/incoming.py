"""One HTTP answer, taken in as its bytes come, however they are cut. Touches no socket."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

LONGEST_HEAD: Final = 64 * 1024
LONGEST_CHUNK_LINE: Final = 1024
_NO_BODY: Final = frozenset({204, 304})


class NotHttp(Exception):
    """What came is no HTTP answer, or broke off; the text says how."""


class Incoming:
    """Feed it until `done`; the body's bytes come back as they are found."""

    def __init__(self) -> None:
        self.status = 0
        """0 until the head is complete."""
        self.headers: dict[str, str] = {}
        """By their names in lower case."""
        self.done = False
        self.rest = b""
        """What came behind the end of it: the beginning of the next one."""
        self.began = False
        self._waiting = b""
        self._take = self._head

    def feed(self, data: bytes) -> bytes:
        """Take bytes in; those of the body among them. NotHttp."""
        self.began = self.began or bool(data)
        self._waiting += data
        body = b""
        while not self.done:
            before, take = len(self._waiting), self._take
            body += take()
            if len(self._waiting) == before and self._take == take:
                return body
        self.rest, self._waiting = self._waiting, b""
        return body

    def ended(self) -> None:
        """The other side sends no more. NotHttp if something is missing."""
        if self._take == self._all:
            self.done = True
        if not self.done:
            raise NotHttp("the answer broke off" if self.began else "no answer came")

    def _head(self) -> bytes:
        head, found, rest = self._waiting.partition(b"\r\n\r\n")
        if len(head) > LONGEST_HEAD:
            raise NotHttp("the head of the answer has no end")
        if not found:
            return b""
        first, *lines = head.decode("latin-1").split("\r\n")
        version, _, status = first.partition(" ")
        if not version.startswith("HTTP/1.") or not status[:3].isdecimal():
            raise NotHttp(f"the answer begins with {first[:60]!r}")
        self._waiting = rest
        if status.startswith("1"):
            return b""  # a preliminary answer; the real one follows
        self.status = int(status[:3])
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self._choose_body()
        return b""

    def _choose_body(self) -> None:
        length = self.headers.get("content-length", "")
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            self._take = self._chunk_line
        elif self.status in _NO_BODY:
            self.done = True
        elif length:
            if not (length.isascii() and length.isdecimal()):
                raise NotHttp(f"the answer has a length of {length[:20]!r}")
            self._left = int(length)
            self._take = self._counted
        else:
            self._take = self._all

    def _counted(self) -> bytes:
        body = self._cut(self._left)
        self.done = self._left == 0
        return body

    def _all(self) -> bytes:
        return self._cut(len(self._waiting))

    def _chunk_line(self) -> bytes:
        line, found, rest = self._waiting.partition(b"\r\n")
        if len(line) > LONGEST_CHUNK_LINE:
            raise NotHttp("a chunk of the answer has no size")
        if found:
            try:
                self._left = int(line.partition(b";")[0].strip(), 16)
            except ValueError:
                self._left = -1
            if self._left < 0:
                raise NotHttp(f"a chunk of the answer has the size {line[:20]!r}")
            self._waiting = rest
            self._take = self._chunk if self._left else self._trailer
        return b""

    def _chunk(self) -> bytes:
        body = self._cut(self._left)
        if self._left == 0:
            self._take = self._chunk_end
        return body

    def _chunk_end(self) -> bytes:
        if len(self._waiting) >= 2:
            if self._waiting[:2] != b"\r\n":
                raise NotHttp("a chunk of the answer is longer than it says")
            self._waiting = self._waiting[2:]
            self._take = self._chunk_line
        return b""

    def _trailer(self) -> bytes:
        line, found, rest = self._waiting.partition(b"\r\n")
        if len(line) > LONGEST_HEAD:
            raise NotHttp("the end of the answer has no end")
        if found:
            self._waiting = rest
            self.done = not line
        return b""

    def _cut(self, most: int) -> bytes:
        cut, self._waiting = self._waiting[:most], self._waiting[most:]
        self._left = most - len(cut)
        return cut
