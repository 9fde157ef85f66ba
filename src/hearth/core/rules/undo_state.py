"""What must be remembered of what can be taken back, tried and forked. Plain, comparable data."""

from datetime import datetime
from typing import Final

from hearth.core.vocabulary.cells import Copies
from hearth.core.vocabulary.ids import BlockId, CellId, InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.undoing import ForkHow, Returned, RewindScope, UndoFor
from hearth.core.vocabulary.wire import Part

MOST_RAN: Final = 200
"""Cells that are remembered behind the oldest copy; no more can be taken back at once."""


NONE_WANTED: Final = "none was wanted"
"""Why variants are dropped of which somebody wanted none."""


class Ran(Part, frozen=True):
    """A cell whose effects the interpreter holds."""

    cell: CellId
    by_person: bool = True
    """Also one that a replay has run: it may stand for a person's."""
    kept: bool = False
    """A copy of the interpreter as it was before it is kept."""


class Undone(Part, frozen=True):
    """Cells that were taken back and can be brought back."""

    ran: tuple[Ran, ...]
    copy: str
    """The name of the copy that holds them."""
    by_agent: bool = False
    """An agent took them back, so that an agent may bring them back."""


class Undoing(Part, frozen=True):
    """Cells are being taken back, or brought back."""

    cause: InputId
    origin: Origin
    cells: tuple[CellId, ...]
    redo: bool = False
    keep_as: str = ""
    """Under this name the interpreter is kept as it was until then."""


class Trial(Part, frozen=True):
    """Variants that were tried and wait for one of them to be kept."""

    cell: CellId
    variants: int
    gone: tuple[int, ...] = ()
    """Those whose interpreters did not live on, counted from 1."""


class Adopting(Part, frozen=True):
    """A variant is becoming the session's interpreter."""

    cell: CellId
    variant: int
    ready_since: datetime | None = None
    """Of the interpreter that it was tried in."""


class Forking(Part, frozen=True):
    """A fork that is being made."""

    cause: InputId
    origin: Origin
    to: SessionId
    block: BlockId
    how: ForkHow
    name: str
    version: int
    """Of this session, when it was asked for."""


class Returning(Part, frozen=True):
    """The session is being taken back to a moment, or it is found out what that would change."""

    cause: InputId
    origin: Origin
    to: BlockId
    scope: RewindScope
    preview: bool
    since: int = 0
    """The version of the session with which it was asked for."""
    leaf: BlockId = BlockId("")
    """Where the conversation was then."""


class UndoState(Part, frozen=True):
    """What can be taken back, tried and forked in a session."""

    who: UndoFor | None = None
    """Whose cells can be taken back, as it was chosen here; None: as the session began."""
    ran: tuple[Ran, ...] = ()
    """From the oldest cell that can be taken back to the newest."""
    size: int = 0
    """Bytes that the copies take."""
    redo: tuple[Undone, ...] = ()
    """What was taken back since the last cell ran, the latest last."""
    missed: tuple[str, ...] = ()
    """What was in the way of a copy before the newest cell."""
    told: tuple[str, ...] = ()
    """The same of the newest cell of the agent: it is not told of it before every cell."""
    doing: Undoing | None = None
    trial: Trial | None = None
    adopting: Adopting | None = None
    forking: tuple[Forking, ...] = ()
    returning: Returning | None = None
    returned: Returned | None = None
    """What the last return did."""

    @property
    def is_going_back(self) -> bool:
        """Whether the session is being taken back, and not only asked what that would change."""
        return self.returning is not None and not self.returning.preview

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for a fork, or for the session to go back."""
        return bool(self.forking) or self.returning is not None

    @property
    def kept(self) -> Copies:
        """The copies that there are."""
        return Copies(tuple(one.cell for one in self.ran if one.kept), self.size)


def is_agents(origin: Origin) -> bool:
    """Whether somebody acts who is not a person, and not hearth itself."""
    return origin.actor in {Actor.AGENT, Actor.MCP_CLIENT}


def with_copies(ran: tuple[Ran, ...], copies: Copies) -> tuple[Ran, ...]:
    """The cells, as far as copies go back."""
    known = frozenset(copies.cells)
    marked = tuple(Ran(one.cell, one.by_person, one.cell in known) for one in ran[-MOST_RAN:])
    first = next((place for place, one in enumerate(marked) if one.kept), len(marked))
    return marked[first:]
