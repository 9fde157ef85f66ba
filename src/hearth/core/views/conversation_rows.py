"""The rows of a conversation: what is shown of its blocks, of calls that run and of summaries."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from hearth.core.rules.lines import block_seen_from
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Block, Role, ToolCallBlock
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, SessionId, TurnId, block_place
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.wire import Part

HERE: Final = SessionId("")
"""The session itself, rather than one that it was forked from."""
MOST_COMPACTIONS: Final = 20
"""So many summaries are shown, the newest."""


class Row(Part, frozen=True, kw_only=True):
    """One sealed block."""

    block: BlockId
    """What it is known by; `b17@session-x` if it is another session's."""
    version: int
    seq: int
    """The cursor from which older ones are asked for; 0 while it waits to be saved."""
    at: datetime
    author: Origin
    turn: TurnId
    step: int
    role: Role
    content: Block
    parent: BlockId = BlockId("")
    replaces: BlockId | None = None
    partial: bool = False


class Started(Part, frozen=True, kw_only=True):
    """A tool call that was begun."""

    call: CallId
    turn: TurnId
    step: int
    name: str
    at: datetime
    cell: CellId | None = None
    """The cell that is run for it: its outputs are in the transcript."""
    shares: CallId | None = None


class Compaction(Part, frozen=True, kw_only=True):
    """Here a summary took the place of what stands before, for the model."""

    block: BlockId
    version: int
    at: datetime
    keeps: BlockId
    summary: Text
    files: tuple[str, ...] = ()
    tokens_before: int = 0


def row_of(envelope: Envelope, event: t.BlockSealed, source: SessionId = HERE) -> Row:
    """The row of a block; of another session's, as it is named from here."""
    block, parent = event.block, event.parent
    if source:
        block = block_seen_from(block, source)
        parent = block_seen_from(parent, source) if parent else parent
    return Row(
        block=block,
        version=envelope.version,
        seq=envelope.seq,
        at=envelope.at,
        author=envelope.origin,
        turn=event.turn,
        step=event.step,
        role=event.role,
        content=event.content,
        parent=parent,
        replaces=event.replaces,
        partial=event.partial,
    )


def compaction_of(
    envelope: Envelope, event: t.ConversationCompacted, source: SessionId = HERE
) -> Compaction:
    """What is shown of a summary."""
    return Compaction(
        block=block_seen_from(event.block, source) if source else event.block,
        version=envelope.version,
        at=envelope.at,
        keeps=event.keeps,
        summary=event.summary,
        files=event.files,
        tokens_before=event.tokens_before,
    )


def started_of(envelope: Envelope, event: t.ToolStarted) -> Started:
    """What is shown of a call that was begun."""
    return Started(
        call=event.call,
        turn=event.turn,
        step=event.step,
        name=event.name,
        at=envelope.at,
        cell=event.cell,
        shares=event.shares,
    )


def calls_of(calls: Iterable[Started], rows: Iterable[Row]) -> tuple[Started, ...]:
    """The calls that are made in these rows.

    Not those of which only the result is here: whoever reads from the newest block back does not
    get as far as their beginning.
    """
    made = {
        row.content.call
        for row in rows
        if isinstance(row.content, ToolCallBlock) and not block_place(row.block)[0]
    }
    return tuple(one for one in calls if one.call in made)


def compactions_of(
    compactions: Iterable[Compaction], rows: Sequence[Row]
) -> tuple[Compaction, ...]:
    """The summaries that were made since the first of these rows."""
    return tuple(one for one in compactions if not rows or one.at >= rows[0].at)
