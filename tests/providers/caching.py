"""What a provider could read from its cache: computed from the bytes of the requests it got.

Compared is what stands in a request in the order in which providers read it: tools, system,
messages, byte for byte, without the marks that say where to cache.
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from tests.providers.script import Tokens

MARK: Final = re.compile(
    rb',\s*"cache_control"\s*:\s*\{\s*"type"\s*:\s*"ephemeral"[^{}]*\}'
    rb'|"cache_control"\s*:\s*\{\s*"type"\s*:\s*"ephemeral"[^{}]*\}\s*,'
)
"""A quote inside a string is escaped, so that this is never found in what somebody wrote."""

LOOK_BACK: Final = 20
"""So many places are tried for each mark, the marked block being the first."""

BYTES_PER_TOKEN: Final = 4
REMEMBERED: Final = 16


class Shares(NamedTuple):
    """One request compared with those before it, in bytes."""

    size: int
    before: int
    """The size of the request before."""
    shared: int
    """So many of its first bytes are those of the request before."""
    readable: int
    """So many of its first bytes the provider can read from its cache."""
    written: int
    """So many more it writes to its cache."""

    @property
    def stability(self) -> float:
        """How much of the request before it begins with; 1.0: all of it."""
        return self.shared / self.before if self.before else 1.0

    @property
    def found_again(self) -> float:
        """How much of the request before can be read from the cache now."""
        return min(1.0, self.readable / self.before) if self.before else 1.0

    @property
    def readable_share(self) -> float:
        """How much of it can be read from the cache."""
        return self.readable / self.size

    def usage(self, output: int) -> Tokens:
        """As a provider would count it."""
        read = self.readable // BYTES_PER_TOKEN
        write = self.written // BYTES_PER_TOKEN
        return Tokens(self.size // BYTES_PER_TOKEN - read - write, read, write, output)


class End(NamedTuple):
    """Where a block ends, and whether it is marked."""

    offset: int
    marked: bool


class Laid(NamedTuple):
    """A request as a provider reads it."""

    seed: bytes
    """What must be equal beside the bytes: the model, and what changes how it reads them."""
    data: bytes
    ends: Sequence[End]


class _Message(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b"null")


class _Marked(msgspec.Struct):
    cache_control: msgspec.Raw = msgspec.Raw(b"null")


class Cache:
    """Remembers what was asked. Marks count where the protocol has them."""

    def __init__(self, *, marks: bool) -> None:
        self._marks = marks
        self._recent: deque[Laid] = deque(maxlen=REMEMBERED)
        self._entries: set[bytes] = set()

    def take(self, body: bytes) -> Shares:
        """Compare a request that is being answered, and remember it."""
        laid = laid_out(body)
        last = self._recent[-1] if self._recent else Laid(b"", b"", ())
        readable, written = self._by_marks(laid) if self._marks else (self._by_bytes(laid), 0)
        self._recent.append(laid)
        return Shares(
            len(laid.data), len(last.data), common(laid.data, last.data), readable, written
        )

    def _by_bytes(self, laid: Laid) -> int:
        alike = (other for other in self._recent if other.seed == laid.seed)
        return max((common(laid.data, other.data) for other in alike), default=0)

    def _by_marks(self, laid: Laid) -> tuple[int, int]:
        digests = list(_digests(laid))
        marked = [place for place, end in enumerate(laid.ends) if end.marked]
        readable = 0
        for mark in marked:
            for place in range(mark, max(-1, mark - LOOK_BACK), -1):
                if digests[place] in self._entries:
                    readable = max(readable, laid.ends[place].offset)
                    break
        self._entries.update(digests[mark] for mark in marked)
        last = laid.ends[marked[-1]].offset if marked else 0
        return readable, max(0, last - readable)


def laid_out(body: bytes) -> Laid:
    """A request of any dialect, laid out."""
    request = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    data = bytearray()
    ends: list[End] = []
    for name in ("tools", "instructions", "system"):
        if name in request:
            _lay(bytes(request[name]), data, ends)
    items = request["messages"] if "messages" in request else request["input"]
    for raw in _elements(bytes(items)):
        data += b","
        _lay(raw, data, ends)
    seed = b"\0".join(
        bytes(request.get(name, b"")) for name in ("model", "thinking", "tool_choice")
    )
    return Laid(seed, bytes(data), ends)


def common(one: bytes, other: bytes) -> int:
    """How many first bytes are the same."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _lay(raw: bytes, data: bytearray, ends: list[End]) -> None:
    """Add a value, and the end of each block in it: its elements, or those of its content."""
    begin = len(data)
    plain, inside = _stripped(raw)
    data += plain
    ends += [End(begin + end.offset, end.marked) for end in inside]


@lru_cache(maxsize=1 << 16)  # the messages of a request are those of the next
def _stripped(raw: bytes) -> tuple[bytes, tuple[End, ...]]:
    """A value without its marks, and the end of each block in it."""
    plain = MARK.sub(b"", raw)
    cursor, ends = 0, list[End]()
    for block in _blocks(raw):
        stripped = MARK.sub(b"", block)
        cursor = plain.index(stripped, cursor) + len(stripped)
        ends.append(End(cursor, _is_marked(block)))
    return plain, tuple(ends)


def _blocks(raw: bytes) -> list[bytes]:
    if raw.startswith(b"{"):
        content = bytes(msgspec.json.decode(raw, type=_Message).content)
        return _blocks(content) if content.startswith(b"[") else [raw]
    return _elements(raw) if raw.startswith(b"[") else [raw]


def _elements(raw: bytes) -> list[bytes]:
    if not raw.startswith(b"["):
        return [raw]
    return [bytes(one) for one in msgspec.json.decode(raw, type=list[msgspec.Raw])]


def _is_marked(block: bytes) -> bool:
    if not block.startswith(b"{"):
        return False
    return bytes(msgspec.json.decode(block, type=_Marked).cache_control) != b"null"


def _digests(laid: Laid) -> Iterator[bytes]:
    """The digest of everything up to each end."""
    digest = hashlib.blake2b(laid.seed, digest_size=16)
    begin = 0
    for end in laid.ends:
        digest.update(laid.data[begin : end.offset])
        begin = end.offset
        yield digest.copy().digest()
