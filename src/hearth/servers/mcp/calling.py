"""A call from its name and arguments to its answer: who may, what for, which session."""

import logging
from collections.abc import Mapping
from typing import Any

import msgspec

from hearth.core.views.status import Status
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.credentials.standing import Act, may
from hearth.servers.http import telling
from hearth.servers.http.around import Around
from hearth.servers.mcp.callers import Caller
from hearth.servers.mcp.choosing import Choosing
from hearth.servers.mcp.tools.call import Call, Tool, status_in
from hearth.servers.mcp.tools.cells import not_started
from hearth.servers.mcp.tools.said import Said, refused, result, trouble
from hearth.servers.mcp.tools.table import BY_NAME

_said = logging.getLogger(__name__)


class UnknownTool(LookupError):
    """There is no tool of this name."""


class Calling:
    """Answers calls of tools."""

    def __init__(self, around: Around, lets: tuple[type[Exception], ...] = ()) -> None:
        """`lets`: what tools may raise, because it is for whoever speaks the protocol."""
        self._around = around
        self._lets = lets
        self.choosing = Choosing(around.hearth, around.rows)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        """The answer, whatever it is. UnknownTool."""
        tool = BY_NAME.get(name)
        if tool is None:
            raise UnknownTool(f"there is no tool {name[:100]!r}")
        session: SessionId | None = None
        try:
            session, said = await self._answered(tool, arguments, caller)
            session = session or await self.choosing.current(caller)
        except Exception as error:
            if isinstance(error, self._lets):
                raise
            _said.exception("the tool %s failed", name, extra=dict(telling.about()))
            said = trouble(
                "defect", "something went wrong inside hearth", "logs/daemon.log tells what"
            )
        return result(said, session, await self._status(session))

    async def _answered(
        self, tool: Tool, arguments: Mapping[str, Any], caller: Caller
    ) -> tuple[SessionId | None, Said]:
        own = dict(arguments)
        named = own.pop("session", None)
        if named is not None and not isinstance(named, str):
            return None, trouble("malformed", "Expected `str`", path="$.session")
        if not may(caller.credential.standing, tool.act):
            return None, _not_allowed(caller, tool)
        try:
            taken = msgspec.convert(own, tool.takes)
            # A text that cannot be written down again must not come far.
            codec.encode(dict(arguments))
        except (msgspec.ValidationError, UnicodeError, RecursionError) as error:
            return None, _malformed(error)
        found = await self._session(tool, named, caller)
        if isinstance(found, Said):
            return None, found
        session = found
        telling.on(session or "")
        call = Call(
            around=self._around,
            choosing=self.choosing,
            caller=caller,
            session=session or SessionId(""),
            is_named=named is not None,
        )
        said = await tool.answer(call, taken)
        return said.session or session, said

    async def _session(
        self, tool: Tool, named: str | None, caller: Caller
    ) -> SessionId | Said | None:
        if named is not None:
            meant = await self.choosing.meant(named)
            return refused(meant) if isinstance(meant, Refused) else meant
        if not tool.needs_session:
            return await self.choosing.current(caller)
        found = await self.choosing.of(caller, waits=tool.act is not Act.LOOK)
        if isinstance(found, Refused):
            return refused(found)
        if not isinstance(found, str):
            return not_started(found)
        return found

    async def _status(self, session: SessionId | None) -> Status | None:
        return status_in(await self._around.hearth.view("status", session)) if session else None


def _not_allowed(caller: Caller, tool: Tool) -> Said:
    who = f"the {caller.credential.standing} token {caller.credential.name!r}"
    return trouble(
        "not_allowed",
        f"{tool.name} changes something, and {who} may only look",
        "use a person's or an agent's token",
    )


def _malformed(error: Exception) -> Said:
    wrong = codec.malformed(error)
    return trouble("malformed", wrong.why, "tools/list says what is taken", path=wrong.path)
