"""Commands to what is sent; answers back into the words they stand for."""

import json
from typing import Any, Final, TypeVar

import msgspec

from hearth.api import Viewed
from hearth.clients.remote.troubles import Rejected, WrongVersion
from hearth.core.views.named import VIEWS
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.refusals import (
    Malformed,
    Refusal,
    TooLarge,
    UnknownSession,
    UnknownView,
)

_T = TypeVar("_T")
WRONG_VERSION: Final = "wrong_version"


class _Viewed(msgspec.Struct):
    value: msgspec.Raw
    seq: int


def body_of(command: Command) -> bytes | TooLarge:
    """A command as it is sent, unless it is larger than is taken."""
    raw = _written(command)
    if len(raw) <= codec.MAX_COMMAND_BYTES:
        return raw
    texts = [one for one in msgspec.structs.astuple(command) if isinstance(one, str)]
    longest = max((len(text.encode(errors="replace")) for text in texts), default=0)
    size = longest if longest > codec.MAX_COMMAND_BYTES else len(raw)
    limit = codec.MAX_COMMAND_BYTES
    return TooLarge(
        why=f"{command.__struct_config__.tag} has {size} bytes and the limit is {limit}",
        size=size,
        limit=limit,
        remedy=("load_script",),
    )


def bad_id(said: InputId) -> Malformed:
    """No command can have this id."""
    return Malformed(
        why=f"{said[:80]!r} is no id",
        path="$.id",
        remedy=("use 1 to 64 letters, digits, dashes or underscores",),
    )


def unknown_view(name: str) -> UnknownView:
    """No view can have this name."""
    return UnknownView(
        name=name,
        why=f"there is no view {name[:80]!r}",
        remedy=(f"ask for one of {', '.join(sorted(VIEWS))}",),
    )


def unknown_session(session: SessionId) -> UnknownSession:
    """No session can have this id."""
    return UnknownSession(
        session=session,
        why=f"no session can have the id {session[:80]!r}",
        remedy=("list_sessions",),
    )


def viewed(name: str, raw: bytes) -> Viewed:
    """A view out of its answer. Rejected."""
    answer = decoded(raw, _Viewed)
    if name not in VIEWS:
        raise Rejected(200, "bad_answer", f"the daemon knows a view {name!r} that we do not")
    return Viewed(decoded(answer.value, VIEWS[name]), answer.seq)


def decoded(raw: bytes | msgspec.Raw, kind: type[_T]) -> _T:
    """An answer as this type. Rejected."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Rejected(200, "bad_answer", f"the daemon's answer cannot be read: {error}") from error


def refusal(status: int, raw: bytes) -> Refusal:
    """The refusal in an answer. Rejected, if it is none: then the daemon itself will not."""
    error = _error(raw)
    code, message = str(error.pop("code", "")), str(error.pop("message", ""))
    hint = str(error.pop("hint", ""))
    if code == WRONG_VERSION:
        raise WrongVersion(message, hint)
    try:
        said: Refusal = msgspec.convert({**error, "type": code, "why": message}, Refusal)
    except msgspec.ValidationError:
        sentence = message or f"the daemon answered {status} and nothing that can be read"
        raise Rejected(status, code or "bad_answer", sentence, hint) from None
    return said


def _error(raw: bytes) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(raw, type=dict[str, dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return answer.get("error", {})


def _written(command: Command) -> bytes:
    try:
        return codec.encode(command)
    except UnicodeEncodeError:
        # Half a pair, as in a path that is not UTF-8: the log would keep a question mark, too.
        plain = json.dumps(msgspec.to_builtins(command), ensure_ascii=False)
        return plain.encode(errors="replace")
