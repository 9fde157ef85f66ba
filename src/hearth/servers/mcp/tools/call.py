"""A call of a tool: whose it is, which session it is for, and what it may use."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec

from hearth.api import Hearth, Viewed
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal
from hearth.credentials.standing import Act
from hearth.servers.http.around import Around
from hearth.servers.mcp.callers import Caller
from hearth.servers.mcp.choosing import Choosing
from hearth.servers.mcp.tools.said import Said
from hearth.servers.mcp.waiting import Tell

PATIENT: Final = 24 * 3600.0
"""Seconds for which the work of a task is waited for."""


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a tool takes; `session` is taken out before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call, while it is answered."""

    around: Around
    choosing: Choosing
    caller: Caller
    session: SessionId
    """The session it is for; empty for a tool that needs none and whose caller has none."""
    is_named: bool = False
    """Whether the call names it."""

    @property
    def hearth(self) -> Hearth:
        """What everything is asked of."""
        return self.around.hearth

    @property
    def tell(self) -> Tell | None:
        """Who hears how it goes on; None if the caller does not want to know."""
        return self.caller.progress if self.caller.wants_progress else None

    def patience(self, wait: float) -> float:
        """For how many seconds is waited, if the caller would wait for so many."""
        return PATIENT if self.caller.is_patient else wait

    async def seen(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        """A view of the session of this call, or of another."""
        return await self.hearth.view(name, self.session if session is None else session)


Answering: TypeAlias = Callable[[Call, Any], Awaitable[Said]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hints:
    """What a client may think of a tool before it is called."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One tool as it is listed, and what answers it."""

    name: str
    title: str
    description: str
    act: Act
    """What it takes to call it."""
    takes: type[Arguments]
    properties: Mapping[str, Any]
    """Its arguments as JSON Schema; `session` is added to all."""
    required: tuple[str, ...] = ()
    gives: Mapping[str, Any]
    """What is in its answers beside session, state and what is offered, as JSON Schema."""
    hints: Hints
    answer: Answering
    is_long: bool = False
    """Whether it may become a task, for a client that knows those."""
    needs_session: bool = True
    """Whether it is for a session; one that is not given is then found or made."""


def status_in(viewed: Viewed | Refusal) -> Status | None:
    """The status, if this is one."""
    if isinstance(viewed, Viewed) and isinstance(viewed.value, Status):
        return viewed.value
    return None


def rows_in(viewed: Viewed | Refusal) -> tuple[SessionRow, ...]:
    """The sessions that are listed; none, if this is no list of them."""
    if isinstance(viewed, Viewed) and isinstance(viewed.value, Sessions):
        return viewed.value.rows
    return ()
