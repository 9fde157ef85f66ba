"""What Ctrl-C stops: one's own cell, then the agent, then somebody else's cell."""

from collections.abc import Container
from typing import NamedTuple

from hearth.clients.repl.now import Now, RunningTurn
from hearth.clients.repl.painting import name_of
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import CellId, InputId, TurnId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.prompting import CancelTurn


class _Running(NamedTuple):
    """Something that can be stopped."""

    what: CellId | TurnId
    author: Origin
    is_mine: bool
    stop: c.Command


class Interrupting:
    """Remembers what was warned of: what is somebody else's stops at the second time."""

    def __init__(self, own: Container[InputId]) -> None:
        """`own` are the inputs that came from here."""
        self._own = own
        self._warned: CellId | TurnId | None = None

    def stops(self, now: Now, *, is_empty: bool) -> c.Command | str | None:
        """The command that stops something, or a warning; None where there is nothing to stop.

        The agent is left alone while something is typed (`is_empty` says that nothing is): whoever
        speaks to it wants to clear that.
        """
        running = self._running(now, is_empty=is_empty)
        if running is None:
            return None
        if running.is_mine or self._warned == running.what:
            return running.stop
        self._warned = running.what
        return f"{running.what} is {name_of(running.author)}'s: Ctrl-C once more stops it"

    def _running(self, now: Now, *, is_empty: bool) -> _Running | None:
        cell, turn = now.running, now.turn
        is_mine = cell is not None and cell.cause in self._own
        if turn is not None and not is_mine:
            stop = _stops_turn(now, turn)
            found = _Running(turn.turn, turn.author, turn.cause in self._own, stop)
            return found if is_empty else None
        if cell is None:
            return None
        return _Running(cell.cell, cell.author, is_mine, c.CancelCell(cell.cell))


def _stops_turn(now: Now, turn: RunningTurn) -> c.Command:
    cell = now.running
    if turn.is_stopping and cell is not None and cell.author.actor is Actor.AGENT:
        return c.CancelCell(cell.cell)  # it was asked to stop and does not
    return CancelTurn(turn.turn)
