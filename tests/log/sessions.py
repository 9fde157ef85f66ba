"""Sessions with a whole life in them, for tests of what is done with a log."""

from datetime import datetime

from tests.contracts.facts import ANNA, NOON, new_cause

from hearth.core.rules.session import SessionState, decide
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import Command, CreateSession, RunCell, SessionConfig
from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.inputs import Asked, Input, Told
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refused
from hearth.log.event_log import EventLog


class Life:
    """Decides inputs as the engine does, and keeps what would be stored."""

    def __init__(self, session: SessionId, at: datetime = NOON, author: Origin = ANNA) -> None:
        self.state = SessionState(session)
        self.at = at
        self.author = author
        self.drafts: list[Draft] = []
        self.ask(CreateSession(SessionConfig(name="a life")))
        self.tell(r.WorkerReady(1, 0.1))

    def ask(self, command: Command) -> None:
        self._happen(Asked(new_cause(), self.at, self.author, command))

    def tell(self, report: r.Report) -> None:
        self._happen(Told(new_cause(), self.at, report))

    def run(self, code: str, ending: r.Ending | None = None, names: tuple[str, ...] = ()) -> None:
        """One cell from its start to its end."""
        self.ask(RunCell(code))
        cell = CellId(f"c{self.state.cells}")
        generation = self.state.generation
        self.tell(r.CellEnded(generation, cell, ending or r.Succeeded("42"), 0.5, names=names))

    async def into(self, log: EventLog) -> SessionId:
        """Append all of it."""
        await log.append(self.state.session, 0, self.drafts)
        return self.state.session

    def _happen(self, cause: Input) -> None:
        decision = decide(self.state, cause)
        assert not isinstance(decision, Refused)
        self.state = decision.state
        self.drafts += [codec.draft(fact) for fact in decision.facts]
