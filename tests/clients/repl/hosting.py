"""An engine as the REPL sees a daemon, in the same process."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from tests.contracts.scenes import ANN

from hearth.api import Accepted, Following, Viewed
from hearth.clients.repl.host import Present
from hearth.core.vocabulary.commands import Command, CreateSession, SessionConfig, SessionMode
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refusal, Refused, SessionExists
from hearth.engine.engine import Engine


class EngineHost:
    """Implements what the REPL wants of a daemon; `gone` pretends that it is away."""

    def __init__(self, engine: Engine, there: Sequence[Present] = ()) -> None:
        self.engine = engine
        self.there = there
        self.gone = False
        self.trusted: list[str] = []
        self.begun: list[SessionConfig] = []
        self._open: list[Following] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        self._reach()
        return await self.engine.submit(session, command, origin, input_id=input_id)

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        self._reach()
        return await self.engine.view(name, session)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        following = self.engine.follow(session, after=after)
        self._open.append(following)
        return following

    async def fetch(self, sha256: str) -> bytes:
        self._reach()
        return await self.engine.fetch(sha256)

    async def who(self, session: SessionId) -> Sequence[Present]:
        self._reach()
        del session
        return self.there

    async def begin(self, directory: str, *, bare: bool) -> SessionId | Refusal:
        self._reach()
        mode = SessionMode.BARE if bare else SessionMode.PROJECT
        config = SessionConfig(directory=directory, mode=mode)
        self.begun.append(config)
        session = SessionId(f"session-{len(self.begun):06}")
        accepted = await self.engine.submit(session, CreateSession(config), ANN)
        if isinstance(accepted, Refused) and not isinstance(accepted, SessionExists):
            return accepted
        return session  # the one of an earlier run, where there was one

    async def trust(self, directory: str) -> None:
        self.trusted.append(directory)

    def go(self) -> None:
        """Be away from now on; streams end."""
        self.gone = True
        for following in self._open:
            following.close()
        self._open.clear()

    def come_back(self) -> None:
        """Be there again."""
        self.gone = False

    def _reach(self) -> None:
        if self.gone:
            raise ConnectionError("nobody answers")
