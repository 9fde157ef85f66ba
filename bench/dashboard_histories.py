"""Sessions to look at: cells and turns in turn, as the rules make them, and stopped at the end."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from typing import Final

from bench.histories import write_facts
from bench.talks import Talk

from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.vocabulary.commands import (
    CreateSession,
    RunCell,
    SessionConfig,
    SessionMode,
    StopSession,
)
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.effects import Effect, ExecuteInWorker
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.prompting import CompactConversation, SendMessage
from hearth.core.vocabulary.reports import CellEnded, Report, Succeeded
from hearth.engine.restoring import fold_name, snapshot_of
from hearth.engine.session_loop import SNAPSHOT_EVERY
from hearth.log.sqlite_schema import connect

STEPS: Final = 3
"""Of a turn."""
CELLS: Final = 4
"""Between two turns."""
ROUNDS: Final = 40
"""So many turns until what was said is summed up."""
CODE: Final = "import math\n\nfor n in range({0}, {0} + 3):\n    print(n, math.sqrt(n))"


class Life(Talk):
    """A session in which somebody runs cells and talks with an agent."""

    def lived(self, events: int) -> Iterator[Fact]:
        """Its events: so many, or a few more. It is stopped, so that nobody brings it back."""
        config = SessionConfig(directory=str(self._directory), mode=SessionMode.BARE)
        number = rounds = 0
        for one in self._asked(CreateSession(config)):
            number += 1
            yield one
        while number < events:
            rounds += 1
            for one in self._round(rounds):
                number += 1
                yield one
        yield from self._asked(StopSession())

    def _round(self, rounds: int) -> Iterator[Fact]:
        if not rounds % ROUNDS:
            yield from self._asked(CompactConversation())
        self._left = STEPS
        yield from self._asked(SendMessage("Go on with the next part, please."))
        for place in range(CELLS):
            yield from self._asked(RunCell(CODE.format(rounds * CELLS + place)))

    def _answer(self, effect: Effect) -> Report | None:
        if not isinstance(effect, ExecuteInWorker):
            return super()._answer(effect)
        printed = StreamText("stdout", "16 4.0\n17 4.123105625617661\n18 4.242640687119285\n")
        return CellEnded(
            effect.generation, effect.cell, Succeeded(), 0.012, (printed,), ("math", "n")
        )


class Owner:
    """Writes a session into a log as the daemon that has it: with a snapshot now and then."""

    def __init__(self, path: Path, session: SessionId) -> None:
        self._path = path
        self._session = session
        self._fold = SessionFold(SessionState(session))
        self._name = fold_name()
        self._snapshot = 0
        self.seq = 0
        """Of the last event that it wrote."""

    def write(self, facts: Iterable[Fact]) -> None:
        """Put these behind what is there, all at once."""
        written = list(facts)
        write_facts(self._path, self._session, written, self._fold.state.version)
        with closing(connect(self._path)) as connection:
            self.seq = _last(connection, self._session)
            first = self.seq - len(written)
            for seq, fact in enumerate(written, first + 1):
                self._fold = fold(self._fold, fact)
                if self._fold.state.version - self._snapshot >= SNAPSHOT_EVERY:
                    self._snapshot = self._fold.state.version
                    snapshot = snapshot_of(self._fold, seq, self._name)
                    connection.execute(
                        "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", snapshot
                    )


def _last(connection: Connection, session: SessionId) -> int:
    asked = connection.execute("SELECT seq FROM streams WHERE session = ?", (session,))
    return int(asked.fetchone()[0])


def write_life(path: Path, session: SessionId, directory: Path, events: int) -> None:
    """Put a session of so many events, or a few more, into the file."""
    Owner(path, session).write(Life(session, directory).lived(events))
