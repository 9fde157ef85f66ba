"""What people and agents said in a session: a window of the newest blocks of the present branch.

The same function makes it from pages of the log and carries it on event by event, and `hear` adds
what is being written; so a client that folds what it gets sees what it would load. What comes
twice, late, or only in part does no harm: the next sealed block says what is true.
"""

import math
from collections.abc import Iterable
from itertools import takewhile
from typing import Final

from msgspec.structs import replace

from hearth.core.rules.lines import covers, segments_of
from hearth.core.views.conversation_rows import (
    HERE,
    MOST_COMPACTIONS,
    Compaction,
    Row,
    Started,
    calls_of,
    compaction_of,
    compactions_of,
    row_of,
    started_of,
)
from hearth.core.views.open_blocks import OpenBlock, heard, without_first, without_step
from hearth.core.views.talk import WORDS, Talk, step_of, talk_on
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, ToolResultBlock
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import (
    BlockId,
    CallId,
    SessionId,
    block_id,
    block_place,
)
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.progress import (
    OutputChunk,
    OutputCleared,
    Progress,
    TextDelta,
    ThinkingDelta,
    ToolCallForming,
    ToolOutput,
)
from hearth.core.vocabulary.wire import Part

WINDOW: Final = 200
ENDLESS: Final = 10**17
"""A version that no session reaches."""
MOST_OUTPUT: Final = 64 * 1024
"""Characters of a running tool's output that are kept, the newest."""


class LiveOutput(Part, frozen=True):
    """What a running tool has written so far, the end of it if it is much."""

    call: CallId
    text: str


class Conversation(Part, frozen=True):
    """How a conversation looks now."""

    now: Talk = Talk()
    rows: tuple[Row, ...] = ()
    """The newest blocks of the branch, oldest first."""
    older: bool = False
    """Whether the branch has blocks before these."""
    cut: bool = False
    """The branch that was switched to has blocks that are not here: ask for the view again."""
    calls: tuple[Started, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    open: tuple[OpenBlock, ...] = ()
    """What is being written."""
    outputs: tuple[LiveOutput, ...] = ()
    version: int = 0
    """Of the newest event that these rows know."""


def conversation(
    envelopes: Iterable[Envelope], now: Talk | None = None, window: float = WINDOW
) -> Conversation:
    """The conversation of a run of events, in a session that stands as `now` says."""
    view = Conversation()
    for envelope in envelopes:
        view = carry_on(view, envelope, window)
    return view if now is None else replace(view, now=now)


def carry_on(view: Conversation, envelope: Envelope, window: float = WINDOW) -> Conversation:
    """The conversation with one more event; one that it knows already changes nothing.

    An event that waits to be saved (`seq` 0) is only for clients that know the version before it.
    Whoever still reads what was stored hears of it too early; it comes again once it is saved.
    """
    event = envelope.event
    if type(event) not in WORDS:
        return view
    if envelope.version <= view.version:
        return _placed(view, envelope)
    before = view.now.shown
    now = talk_on(view.now, envelope.version, envelope)
    view = replace(view, now=now, version=envelope.version)
    match event:
        case t.BlockSealed():
            return _sealed(view, row_of(envelope, event), window)
        case t.ToolStarted():
            return replace(view, calls=(*view.calls, started_of(envelope, event)))
        case t.RetryScheduled() | t.StepFinished():
            return replace(view, open=without_step(view.open, event.turn, event.step))
        case t.TurnFinished():
            return replace(view, open=(), outputs=())
        case t.CompactionStarted():
            # What an attempt wrote that became too long is asked for anew behind the summary.
            return replace(view, open=())
        case t.ConversationCompacted():
            made = (*view.compactions, compaction_of(envelope, event))[-MOST_COMPACTIONS:]
            return replace(view, compactions=made)
        case t.BranchSwitched() | t.ConversationForked():
            return _on_line(_left(view, before, event.line), view.now.shown)
        case _:
            return view


def hear(view: Conversation, progress: Progress) -> Conversation:
    """The conversation with what is going on right now. What comes too late changes nothing."""
    match progress:
        case TextDelta() | ThinkingDelta() | ToolCallForming():
            if step_of(progress.turn, progress.step) <= view.now.finished:
                return view
            return replace(view, open=heard(view.open, progress))
        case ToolOutput(call=call, text=text):
            return _with_output(view, call, text)
        case OutputChunk(cell=cell, text=text):
            runs = next((one.call for one in view.calls if one.cell == cell), None)
            return view if runs is None else _with_output(view, runs, text)
        case OutputCleared(cell=cell):
            gone = {one.call for one in view.calls if one.cell == cell}
            left = tuple(one for one in view.outputs if one.call not in gone)
            return replace(view, outputs=left)
        case _:
            return view


def with_older(
    view: Conversation, envelopes: Iterable[Envelope], source: SessionId = HERE
) -> Conversation:
    """The conversation with blocks before those it has; `source`: the session they are of."""
    known = {row.block for row in view.rows}
    found = [
        row_of(one, one.event, source) for one in envelopes if isinstance(one.event, t.BlockSealed)
    ]
    older = tuple(row for row in found if row.block not in known)
    return replace(view, rows=(*older, *view.rows))


def _sealed(view: Conversation, row: Row, window: float) -> Conversation:
    if row.role is Role.ASSISTANT:
        view = replace(view, open=without_first(view.open, row.turn, row.step))
    if isinstance(row.content, ToolResultBlock):
        ended = row.content.call
        left = tuple(one for one in view.outputs if one.call != ended)
        view = replace(view, outputs=left)
    rows = (*view.rows, row)
    if row.replaces is not None:
        # Of an edit that keeps what stands behind it, the new block has its place in the middle.
        view = _on_line(replace(view, rows=rows), view.now.shown)
        rows = view.rows
    most = len(rows) if window <= 0 or not math.isfinite(window) else int(window)
    if len(rows) <= most:
        return replace(view, rows=rows)
    rows = rows[-most:]
    return replace(
        view,
        rows=rows,
        older=True,
        calls=calls_of(view.calls, rows),
        compactions=compactions_of(view.compactions, rows),
    )


def _placed(view: Conversation, envelope: Envelope) -> Conversation:
    """Of a block that waited to be saved, the place that it has got in the log."""
    if not envelope.seq or not isinstance(envelope.event, t.BlockSealed):
        return view
    rows = tuple(
        replace(row, seq=envelope.seq) if _waits(row) and row.version == envelope.version else row
        for row in view.rows
    )
    return view if rows == view.rows else replace(view, rows=rows)


def _waits(row: Row) -> bool:
    return not row.seq and not block_place(row.block)[0]


def _left(view: Conversation, before: Line, line: Line) -> Conversation:
    """The view when the line it showed is left for one that may have blocks which that had not."""
    known = segments_of(before, view.version)
    sealed = (one for one in line.segments if one.session or one.first <= view.version)
    return replace(view, cut=view.cut or not all(covers(known, one) for one in sealed))


def _on_line(view: Conversation, line: Line) -> Conversation:
    """What is known here of the line that the conversation goes on with."""
    segments = segments_of(line, ENDLESS)
    placed = [(place, row) for row in view.rows if (place := _place(segments, row.block))]
    # A model reads a summary of the first ones; people still see them.
    rows = _summarised(view, segments)
    rows += tuple(row for _, row in sorted(placed, key=_by_place))
    compactions = tuple(
        one
        for one in view.compactions
        if _place(segments, one.block) or _is_earlier(segments, one.version)
    )
    return replace(
        view,
        rows=rows,
        cut=view.cut or _lacks(view, rows, line.leaf),
        calls=calls_of(view.calls, rows),
        compactions=compactions,
        open=(),
        outputs=(),
    )


def _lacks(view: Conversation, rows: tuple[Row, ...], leaf: BlockId) -> bool:
    """Whether blocks of a line are not here, by its newest one."""
    session, version = block_place(leaf)
    # That of an edit is named before it is sealed.
    is_sealed = bool(session) or 0 < version <= view.version
    return is_sealed and (not rows or rows[-1].block != leaf)


def _place(segments: tuple[Segment, ...], block: BlockId) -> tuple[int, int] | None:
    """Where on a line a block stands."""
    session, version = block_place(block)
    for number, one in enumerate(segments):
        if one.session == session and one.first <= version <= one.last:
            return (number, version)
    return None


def _by_place(placed: tuple[tuple[int, int], Row]) -> tuple[int, int]:
    return placed[0]


def _summarised(view: Conversation, segments: tuple[Segment, ...]) -> tuple[Row, ...]:
    """The rows that stand before what a line keeps, if it begins with a summary of them."""
    begins = block_id(segments[0].first, segments[0].session)
    made = next((one for one in view.compactions if one.block == begins), None)
    if made is None:
        return ()

    def is_before(row: Row) -> bool:
        is_kept = row.block == made.keeps or _place(segments, row.block) is not None
        return not is_kept and not _is_behind(row, made)

    return tuple(takewhile(is_before, view.rows))


def _is_behind(row: Row, made: Compaction) -> bool:
    """Whether a row came after a summary: what a conversation was forked from came before it."""
    session, summarised = block_place(row.block)[0], block_place(made.block)[0]
    return row.version > made.version if session == summarised else not session


def _is_earlier(segments: tuple[Segment, ...], version: int) -> bool:
    """Whether a summary was itself summarised by the one that a line begins with."""
    return len(segments) > 1 and not segments[0].session and version < segments[0].first


def _with_output(view: Conversation, call: CallId, text: str) -> Conversation:
    if any(_has_result(row, call) for row in view.rows):
        return view  # the result says it all
    known = next((one.text for one in view.outputs if one.call == call), "")
    others = tuple(one for one in view.outputs if one.call != call)
    return replace(view, outputs=(*others, LiveOutput(call, (known + text)[-MOST_OUTPUT:])))


def _has_result(row: Row, call: CallId) -> bool:
    said = row.content
    # Calls of the session that it was forked from may have the same names.
    return isinstance(said, ToolResultBlock) and said.call == call and not block_place(row.block)[0]
