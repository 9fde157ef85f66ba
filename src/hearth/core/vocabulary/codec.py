"""One codec for log rows, HTTP, SSE, MCP and samples.

Strict: an unknown field or a wrong type is refused with the path of the offending field. Fields
that have their default value are left out when written.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.envelope import Draft, Envelope, Fact, Stored
from hearth.core.vocabulary.refusals import Malformed, TooLarge
from hearth.core.vocabulary.upcasts import UPCASTS, Upcast, upcast

MAX_COMMAND_BYTES: Final = 8 * 1024 * 1024
"""The largest command that is taken."""

MAX_PAYLOAD_BYTES: Final = 64 * 1024
"""A larger text goes to a blob."""

MAX_EVENT_BYTES: Final = 256 * 1024
"""No stored event is larger than this."""

_encoder = msgspec.json.Encoder()
_commands: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)
_facts = msgspec.json.Decoder(Fact)
_envelopes = msgspec.json.Decoder(Envelope)
_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<path>[^`]*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `([^`]*)`")


def _without_repetition(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            message = f"Object contains the field more than once - at `$..{key}`"
            raise msgspec.DecodeError(message)
        seen.add(key)


_keys = json.JSONDecoder(object_pairs_hook=_without_repetition)


class Unreadable(ValueError):
    """A stored row that no word of ours fits; `path` is the offending field."""

    def __init__(self, why: str, path: str = "$") -> None:
        super().__init__(f"{why} (at {path})")
        self.why = why
        self.path = path


def encode(word: Any) -> bytes:
    """Any word, or a structure of words, as JSON."""
    return _encoder.encode(word)


def decode_command(raw: bytes) -> Command | Malformed | TooLarge:
    """A command from JSON, or the refusal that says what is wrong and where."""
    if len(raw) > MAX_COMMAND_BYTES:
        return TooLarge(
            why=f"the command has {len(raw)} bytes",
            size=len(raw),
            limit=MAX_COMMAND_BYTES,
            remedy=(f"send at most {MAX_COMMAND_BYTES} bytes; load larger code from a file",),
        )
    try:
        command = _commands.decode(raw)
        # msgspec lets the last of two equal keys win; someone else may have read the first.
        _keys.decode(raw.decode())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return malformed(error)
    return command


def malformed(error: Exception) -> Malformed:
    """The refusal for a decoding error: what is wrong and in which field, as whose path, too."""
    what, path = _what_and_where(error)
    where = path.lstrip("$.")
    if _UNKNOWN.search(what):
        where = where.rpartition(".")[0]  # it is named already
    return Malformed(
        why=f"{where}: {what}" if where else what,
        path=path,
        remedy=("docs/protocol.md lists every command with its fields",),
    )


def draft(fact: Fact) -> Draft:
    """A fact as the bytes that are stored."""
    return Draft(fact.id, _tag(fact), _encoder.encode(fact))


def decode_fact(data: bytes, upcasts: Sequence[Upcast] = UPCASTS) -> Fact:
    """A stored fact, brought up to the present shape; Unreadable if there is none."""
    try:
        return _facts.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        try:
            raw = msgspec.json.decode(data)
            if (newer := upcast(raw, upcasts)) is not None:
                return msgspec.convert(newer, Fact)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
        raise Unreadable(*_what_and_where(error)) from None


def envelope(stored: Stored) -> Envelope:
    """A row of the log, decoded; Unreadable if no word of ours fits."""
    fact = decode_fact(stored.data)
    return Envelope(
        seq=stored.seq,
        session=stored.session,
        version=stored.version,
        id=fact.id,
        at=fact.at,
        origin=fact.origin,
        cause=fact.cause,
        event=fact.event,
        fingerprint=fact.fingerprint,
    )


def envelope_json(stored: Stored) -> bytes:
    """A row of the log as the JSON that every door sends, without decoding it."""
    place = b'{"seq":%d,"session":%b,"version":%d,' % (
        stored.seq,
        _encoder.encode(stored.session),
        stored.version,
    )
    return place + stored.data[1:]


def decode_envelope(raw: bytes) -> Envelope:
    """The reverse of `envelope_json`; Unreadable if no word of ours fits."""
    try:
        return _envelopes.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(*_what_and_where(error)) from None


def _tag(fact: Fact) -> str:
    return str(fact.event.__struct_config__.tag)


def _what_and_where(error: Exception) -> tuple[str, str]:
    """The message and the path of the offending field, out of msgspec's one sentence."""
    match = _AT.match(str(error))
    if match is None:
        return str(error), "$"
    what, path = match["what"], match["path"] or "$"
    unknown = _UNKNOWN.search(what)
    return (what, f"{path}.{unknown[1]}") if unknown else (what, path)
