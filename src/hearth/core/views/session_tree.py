"""The forks around one session, as a tree: where it came from, and what goes on from it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, TypeAlias

from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import ForkHow
from hearth.core.vocabulary.wire import Part

MOST_BRANCHES: Final = 200
"""Sessions of one tree that are shown."""

Children: TypeAlias = Mapping[SessionId, tuple[SessionRow, ...]]


class Branch(Part, frozen=True, kw_only=True):
    """One session in the tree."""

    session: SessionId
    name: str
    state: PhaseName
    depth: int
    """How many forks lie between it and the root."""
    is_here: bool = False
    forked_from: SessionId = SessionId("")
    """Of the root: a session that is not known any more, if it was forked at all."""
    how: ForkHow | None = None
    """What its interpreter was made of; None: it is no fork."""
    last_activity: datetime | None = None
    stopped: bool = False


class BranchTree(Part, frozen=True):
    """A tree of forks, each under the one it came from; the oldest first."""

    branches: tuple[Branch, ...] = ()
    left_out: int = 0
    """So many more belong to it."""


def branch_tree(
    rows: Iterable[SessionRow], here: SessionId, most: int = MOST_BRANCHES
) -> BranchTree:
    """The tree that a session belongs to; empty if there is no such session.

    Where there are too many, its ancestors are shown first, then what was forked from it.
    """
    known = {row.session: row for row in rows}
    if here not in known:
        return BranchTree()
    children = _children(known)
    way = _way(known, here)
    everything = _below(way[0], children)
    shown = set(way[-most:])
    for one in (*_below(here, children), *everything):
        if len(shown) >= most:
            break
        if one.forked_from in shown:  # else it would hang in the air
            shown.add(one.session)
    return BranchTree(
        _drawn(known[way[-most:][0]], children, shown, here), _left(everything, shown)
    )


def _children(known: Mapping[SessionId, SessionRow]) -> Children:
    found: dict[SessionId, list[SessionRow]] = {}
    for row in sorted(known.values(), key=_oldest_first):
        found.setdefault(row.forked_from, []).append(row)
    return {session: tuple(rows) for session, rows in found.items() if session}


def _way(known: Mapping[SessionId, SessionRow], here: SessionId) -> list[SessionId]:
    """From the oldest ancestor that is known to the session itself."""
    way = {here: None}  # in order, and quickly searched: nothing is its own ancestor
    above = known[here].forked_from
    while above in known and above not in way:
        way[above] = None
        above = known[above].forked_from
    return list(reversed(way))


def _below(root: SessionId, children: Children) -> tuple[SessionRow, ...]:
    """All forks of it and of those, the nearest first."""
    seen, level = {root}, [root]
    found: list[SessionRow] = []
    while level:
        rows = [row for one in level for row in children.get(one, ()) if row.session not in seen]
        found += rows
        level = [row.session for row in rows]
        seen.update(level)
    return tuple(found)


def _drawn(
    root: SessionRow, children: Children, shown: set[SessionId], here: SessionId
) -> tuple[Branch, ...]:
    """Each before its forks; without recursion, since forks of forks may go deep."""
    drawn: dict[SessionId, Branch] = {}
    open_rows = [(root, 0)]
    while open_rows:
        row, depth = open_rows.pop()
        if row.session in drawn:
            continue
        drawn[row.session] = _branch(row, depth, here)
        below = children.get(row.session, ())
        open_rows += [(one, depth + 1) for one in reversed(below) if one.session in shown]
    return tuple(drawn.values())


def _left(everything: tuple[SessionRow, ...], shown: set[SessionId]) -> int:
    return 1 + len(everything) - len(shown)  # the root is not below itself


def _branch(row: SessionRow, depth: int, here: SessionId) -> Branch:
    return Branch(
        session=row.session,
        name=row.name,
        state=row.state,
        depth=depth,
        is_here=row.session == here,
        forked_from=row.forked_from,
        how=row.forked_how,
        last_activity=row.last_activity,
        stopped=row.stopped,
    )


def _oldest_first(row: SessionRow) -> tuple[float, str]:
    return (row.started_at.timestamp() if row.started_at else 0.0, row.session)
