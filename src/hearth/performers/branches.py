"""Finds a block of a conversation, wherever it is, and the line that leads to it.

A block on the present line has the predecessors that it has there. One off it has those that it
had when it was sealed: what the line was at any version follows from the log.

An edit that keeps the rest puts the same blocks on two lines, and ends the new one with a notice.
Whoever goes to the notice gets the edited line; whoever goes to the last block that was kept, which
the notice stands behind, gets the line that this block was sealed on: it is how that branch is
named. An edit of it is one of the present line all the same.
"""

import logging
from typing import Final, NamedTuple

from msgspec.structs import replace

from hearth.core.rules.branching import ends_an_edit
from hearth.core.rules.lines import (
    LineFold,
    before,
    behind,
    block_seen_from,
    is_on,
    seen_from,
    segments_of,
    up_to,
)
from hearth.core.views.looking_back import (
    Looking,
    block_at,
    first_of,
    head_of,
    last_of,
    line_at,
)
from hearth.core.vocabulary.blocks import Role
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import BlockId, SessionId, block_id, block_place
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.modelling import BranchFound, BranchMissing, FindBranch
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.turns import BlockSealed
from hearth.log.looking import Read, found

HERE: Final = SessionId("")
_said = logging.getLogger(__name__)


class _Place(NamedTuple):
    """Where a block is in the log."""

    session: SessionId
    version: int


class _Present(NamedTuple):
    """The line of a conversation as it is now."""

    fold: LineFold
    segments: tuple[Segment, ...]


class _Missing(Exception):
    """There is no such block; the message says what there is instead."""


class Branches:
    """Carries out FindBranch."""

    effects: frozenset[type[Effect]] = frozenset({FindBranch})

    def __init__(self, read: Read) -> None:
        self._read = read

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Look for the block, and report what was found."""
        if not isinstance(effect, FindBranch):
            raise TypeError(f"no performer of {type(effect).__name__}")
        try:
            stage.report(await found(found_by(session, effect), self._read))
        except Exception as error:  # noqa: BLE001 - whatever it is, who asked is told
            _said.warning("%s: %s cannot be looked for: %s", session, effect.block, error)
            why = f"the log cannot be read at the moment: {error}; try again"
            stage.report(BranchMissing(effect.question, why))

    async def close(self) -> None:
        """Nothing is held."""


def found_by(session: SessionId, effect: FindBranch) -> Looking[BranchFound | BranchMissing]:
    """What a search comes to; whoever may wait reads for it."""
    try:
        return (yield from _found(session, effect))
    except _Missing as missing:
        return BranchMissing(effect.question, str(missing))


def _found(session: SessionId, effect: FindBranch) -> Looking[BranchFound]:
    """The block that is looked for, with its line, as the session that asks names them."""
    is_fork = bool(effect.source) and effect.source != session
    if is_fork:
        present = yield from _elsewhere(effect.source)
    else:
        present = _Present(LineFold(effect.line), segments_of(effect.line, effect.through))
    block = effect.block or present.fold.line.leaf
    if is_fork and effect.block:
        block = block_seen_from(block, effect.source)
    place = _place(session, block, effect)
    sealed = yield from block_at(place.session, place.version)
    if sealed is None:
        raise _Missing(_nothing_at(effect))
    here = HERE if place.session == session else place.session
    block = block_id(place.version, here)
    # Whoever forks without a block goes on from the present, which is known.
    is_now = is_fork and not effect.block
    then = present.fold if is_now else (yield from line_at(place.session, place.version))
    sealed_on = segments_of(then.line, place.version)
    sealed_on = seen_from(sealed_on, here) if here else sealed_on
    whole = present.segments
    if effect.block and not is_on(whole, block):
        whole = sealed_on
    # Whoever names no block wants all there is, also where a summary is all.
    until = whole
    if effect.block:
        is_other = yield from _ends_what_was_kept(session, behind(whole, block))
        until = up_to(sealed_on if is_other else whole, block)
    return BranchFound(
        effect.question,
        _named(sealed, here),
        (yield from _line(session, until, effect.through)),
        (yield from _line(session, before(whole, block), effect.through)),
        () if is_fork else behind(present.segments, block),
        then.model,
        then.effort,
    )


def _ends_what_was_kept(session: SessionId, after: tuple[Segment, ...]) -> Looking[bool]:
    """Whether what stands behind a block begins with the notice of an edit that kept the rest."""
    following = yield from first_of(session, after)
    if following is None or not isinstance(following.event, BlockSealed):
        return False
    parent = yield from block_at(following.session, following.version - 1)
    if parent is None or not isinstance(parent.event, BlockSealed):
        return False
    return ends_an_edit(following.event, parent.event)


def _elsewhere(source: SessionId) -> Looking[_Present]:
    """The line of another session, as it is now and as others name it."""
    head = yield from head_of(source)
    if not head:
        raise _Missing(f"there is no session {source!r}; the view `sessions` names those there are")
    fold = yield from line_at(source, head)
    if not fold.line.leaf:
        raise _Missing(f"nothing was said in {source} yet, so nothing can go on from there")
    line = replace(fold.line, leaf=block_seen_from(fold.line.leaf, source))
    segments = seen_from(segments_of(fold.line, head), source)
    return _Present(replace(fold, line=line), segments)


def _place(session: SessionId, block: BlockId, effect: FindBranch) -> _Place:
    """Where a block must be, if it is anywhere."""
    elsewhere, version = block_place(block)
    if not block:
        raise _Missing("nothing was said yet, so there is nothing to go on from")
    if not version:
        what = f"{block[:80]!r} is no block: they are named like b17"
        raise _Missing(f"{what}, and the view `conversation` names them")
    if (elsewhere or session) == session and version > effect.through:
        raise _Missing(_nothing_at(effect))
    return _Place(elsewhere or session, version)


def _line(session: SessionId, segments: tuple[Segment, ...], through: int) -> Looking[Line]:
    """A line of these ranges, to which the asking session adds what it says from now on."""
    leaf = yield from last_of(session, segments)
    prompt = yield from last_of(session, segments, Role.USER)
    return Line(segments, through + 1, _seen(leaf, session), _seen(prompt, session))


def _seen(found: Envelope | None, session: SessionId) -> BlockId:
    if found is None:
        return BlockId("")
    return block_id(found.version, HERE if found.session == session else found.session)


def _named(sealed: Envelope, here: SessionId) -> BlockSealed:
    event = sealed.event
    if not isinstance(event, BlockSealed):
        raise TypeError(f"a {type(event).__name__} is no block")
    if not here:
        return event
    parent = block_seen_from(event.parent, here) if event.parent else event.parent
    return replace(event, block=block_seen_from(event.block, here), parent=parent)


def _nothing_at(effect: FindBranch) -> str:
    where = effect.source or "this session"
    return (
        f"there is no block {effect.block!r} in {where}: the view `conversation` names those of the"
        " present branch, the view `branches` the ends of the others"
    )
