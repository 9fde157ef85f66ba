"""What went wrong with a server, in words for agents and for people.

Imports the protocol's library: see `speaking`.
"""

import asyncio
from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from hearth.performers.mcp_client.connecting import Unavailable

LONGEST_REASON: Final = 1000
"""Characters of what a server may say about it."""


def is_closed(error: BaseException) -> bool:
    """Whether the server ended before it had answered."""
    if isinstance(error, BaseExceptionGroup):
        return is_closed(error.exceptions[0])
    return isinstance(error, MCPError) and error.error.code == CONNECTION_CLOSED


def what_went_wrong(error: BaseException, seconds: float, last_words: str) -> str:
    """Why a server that had so many seconds did not answer what it was asked."""
    match error:
        case TimeoutError():
            return f"The server did not answer within {seconds:g} seconds; it was told to stop."
        case MCPError() if is_closed(error):
            words = f" Its last words: {last_words}." if last_words else ""
            return (
                f"The server ended in the middle of the call.{words} "
                "What it did until then is not known, and not undone."
            )
        case _:
            return reason(error)


def reason(error: BaseException) -> str:
    """Why a server cannot be used."""
    match error:
        case BaseExceptionGroup(exceptions=[one, *_]):
            return reason(one)
        case Unavailable():
            return str(error)
        case MCPError():
            return f"the server says: {error.error.message}"[:LONGEST_REASON]
        case ValidationError():
            return f"its answer is not what the protocol says: {error.errors()[0]['msg']}"
        case asyncio.CancelledError():
            return "it was given up"
        case _:
            return (str(error) or type(error).__name__)[:LONGEST_REASON]
