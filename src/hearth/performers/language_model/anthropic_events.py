"""The events that Anthropic's streams consist of, as far as they say something to us."""

from typing import Any, Final

import msgspec

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.failures import readable
from hearth.performers.language_model.server_sent import Frame


class Counted(msgspec.Struct):
    """Tokens; what is not said is None."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class Begun(msgspec.Struct):
    """The message that begins; it is empty yet."""

    usage: Counted | None = None


class Delta(msgspec.Struct):
    """What is added to a block, or to the message."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class Event(msgspec.Struct):
    """All events in one: which fields there are follows from the type."""

    type: str
    index: int = -1
    message: Begun | None = None
    content_block: dict[str, Any] | None = None
    delta: Delta | None = None
    usage: Counted | None = None
    error: Any = None


class _Named(msgspec.Struct):
    type: str = ""


_EVENT: Final = msgspec.json.Decoder(Event)
_NAMED: Final = msgspec.json.Decoder(_Named)
_KNOWN: Final = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
    }
)


def decoded(frame: Frame) -> Event | None:
    """The event of a frame; None if it is of a type that is not known. WireTrouble: malformed."""
    try:
        return _EVENT.decode(frame.data)
    except (ValueError, RecursionError) as error:
        if _is_new(frame):
            return None
        raise malformed(f"{error} in an event {frame.event}") from error


def malformed(what: str) -> WireTrouble:
    """What came is not what the protocol says."""
    said = readable(f"the answer is not as the protocol says: {what}")
    return WireTrouble(Trouble.MALFORMED, said)


def _is_new(frame: Frame) -> bool:
    """Whether it is well formed, and of a type that came later: its fields may have any shape."""
    if frame.event in _KNOWN:
        return False
    try:
        return _NAMED.decode(frame.data).type not in _KNOWN
    except (ValueError, RecursionError):
        return False
