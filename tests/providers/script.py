"""What a pretended model answers, and what goes wrong while it does.

A script is a list of replies, or a function of a request and its number. As JSON, for a provider in
a process of its own, it reads:

    {"order": "by_step", "replies": [
        {"pieces": [{"type": "think", "text": "Hm."},
                    {"type": "call", "name": "run_code", "arguments": {"code": "1+1"}}],
         "repeat": 20},
        {"pieces": [{"type": "say", "text": "Two."}]}
    ]}
"""

import json
import re
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

TOKEN: Final = re.compile(r"\s*\S+|\s+")
ARGUMENTS: Final = re.compile(r".{1,12}", re.DOTALL)

Stop = Literal["", "end", "tools", "length", "refusal", "pause", "overflow"]
Json: TypeAlias = dict[str, Any]


class Say(msgspec.Struct, frozen=True, tag="say"):
    """The model writes."""

    text: str


class Think(msgspec.Struct, frozen=True, tag="think"):
    """The model thinks; without a signature of its own, the thinking gets one made of its text."""

    text: str = ""
    signature: str = ""
    redacted: bool = False


class Call(msgspec.Struct, frozen=True, tag="call"):
    """The model calls a tool; a text as `arguments` is sent as it is, valid or not."""

    name: str
    arguments: str | Json = "{}"
    id: str = ""
    """Empty: one that is the same each time this step is answered."""

    @property
    def text(self) -> str:
        """The arguments as they are sent."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False, separators=(",", ":"))


Piece: TypeAlias = Say | Think | Call


class Tokens(msgspec.Struct, frozen=True):
    """What the provider says that a request has cost."""

    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0

    @property
    def taken(self) -> int:
        """All that was sent to it, as OpenAI counts."""
        return self.fresh + self.cache_read + self.cache_write


class Status(msgspec.Struct, frozen=True, tag="status"):
    """No stream: an error, in the provider's own shape unless `body` says otherwise."""

    status: int
    headers: dict[str, str] = {}
    body: str | None = None
    kind: str = ""
    message: str = ""
    code: str = ""


class Overflow(msgspec.Struct, frozen=True, tag="overflow"):
    """No stream: the conversation is too long, in the provider's own words."""


class Cut(msgspec.Struct, frozen=True, tag="cut"):
    """The connection ends after so many bytes of the stream, or so many after `at` begins in it."""

    after: int = 0
    at: str = ""
    politely: bool = False
    """The answer is ended as HTTP wants it: only the stream is not complete."""


class Silence(msgspec.Struct, frozen=True, tag="silence"):
    """Nothing more comes, and the connection stays open until the other side closes it."""

    after: int = 0
    at: str = ""


class Garbage(msgspec.Struct, frozen=True, tag="garbage"):
    """Behind that event comes something that is no event of the protocol, then nothing more."""

    after: int = 0
    at: str = ""
    data: str = "data: {\n\n"


class StreamError(msgspec.Struct, frozen=True, tag="stream_error"):
    """Behind that event the provider says that something went wrong, and ends the stream."""

    after: int = 0
    at: str = ""
    kind: str = ""
    message: str = "Overloaded"


Fault: TypeAlias = Status | Overflow | Cut | Silence | Garbage | StreamError


class Reply(msgspec.Struct, frozen=True):
    """One answer."""

    pieces: tuple[Piece, ...] = ()
    stop: Stop = ""
    """Empty: what follows from the pieces."""
    usage: Tokens | None = None
    """None: what the provider computes, with four bytes to a token."""
    fault: Fault | None = None
    split: int = 0
    """So many bytes to a chunk, wherever that cuts; 0: an event is a chunk."""
    repeat: int = 1
    """For so many steps."""

    @property
    def stopped(self) -> Stop:
        """Why the model stopped."""
        if self.stop:
            return self.stop
        return "tools" if any(isinstance(piece, Call) for piece in self.pieces) else "end"

    @property
    def output(self) -> int:
        """How many tokens it has."""
        texts = (piece.text for piece in self.pieces)
        return max(1, sum(len(text.encode()) for text in texts) // 4)


class Script(msgspec.Struct, frozen=True):
    """Replies and how one is chosen."""

    replies: tuple[Reply, ...]
    order: Literal["in_order", "by_step"] = "in_order"

    def chooser(self) -> "Chooser":
        """Chooses the reply to each request."""
        return by_step(self.replies) if self.order == "by_step" else in_order(self.replies)


class NoReplyLeft(Exception):
    """The script does not say what to answer."""


Chooser: TypeAlias = Callable[[Json, int], tuple[int, Reply]]
"""From a request and its number (from 0) to a reply and the number of its step."""


def read_script(path: Path) -> Script:
    """A script out of a file."""
    return msgspec.json.decode(path.read_bytes(), type=Script)


def in_order(replies: Sequence[Reply]) -> Chooser:
    """The first request gets the first reply, the second the second, whatever they ask."""
    steps = _spread(replies)

    def choose(_: Json, number: int) -> tuple[int, Reply]:
        return number, _at(steps, number)

    return choose


def by_step(replies: Sequence[Reply]) -> Chooser:
    """A request gets the reply to as many answers as it already holds.

    So whoever asks once more, after a crash say, hears the same again.
    """
    steps = _spread(replies)

    def choose(request: Json, _: int) -> tuple[int, Reply]:
        step = answers_in(request)
        return step, _at(steps, step)

    return choose


def called(function: Callable[[Json, int], Reply]) -> Chooser:
    """Whatever a function of the request and its number says."""
    return lambda request, number: (number, function(request, number))


def answers_in(request: Json) -> int:
    """How many answers of a model a request holds, in any dialect; parts that touch are one."""
    entries: list[Json] = request["messages"] if "messages" in request else request["input"]
    mine = [_is_answer(entry) for entry in entries]
    return sum(now and not before for before, now in zip([False, *mine], mine, strict=False))


def tokens_of(text: str) -> list[str]:
    """A text in the pieces in which a model writes it."""
    return TOKEN.findall(text)


def bites_of(arguments: str) -> list[str]:
    """Arguments in the pieces in which a model writes them."""
    return ARGUMENTS.findall(arguments)


def place_in(stream: bytes, fault: Cut | Silence | Garbage | StreamError) -> int:
    """Where in a stream a fault happens."""
    begin = stream.index(fault.at.encode()) if fault.at else 0
    return begin + fault.after


def _is_answer(entry: Json) -> bool:
    return entry.get("role") == "assistant" or entry.get("type") in {"reasoning", "function_call"}


def _spread(replies: Sequence[Reply]) -> list[Reply]:
    return list(chain.from_iterable(repeat(reply, reply.repeat) for reply in replies))


def _at(steps: list[Reply], index: int) -> Reply:
    if index >= len(steps):
        raise NoReplyLeft(f"the script has {len(steps)} replies, and this is step {index}")
    return steps[index]
