"""What requests of both of OpenAI's wires have in common: headers, tools, calls, results."""

from typing import Final

import msgspec

from hearth.core.vocabulary.messages import Returned
from hearth.performers.language_model.sent_back import plain_id

_DIGITS: Final = 16

encode: Final = msgspec.json.Encoder().encode


class Declared(msgspec.Struct, frozen=True):
    """A tool as the prefix declares it; its schema is passed on byte for byte."""

    name: str
    description: str
    input_schema: msgspec.Raw


_tools: Final = msgspec.json.Decoder(list[Declared])


def headers(key: str) -> dict[str, str]:
    """The headers of every request; servers that ask for no key are sent none."""
    made = {"content-type": "application/json", "accept": "text/event-stream"}
    return made | {"authorization": f"Bearer {key}"} if key else made


def declared(tools: str) -> list[Declared]:
    """The tools of a prefix, in its order."""
    return _tools.decode(tools) if tools else []


def call_id(wire_id: str) -> str:
    """The id of a call, in the call and in its result."""
    return plain_id(wire_id, _DIGITS)


def result_sent(result: Returned) -> str:
    """The text of a result; these wires have no other place to say that it is an error."""
    return f"Error: {result.text}" if result.is_error else result.text
