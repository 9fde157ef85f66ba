"""One commit of the SQLite log in the making, and what the writer still knows from the last one."""

import sqlite3
from typing import Final, NamedTuple

from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId

MOST_KNOWN: Final = 4096
"""Sessions whose standing is remembered; then the count begins anew."""


class Standing(NamedTuple):
    """Where a session's stream stands and who may append to it."""

    version: int
    owner: str
    generation: int


class Known:
    """What the file says, as long as nobody else writes to it.

    It saves every append of a busy session two questions. Whoever keeps it must `forget` when
    another process has committed, or when a commit of its own may have failed.
    """

    def __init__(self) -> None:
        self.head: int | None = None
        """The highest seq that ever was."""
        self._standings: dict[SessionId, Standing] = {}

    @property
    def anything(self) -> bool:
        """Whether there is something that could be wrong."""
        return self.head is not None or bool(self._standings)

    def standing(self, session: SessionId) -> Standing | None:
        """How the session stands, if it is known."""
        return self._standings.get(session)

    def learn(self, session: SessionId, standing: Standing) -> None:
        """Remember how it stands."""
        if len(self._standings) >= MOST_KNOWN:
            self._standings.clear()
        self._standings[session] = standing

    def forget(self) -> None:
        """Ask the file again, for everything."""
        self.head = None
        self._standings.clear()


class Transaction:
    """One commit in the making."""

    def __init__(self, connection: sqlite3.Connection, known: Known | None = None) -> None:
        self.connection = connection
        self.known = known or Known()
        self.rows: list[Stored] = []
        """What it adds to the log, in seq order."""

    def next_seq(self) -> int:
        """The seq of the next row: one more than any that ever was."""
        head = self.known.head
        if head is None:
            (head,) = self.connection.execute(
                "SELECT max(ifnull((SELECT max(seq) FROM events), 0),"
                " (SELECT value FROM meta WHERE key = 'floor'))"
            ).fetchone()
        self.known.head = head + 1
        return int(head) + 1
