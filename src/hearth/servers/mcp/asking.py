"""A request of the protocol, as tools see it: their caller, and what the client can be asked."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp.server.connection import Connection
from mcp_types import ListRootsRequest, ListRootsResult

from hearth.credentials.standing import Credential
from hearth.servers.http.around import Around
from hearth.servers.http.asked import CREDENTIAL
from hearth.servers.mcp.callers import (
    Answered,
    Caller,
    NobodyToAsk,
    Remembered,
    directory_in,
    origin_of,
    path_in,
)
from hearth.servers.mcp.operations import DIRECTORY
from hearth.servers.mcp.protocol import caller as protocol
from hearth.servers.mcp.protocol.connections import Asked, connection_of, is_modern
from hearth.servers.mcp.protocol.eliciting import CannotAsk, Question

ROOTS: Final = 5.0
"""Seconds within which a client says where it works."""
_KEY: Final = "hearth"

_said = logging.getLogger(__name__)


def credential_of(asked: Asked) -> Credential:
    """By what whoever asks was known."""
    request: Any = asked.request
    credential: Credential = request.scope[CREDENTIAL]
    return credential


def principal_of(asked: Asked) -> str:
    """Who asks, in a way that nobody else can be named."""
    credential = credential_of(asked)
    return f"{credential.standing}/{credential.name}"


def caller_of(theirs: protocol.Caller, around: Around, *, is_long: bool = False) -> Caller:
    """Who calls. BadDirectory."""
    asked = theirs.asked
    request: Any = asked.request
    credential = credential_of(asked)
    meta: Any = asked.meta
    connection = connection_of(asked)
    is_patient = is_long and theirs.has_tasks

    async def progress(message: str) -> None:
        await theirs.report(message=message)

    async def ask(key: str, message: str, form: Mapping[str, Any]) -> Answered:
        try:
            answer = await theirs.elicit(key, Question(message, form))
        except CannotAsk as why:
            raise NobodyToAsk(str(why)) from None
        return Answered(answer.action, answer.content)

    return Caller(
        credential=credential,
        origin=origin_of(credential, theirs.client[0]),
        connection=None if connection is None else _remembered(connection, around),
        directory=directory_in(request.headers.get(DIRECTORY), meta),
        roots=_Roots(theirs).folder,
        wants_progress=is_patient or (bool(meta) and meta.get("progress_token") is not None),
        progress=progress,
        ask=ask,
        notes=theirs.notes,
        is_patient=is_patient,
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

    def __init__(self, theirs: protocol.Caller) -> None:
        self._theirs = theirs

    async def folder(self) -> str:
        """The first of its roots on this machine; empty if it has none, or does not say."""
        if is_modern(self._theirs.asked):
            # To ask would end the call: such a client says where it works with each request.
            return ""
        try:
            said = await self._theirs.ask({"roots": ListRootsRequest()}, within=ROOTS)
        except CannotAsk as why:
            _said.debug("a client does not say where it works: %s", why)
            return ""
        listed = said["roots"]
        roots = listed.roots if isinstance(listed, ListRootsResult) else ()
        return next((path for one in roots if (path := path_in(str(one.uri)))), "")
