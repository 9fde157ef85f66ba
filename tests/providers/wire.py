"""What every pretended provider has: a path, strict eyes, its own words for errors, a stream."""

import base64
import hashlib
import json
import re
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeGuard

from tests.providers.script import Json, Reply, Tokens

TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CALL_ID: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
INDEX: Final = re.compile(r"\.(\d+)")


class Refused(Exception):
    """A request that this provider does not accept, and why."""

    def __init__(self, message: str, *, status: int = 400, kind: str = "", code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.code = code


class Frame(NamedTuple):
    """One event of a stream, and whether it carries what a model is writing."""

    data: bytes
    delta: bool = False


class Failure(NamedTuple):
    """An answer that is not a stream."""

    status: int
    body: bytes


class Wire(Protocol):
    """One provider's protocol, seen from its side."""

    path: str
    """Of requests."""
    base: str
    """What people write behind the host to have the base address."""

    def admit(self, headers: Mapping[str, str], key: str | None) -> None:
        """Raise Refused if the headers will not do; with a key, only that one does."""

    def check(self, request: Json) -> None:
        """Raise Refused if this is not exactly what the protocol allows."""

    def stream(self, request: Json, step: int, reply: Reply, usage: Tokens) -> list[Frame]:
        """The whole answer; what is signed in it is remembered."""

    def error(self, status: int, kind: str, message: str, code: str = "") -> bytes:
        """The body of an error; an empty kind is the usual one for the status."""

    def overflow(self) -> Failure:
        """The conversation is longer than the model can read."""

    def stream_error(self, kind: str, message: str) -> bytes:
        """The event that says so in the middle of a stream."""


class Grammar:
    """Which fields an object may have, said as the provider says it."""

    def __init__(self, unknown: str, missing: str, *, brackets: bool = False) -> None:
        self._unknown = unknown
        self._missing = missing
        self._brackets = brackets

    def fields(
        self,
        value: Any,
        where: str,
        required: Collection[str],
        optional: Collection[str] = (),
    ) -> None:
        """Raise Refused unless it is an object with these fields and no others."""
        if not is_object(value):
            raise Refused(f"{self.at(where)}: Input should be an object")
        for name in required:
            if name not in value:
                raise Refused(self._missing.format(self.at(f"{where}.{name}")))
        for name in value:
            if name not in required and name not in optional:
                raise Refused(self._unknown.format(self.at(f"{where}.{name}")))

    def at(self, where: str) -> str:
        """A place in the request as this provider writes it."""
        where = where.removeprefix(".")
        return INDEX.sub(r"[\1]", where) if self._brackets else where


def is_object(value: Any) -> TypeGuard[Json]:
    """Whether this is a JSON object."""
    return isinstance(value, dict)


def compact(value: Any) -> bytes:
    """JSON as providers write it: no spaces, text as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def event(name: str, value: Json) -> bytes:
    """One server-sent event with a name."""
    return b"event: " + name.encode() + b"\ndata: " + compact(value) + b"\n\n"


def signature_of(text: str) -> str:
    """What these providers sign a text with."""
    digest = hashlib.sha512(b"signed:" + text.encode()).digest()
    return "Eq" + base64.b64encode(digest).decode()


class CallKey(NamedTuple):
    """What a call is known by; its id may be another when it comes back."""

    model: str
    name: str
    arguments: str


def call_key(model: str, name: str, arguments: Any) -> CallKey:
    """The same for arguments as text and as an object, however they are written."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")  # nothing comes back as an empty object
        except ValueError:
            return CallKey(model, name, arguments)
    return CallKey(model, name, json.dumps(arguments, sort_keys=True))


class Signed:
    """What a provider has signed, however long ago, and what it belongs to."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._before: dict[CallKey, set[frozenset[str]]] = {}

    def sign(self, text: str, signature: str) -> str:
        """The signature of a text: the one that the script gives, or one that is made of it."""
        signature = signature or signature_of(text)
        self._texts[signature] = text
        return signature

    def knows(self, text: str, signature: str) -> bool:
        """Whether this text was signed so. What is made of the text outlives a restart."""
        return self._texts.get(signature) == text or signature == signature_of(text)

    def precede(self, call: CallKey, thoughts: Collection[str]) -> None:
        """Remember that a model thought this before it called."""
        self._before.setdefault(call, set()).add(frozenset(thoughts))

    def fits(self, call: CallKey, thoughts: Collection[str]) -> bool:
        """Whether the model may have called so after these thoughts, as far as is known here."""
        known = self._before.get(call)
        return known is None or any(each.issubset(thoughts) for each in known)
