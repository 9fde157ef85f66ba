"""A request as endpoints see it: who asks, what for, and how to say no.

The guard has looked at all of this before an endpoint is called.
"""

import re
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import Request

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.wire import Part
from hearth.credentials.standing import Credential
from hearth.servers.http.answers import Trouble, malformed, trouble_of

CREDENTIAL: Final = "hearth.credential"
ORIGIN: Final = "hearth.origin"
"""What the guard adds to a scope."""

LONGEST_WAIT: Final = 600.0

_T = TypeVar("_T")
_WAIT = re.compile(r"(?:^|[,;])\s*wait\s*=\s*\"?([0-9]{1,6}(?:\.[0-9]{1,6})?)\"?\s*(?=$|[,;])")


class Declined(Exception):
    """This request is not done. Raised by endpoints; the guard makes the answer of it."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


class Claimed(Part, frozen=True):
    """The header `Hearth-Origin`: who a client says it speaks for, and through which door."""

    actor: Actor
    name: str = ""
    door: Door = Door.HTTP


class Nothing(Part, frozen=True):
    """A body that says nothing: `{}`, or none at all."""


def claimed(header: str) -> Origin:
    """Who the client says it speaks for. Declined."""
    try:
        said = msgspec.json.decode(header.encode(), type=Claimed)
    except (msgspec.DecodeError, UnicodeError) as error:
        hint = 'for example {"actor":"person","name":"ann","door":"cli"}'
        raise Declined(malformed(str(error), "Hearth-Origin", hint)) from error
    return Origin(said.actor, said.name, said.door)


def origin_of(request: Request) -> Origin:
    """In whose name this request is done."""
    origin: Origin = request.scope[ORIGIN]
    return origin


def person_of(request: Request) -> Origin:
    """The same, of what a person alone may do and no session decides about. Declined."""
    origin = origin_of(request)
    if origin.actor is not Actor.PERSON:
        who = f"the {origin.actor.replace('_', ' ')} {origin.name!r}"
        what = f"this is for a person alone, and it is asked in the name of {who}"
        hint = "let the person answer, or leave Hearth-Origin out if you are the person"
        raise Declined(Trouble(403, "not_allowed", what, hint))
    return origin


def credential_of(request: Request) -> Credential:
    """By what whoever asks was known."""
    credential: Credential = request.scope[CREDENTIAL]
    return credential


async def body_of(request: Request, kind: type[_T]) -> _T:
    """The body as this type, strictly; an empty one is `{}`. Declined."""
    raw = await request.body()
    try:
        value = msgspec.json.decode(raw or b"{}", type=kind)
        # A text that cannot be written down again must not come far.
        codec.encode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        hint = "GET /openapi.json says what is taken"
        raise Declined(trouble_of(codec.malformed(error)).hinting(hint)) from error
    return value


def key_of(request: Request) -> InputId | None:
    """The id that makes a retry safe, if the client brought one."""
    key = request.headers.get("idempotency-key")
    return None if key is None else InputId(key.strip().strip('"'))


def wait_of(request: Request) -> float | None:
    """How many seconds the client would wait for the outcome; None if it would not."""
    found = _WAIT.search(request.headers.get("prefer", "").lower())
    seconds = float(found[1]) if found else 0.0
    return min(seconds, LONGEST_WAIT) if seconds > 0 else None


def number(request: Request, name: str) -> int | None:
    """A whole number out of the query, 0 or more. Declined."""
    said = request.query_params.get(name)
    if said is None:
        return None
    if not (said.isascii() and said.isdigit() and len(said) <= 15):
        raise Declined(malformed(f"{name} is a whole number, 0 or more", f"query.{name}"))
    return int(said)


def directory_of(request: Request) -> str:
    """The absolute path that the query names. Declined."""
    said: Any = request.query_params.get("directory", "")
    if not said.startswith("/") or "\0" in said:
        hint = "for example ?directory=/home/ann/project"
        raise Declined(malformed("directory is an absolute path", "query.directory", hint))
    return str(said)


def said_session(request: Request) -> SessionId:
    """What the path says for a session: an id, a name, or the beginning of one."""
    return SessionId(request.path_params["id"])
