"""The leases of one engine: by what right it appends to its sessions."""

import logging

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal
from hearth.engine.refusing import owned_elsewhere, unavailable
from hearth.log.event_log import EventLog, Lease, LogError, NotOwner, StoreDown

_said = logging.getLogger(__name__)


class Claims:
    """Every lease this engine holds, by session."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._leases: dict[SessionId, Lease] = {}

    async def claim(self, session: SessionId) -> Lease | Refusal:
        """Take the session; a refusal if another daemon has it or the store is down."""
        try:
            lease = await self._log.claim(session)
        except NotOwner as lost:
            return owned_elsewhere(lost)
        except StoreDown as down:
            return unavailable(down)
        self._leases[session] = lease
        return lease

    async def release(self, lease: Lease) -> None:
        """Give the session up, for whoever wants it next."""
        try:
            await self._log.release(lease)
        except LogError as error:
            _said.warning("%s is not given up: %s", lease.session, error)

    def held(self, session: SessionId) -> Lease | None:
        """The lease of a session, if it is ours."""
        return self._leases.get(session)

    def forget(self, session: SessionId) -> None:
        """Another daemon has it now."""
        self._leases.pop(session, None)
