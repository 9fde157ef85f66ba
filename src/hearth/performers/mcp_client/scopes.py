"""Which servers a session holds: from the preparation of a turn until it ends, and in a call.

Whatever changes in between, a server that is needed before and after is never started again: it is
held all the time.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Final, TypeAlias

from hearth.core.rules.scoping import transition
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.mcp_client.connecting import Call
from hearth.performers.mcp_client.pool import Lease, Pool
from hearth.performers.tools.tool import Outcome
from hearth.settings.mcp import ServerSpec

Check: TypeAlias = Callable[[], Outcome | None]
"""Why a call must not be made after all. In a thread."""
MOST_SESSIONS: Final = 500


class Scope:
    """What one session holds, and how many calls of its run."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._leases: dict[str, Lease] = {}
        self._calls: dict[str, int] = {}
        self.is_in_turn = False

    @property
    def held(self) -> tuple[str, ...]:
        """The digests of the servers that it holds."""
        return tuple(self._leases)

    async def hold(self, spec: ServerSpec) -> Lease:
        """Have a server, and keep it. Unavailable."""
        key = spec.digest
        if key not in self._leases:
            lease = await self._pool.acquire(spec)
            if key in self._leases:
                lease.release()  # somebody else was as quick
            else:
                self._leases[key] = lease
        return self._leases[key]

    async def call(self, spec: ServerSpec, call: Call, check: Check) -> Outcome:
        """Have a server do something; outside of a turn it is let go afterwards. Unavailable.

        What `check` says once the server runs is the outcome, if it says something.
        """
        key = spec.digest
        self._calls[key] = self._calls.get(key, 0) + 1
        try:
            lease = await self.hold(spec)
            return await asyncio.to_thread(check) or await lease.call(call)
        finally:
            self._calls[key] -= 1
            if not self._calls[key]:
                del self._calls[key]
            if not self.is_in_turn:
                self._let_go({key})

    def settle(self, spec: ServerSpec) -> None:
        """Let go of a server that was only looked at, unless a turn keeps it."""
        if not self.is_in_turn:
            self._let_go({spec.digest})

    def become(self, keys: Collection[str]) -> None:
        """Let go of what is not among these; whatever runs just now ends first."""
        self._let_go(transition(self._leases, keys).dropped)

    def let_go(self) -> None:
        """A turn, or the session, has ended."""
        self.is_in_turn = False
        self._let_go(tuple(self._leases))

    def _let_go(self, keys: Collection[str]) -> None:
        for key in keys:
            if key not in self._calls and key in self._leases:
                self._leases.pop(key).release()


class Scopes:
    """The scope of each session."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._scopes: OrderedDict[SessionId, Scope] = OrderedDict()

    def of(self, session: SessionId) -> Scope:
        """The one of a session, which is made if need be."""
        if session not in self._scopes:
            self._scopes[session] = Scope(self._pool)
        self._scopes.move_to_end(session)
        if len(self._scopes) > MOST_SESSIONS:
            self._scopes.popitem(last=False)[1].let_go()
        return self._scopes[session]

    def end(self, session: SessionId) -> None:
        """A turn, or the session, has ended."""
        if session in self._scopes:
            scope = self._scopes[session]
            scope.let_go()
            if not scope.held:
                del self._scopes[session]
