"""The rows of a conversation as readers see them: turns, and in them text, thinking and tools.

Pure, and nothing is lost: groups hold the rows themselves. A window may begin or end anywhere; what
is cut apart joins when the rest is there.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import TypeAlias

from hearth.core.views.conversation_rows import Row, Started
from hearth.core.vocabulary.blocks import ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.ids import CallId, SessionId, TurnId, block_place
from hearth.core.vocabulary.wire import Part


class Group(Part, frozen=True):
    """The rows of one turn; or what was noted between turns, which has none."""

    session: SessionId
    """Empty: the session itself. Otherwise the one that it was forked from."""
    turn: TurnId
    rows: tuple[Row, ...]


class Single(Part, frozen=True):
    """A block that stands for itself: text, thinking, an error, a notice."""

    row: Row


class Pair(Part, frozen=True):
    """A call with its result, as far as either is here."""

    call: CallId
    name: str
    asked: Row | None = None
    """None: the call itself stands before the window."""
    result: Row | None = None
    """None: there is none yet."""
    started: Started | None = None


class Batch(Part, frozen=True):
    """Calls that stand next to each other."""

    pairs: tuple[Pair, ...]


Item: TypeAlias = Single | Batch


def grouped(rows: Iterable[Row]) -> tuple[Group, ...]:
    """The rows by turns, in their order."""
    return tuple(Group(*of, tuple(found)) for of, found in groupby(rows, _turn_of))


def flattened(groups: Iterable[Group]) -> tuple[Row, ...]:
    """The rows of groups, in their order."""
    return tuple(row for group in groups for row in group.rows)


def items(group: Group, calls: Iterable[Started] = ()) -> tuple[Item, ...]:
    """What a reader sees of a group; each result stands with its call, whenever it came."""
    begun = {} if group.session else {one.call: one for one in calls}
    results = {
        row.content.call: row for row in group.rows if isinstance(row.content, ToolResultBlock)
    }
    asked = {row.content.call for row in group.rows if isinstance(row.content, ToolCallBlock)}
    made: list[Item] = []
    batch: list[Pair] = []
    for row in group.rows:
        match row.content:
            case ToolCallBlock(call=call, name=name):
                batch.append(Pair(call, name, row, results.get(call), begun.get(call)))
                continue
            case ToolResultBlock(call=call) if call in asked:
                continue  # it stands with its call
            case ToolResultBlock(call=call, name=name):
                batch.append(Pair(call, name, None, row, begun.get(call)))
                continue
            case _:
                pass
        if batch:
            made.append(Batch(tuple(batch)))
            batch = []
        made.append(Single(row))
    return (*made, Batch(tuple(batch))) if batch else tuple(made)


def _turn_of(row: Row) -> tuple[SessionId, TurnId]:
    return (block_place(row.block)[0], row.turn)
