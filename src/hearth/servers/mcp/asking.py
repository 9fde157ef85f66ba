"""A request of the protocol, as tools see it: their caller, and what the client can be asked."""

import asyncio
import logging
from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from hearth.servers.http.around import Around
from hearth.servers.http.asked import CREDENTIAL
from hearth.servers.mcp.callers import Caller, Remembered, directory_in, origin_of, path_in
from hearth.servers.mcp.operations import DIRECTORY

Asked: TypeAlias = ServerRequestContext[Any, Any]
"""A request as the SDK hands it to whoever answers it."""

ROOTS: Final = 5.0
"""Seconds within which a client says where it works."""
_KEY: Final = "hearth"

_said = logging.getLogger(__name__)


def connection_of(asked: Asked) -> Connection | None:
    """The connection of a client of the earlier era; None for a request that stands for itself."""
    if asked.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return None
    # Not handed out by the SDK otherwise.
    return asked.session._connection  # noqa: SLF001 - see the line above


def caller_of(asked: Asked, around: Around) -> Caller:
    """Who calls. BadDirectory."""
    request: Any = asked.request
    credential = request.scope[CREDENTIAL]
    params = asked.session.client_params
    origin = origin_of(credential, params.client_info.name if params is not None else "")
    connection = connection_of(asked)
    meta: Any = asked.meta
    wants_progress = bool(meta) and meta.get("progress_token") is not None
    told = 0

    async def progress(message: str) -> None:
        nonlocal told
        told += 1
        await asked.session.report_progress(told, None, message)

    return Caller(
        credential=credential,
        origin=origin,
        connection=None if connection is None else _remembered(connection, around),
        directory=directory_in(request.headers.get(DIRECTORY), meta),
        roots=_Roots(asked).folder,
        wants_progress=wants_progress,
        progress=progress,
    )


def _remembered(connection: Connection, around: Around) -> Remembered:
    known = connection.state.get(_KEY)
    if not isinstance(known, Remembered):
        known = Remembered(connection.session_id or "", around.attendance)
        connection.state[_KEY] = known
        connection.exit_stack.callback(known.leave)
    return known


class _Roots:
    """Asks an earlier client that declared roots which folder it works in."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked

    async def folder(self) -> str:
        """The first of its roots on this machine; empty if it has none, or does not say."""
        session = self._asked.session
        can = session.client_capabilities
        if can is None or can.roots is None or not session.can_send_request:
            return ""
        try:
            async with asyncio.timeout(ROOTS):
                listed = await session.send_request(
                    types.ListRootsRequest(),
                    types.ListRootsResult,
                    metadata=ServerMessageMetadata(related_request_id=self._asked.request_id),
                )
        except (TimeoutError, MCPError, ValidationError) as error:
            _said.info("a client did not say where it works: %s", error)
            return ""
        return next((path for one in listed.roots if (path := path_in(str(one.uri)))), "")
