"""What a return has done so far, and what became of what it took back: folds of the log.

A return gives commands of its own. Their ids are made from its id, so that the rules know them from
those of others, and whoever takes it up after a crash finds in the log what was done already.
"""

from enum import StrEnum
from hashlib import sha256
from typing import Final

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, InputId
from hearth.core.vocabulary.undoing import SessionPart


class Step(StrEnum):
    """The commands that a return may give."""

    FILES = "files"
    UNDO = "undo"
    REDO = "redo"
    RESET = "reset"
    REPLAY = "replay"
    SWITCH = "switch"

    @property
    def part(self) -> SessionPart:
        """What of the session it takes back."""
        match self:
            case Step.FILES:
                return SessionPart.FILES
            case Step.SWITCH:
                return SessionPart.CONVERSATION
            case _:
                return SessionPart.INTERPRETER


_STEPS: Final = frozenset(str(step) for step in Step)


def _mark(question: InputId) -> str:
    # Shorter than an id may be, however long that of the return is.
    return f"return-{sha256(question.encode(errors='replace')).hexdigest()[:32]}-"


def own_id(question: InputId, step: Step, number: int) -> InputId:
    """The id of the `number`-th command of this kind that a return gives, counted from 1."""
    return InputId(f"{_mark(question)}{step}-{number}")


def is_own(cause: InputId, question: InputId) -> bool:
    """Whether a return gave the command of this id."""
    return cause.startswith(_mark(question))


def may_have_written(event: e.Event) -> str:
    """What may have changed files of the project by this event, in words; empty: nothing."""
    match event:
        case e.CellStarted(cell=cell, read_only=False) | e.TrialStarted(cell=cell):
            return cell
        case e.FilesChanged():
            return "tools of the agent"
        case _:
            return ""


class GoneBack:
    """Take the events since a return was asked for one by one; then this is what it has done."""

    def __init__(self, question: InputId) -> None:
        self._mark = _mark(question)
        self._given: dict[Step, dict[int, e.Event | None]] = {}
        """By number, what each command led to; None: it is still under way."""
        self.is_rebuilt = False
        """The interpreter is the one that it has rebuilt, to the end."""

    @property
    def is_waiting(self) -> bool:
        """Whether something that it asked for has not come to its end yet."""
        return any(end is None for given in self._given.values() for end in given.values())

    def count(self, step: Step) -> int:
        """How many commands of this kind it has given."""
        return max(self._given.get(step, {}), default=0)

    def end(self, step: Step) -> e.Event | None:
        """What its last command of this kind led to; None if it gave none."""
        return self._given.get(step, {}).get(self.count(step))

    def take(self, envelope: Envelope) -> None:
        """Go on with the next event of the session; one that is known changes nothing."""
        event, own = envelope.event, self._own(envelope.cause)
        if own is not None:
            step, number = own
            ended = type(event) in e.SETTLING
            given = self._given.setdefault(step, {})
            given[number] = given.get(number) or (event if ended else None)
        if isinstance(event, e.SessionWarmUpStarted | e.SessionFaulted | e.SessionStopped):
            self.is_rebuilt = False
        elif isinstance(event, e.SessionReplayed):
            self.is_rebuilt = own is not None

    def _own(self, cause: InputId) -> tuple[Step, int] | None:
        # What follows from it on behalf of something else has a dot in its cause.
        if not cause.startswith(self._mark) or "." in cause:
            return None
        step, _, number = cause.removeprefix(self._mark).partition("-")
        if step not in _STEPS or not number.isdecimal():
            return None
        return Step(step), int(number)


class BroughtBack:
    """Take the events since before cells were taken back; then this is what became of them."""

    def __init__(self, cells: tuple[CellId, ...]) -> None:
        self._cells = cells
        self._undone: list[tuple[CellId, ...]] = []
        self._redoes = False
        self.is_there = False
        """Somebody has brought them back, and the interpreter is still that one."""

    @property
    def times(self) -> int:
        """So many times the latest must be brought back until these are; 0: that is over."""
        latest_first = enumerate(reversed(self._undone), 1)
        return next((number for number, cells in latest_first if cells == self._cells), 0)

    def take(self, envelope: Envelope) -> None:
        """Go on with the next event of the session."""
        match envelope.event:
            case e.UndoRequested(redo=redo):
                self._redoes = redo
            case e.CellsUndone(cells=cells, can_redo=can_redo):
                self._undone = [*self._undone, cells] if can_redo else []
                self.is_there = self.is_there and not set(cells) & set(self._cells)
            case e.CellsRedone() if self._undone:
                self.is_there = self._undone.pop() == self._cells or self.is_there
            case e.CellStarted() | e.TrialStarted():
                self._undone = []
            case e.UndoFailed() if self._redoes:
                self._undone = []
            case e.SessionWarmUpStarted() | e.SessionFaulted() | e.SessionStopped():
                self._undone, self.is_there = [], False
            case _:
                pass
