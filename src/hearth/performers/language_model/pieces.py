"""The messages of a conversation as the bytes of its requests, each encoded once.

What will never change again lies in one long run of bytes, so that a request costs what is new in
it. Two requests are compared by the hashes of their pieces, cache marks aside.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.messages import AssistantMessage, Message

Encode: TypeAlias = Callable[[Message, bool], bytes]
"""A message as its piece, empty if it has nothing to say; True: the provider should cache all up
to its end."""


@dataclass(frozen=True, slots=True)
class Hashes:
    """The pieces of one request, told by their hashes."""

    closed: "array[int]"
    """May have grown since: only the first `count` belong to the request."""
    count: int
    open: tuple[int, ...]

    def __len__(self) -> int:
        return self.count + len(self.open)

    def __getitem__(self, index: int) -> int:
        return self.closed[index] if index < self.count else self.open[index - self.count]


@dataclass(frozen=True, slots=True)
class Laid:
    """All messages of a request."""

    body: bytes
    """With the opening before it and the closing behind."""
    size: int
    """Bytes of the messages, without the marks."""
    shared: int
    """So many of its first bytes are those of the request before."""
    differs_at: BlockId | None
    """The first message that stands where another one stood before."""
    hashes: Hashes


class _Placed(NamedTuple):
    at: int
    message: Message


@dataclass(slots=True)
class _Ends:
    """The messages that are worth a mark, as far as they have been seen."""

    before: Hashes | None
    same: int = 0
    """So many messages are as in the request before."""
    shared: _Placed | None = None
    """The last one of them: up to here the provider has cached."""
    said: _Placed | None = None
    """The last message of the model."""
    told: _Placed | None = None
    """The last message to it."""
    differs_at: BlockId | None = None

    def see(self, placed: _Placed, told: int) -> None:
        """The next message of the request, and the hash of its piece."""
        if isinstance(placed.message, AssistantMessage):
            self.said = placed
        else:
            self.told = placed
        before = self.before
        if before is None or self.same != placed.at or placed.at >= len(before):
            return
        if before[placed.at] == told:
            self.same, self.shared = placed.at + 1, placed
        else:
            self.differs_at = placed.message.block

    def marked(self) -> dict[int, Message]:
        """The messages that get a mark: three at most."""
        return dict(one for one in (self.shared, self.said, self.told) if one is not None)


class Pieces:
    """The closed messages of a conversation, encoded."""

    def __init__(
        self,
        encode: Encode,
        before: Hashes | None = None,
        *,
        opening: bytes = b"",
        closing: bytes = b"",
    ) -> None:
        self._encode = encode
        self._opening = opening
        self._closing = closing
        self._run = bytearray()
        self._until = array("Q")
        """Where in the run each piece ends."""
        self._hashes = array("q")
        self._ends = _Ends(before)

    def __len__(self) -> int:
        return len(self._until)

    @property
    def size(self) -> int:
        """How many bytes are held."""
        return len(self._run)

    def close(self, message: Message) -> None:
        """Add a message that will never change again."""
        piece = self._encode(message, False)  # noqa: FBT003 - the one flag there is
        if not piece:
            return
        index = len(self._until)
        if index:
            self._run += b","
        self._run += piece
        self._until.append(len(self._run))
        self._hashes.append(hash(piece))
        self._ends.see(_Placed(index, message), self._hashes[-1])

    def lay(self, messages: Sequence[Message]) -> Laid:
        """A request of all that is closed, and of these, which may still change."""
        first = len(self._until)
        ends = replace(self._ends)
        pieces: list[bytes] = []
        for message, piece in self._encoded(messages):
            ends.see(_Placed(first + len(pieces), message), hash(piece))
            pieces.append(piece)
        return Laid(
            body=self._body(pieces, ends.marked()),
            size=self._size(pieces),
            shared=self._size(pieces[: max(0, ends.same - first)], min(ends.same, first)),
            differs_at=ends.differs_at,
            hashes=self._hashed(pieces),
        )

    def told(self, messages: Sequence[Message]) -> Hashes:
        """What the same request is told by, without laying it out: it costs these messages."""
        return self._hashed([piece for _, piece in self._encoded(messages)])

    def sent(self, hashes: Hashes) -> None:
        """From now on the request before is the one that was laid out here with these pieces."""
        last = (self._ends.said, self._ends.told)
        shared = next((one for one in last if one and one.at == hashes.count - 1), None)
        self._ends = replace(
            self._ends, before=hashes, same=hashes.count, shared=shared, differs_at=None
        )

    def _encoded(self, messages: Sequence[Message]) -> Iterator[tuple[Message, bytes]]:
        """Those that have something to say, each with its piece."""
        for message in messages:
            piece = self._encode(message, False)  # noqa: FBT003 - the one flag there is
            if piece:
                yield message, piece

    def _hashed(self, pieces: Sequence[bytes]) -> Hashes:
        """The pieces of a request of all that is closed, and of these."""
        return Hashes(self._hashes, len(self._until), tuple(map(hash, pieces)))

    def _size(self, pieces: Sequence[bytes], closed: int | None = None) -> int:
        """Of the first messages, with the commas between them."""
        closed = len(self._until) if closed is None else closed
        whole = self._until[closed - 1] if closed else 0
        commas = len(pieces) - (0 if closed or not pieces else 1)
        return whole + sum(map(len, pieces)) + commas

    def _body(self, pieces: Sequence[bytes], marked: dict[int, Message]) -> bytes:
        first, run, at = len(self._until), memoryview(self._run), 0
        parts: list[bytes | memoryview] = [self._opening]
        for index in sorted(index for index in marked if index < first):
            begins = self._until[index - 1] + 1 if index else 0
            parts += (run[at:begins], self._marked(marked[index]))
            at = self._until[index]
        parts.append(run[at:])
        for index, piece in enumerate(pieces, first):
            if index:
                parts.append(b",")
            parts.append(self._marked(marked[index]) if index in marked else piece)
        parts.append(self._closing)
        return b"".join(parts)  # once: it may be megabytes

    def _marked(self, message: Message) -> bytes:
        return self._encode(message, True)  # noqa: FBT003 - the one flag there is
