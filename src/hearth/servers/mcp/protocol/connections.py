"""Who is at the other end of a request: in which era they speak, and over which connection."""

from typing import Any, TypeAlias

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Asked: TypeAlias = ServerRequestContext[Any, Any]
"""A request as the SDK hands it to whoever answers it."""


def is_modern(asked: Asked) -> bool:
    """Whether the request stands for itself (2026-07-28), with nothing before or after it."""
    return asked.protocol_version in MODERN_PROTOCOL_VERSIONS


def connection_of(asked: Asked) -> Connection | None:
    """The connection of a client of the earlier era; None for a request that stands for itself.

    Its `state` is free for whoever answers, and lives as long as the connection; what is put on its
    `exit_stack` is done when it ends.
    """
    if is_modern(asked):
        return None
    # Not handed out by the SDK otherwise.
    return asked.session._connection  # noqa: SLF001 - see the line above
