"""Finds in the log what a conversation consists of, from its newest block back.

Nothing here reads: each function is a generator that yields the page it wants to see next, is sent
its rows, and returns what it found. Whoever may wait drives it.
"""

from collections.abc import Generator, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from hearth.core.rules.lines import LineFold, before, carry_on, is_on, seen_from, segments_of
from hearth.core.views.conversation_rows import (
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
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.lines import Line, Segment

PAGE: Final = 500
MOST_PAGES: Final = 60
"""So many are looked at for a window of blocks; then it is as long as it is."""


class Page(NamedTuple):
    """The rows of a session with these versions: `limit` of them, after `after`."""

    session: SessionId
    after: int
    limit: int


_T = TypeVar("_T")
Looking: TypeAlias = Generator[Page, Sequence[Stored], _T]


class _Tag(msgspec.Struct, frozen=True):
    type: str = ""
    role: str = ""


class _Tagged(msgspec.Struct, frozen=True):
    event: _Tag


_tagged = msgspec.json.Decoder(_Tagged)


def _tag(word: msgspec.StructMeta) -> str:
    return str(word.__struct_config__.tag)


_BLOCK: Final = _tag(t.BlockSealed)
_BEGINS: Final = frozenset(map(_tag, (t.BranchSwitched, t.ConversationForked)))
_CHANGES: Final = frozenset(map(_tag, (t.ConversationCompacted, t.ModelChanged)))
_SHOWN: Final = frozenset({_BLOCK, *map(_tag, (t.ToolStarted, t.ConversationCompacted))})


class Found(NamedTuple):
    """The newest blocks of a line, oldest first, and what belongs to them."""

    rows: tuple[Row, ...]
    calls: tuple[Started, ...]
    compactions: tuple[Compaction, ...]
    older: bool


def newest(
    session: SessionId, shown: Line, through: int, window: int, most_pages: int = MOST_PAGES
) -> Looking[Found]:
    """The newest blocks of a session's line, as far back as `window` of them.

    Where the line begins with a summary, what was summarised stands before it.
    """
    gathered = _Gathered(session, most_pages)
    segments = segments_of(shown, through)
    while segments:
        for number in range(len(segments) - 1, -1, -1):
            yield from _gather(gathered, segments[number], window)
            if gathered.is_full(window):
                return gathered.found(window)
        segments = yield from _summarised(session, segments[0], gathered)
    return gathered.found(window)


def line_at(session: SessionId, version: int) -> Looking[LineFold]:
    """The line of a session as it was at this version, and the model that was set on it."""
    wanted: list[Envelope] = []
    block = prompt = False
    for page in _pages_back(session, 1, version):
        for row in reversed((yield page)):
            tag = tag_of(row)
            if tag.type in _BEGINS or tag.type in _CHANGES:
                wanted.append(envelope(row))
            elif tag.type == _BLOCK and (not block or (not prompt and tag.role == Role.USER)):
                block = True
                prompt = prompt or tag.role == Role.USER
                wanted.append(envelope(row))
            if tag.type in _BEGINS:
                return _folded(wanted)
    return _folded(wanted)


def head_of(session: SessionId) -> Looking[int]:
    """The version of the newest event of a session; 0 if there is none."""
    low, high = 0, 1
    while (yield Page(session, high - 1, 1)):
        low, high = high, high * 2
    while low + 1 < high:
        middle = (low + high) // 2
        if (yield Page(session, middle - 1, 1)):
            low = middle
        else:
            high = middle
    return low


def block_at(session: SessionId, version: int) -> Looking[Envelope | None]:
    """The event of this version, if it is a sealed block."""
    rows = yield Page(session, version - 1, 1)
    if not rows or rows[0].version != version or tag_of(rows[0]).type != _BLOCK:
        return None
    return envelope(rows[0])


def last_of(
    session: SessionId, segments: tuple[Segment, ...], role: Role | None = None
) -> Looking[Envelope | None]:
    """The newest block on these ranges, or the newest with this role."""
    for one in reversed(segments):
        for page in _pages_back(one.session or session, one.first, one.last):
            for row in reversed((yield page)):
                tag = tag_of(row)
                if tag.type == _BLOCK and (role is None or tag.role == role):
                    return envelope(row)
    return None


def first_of(session: SessionId, segments: tuple[Segment, ...]) -> Looking[Envelope | None]:
    """The oldest block on these ranges."""
    for one in segments:
        after = one.first - 1
        while after < one.last:
            limit = min(PAGE, one.last - after)
            rows = yield Page(one.session or session, after, limit)
            for row in rows:
                if tag_of(row).type == _BLOCK:
                    return envelope(row)
            after += limit
    return None


def tag_of(row: Stored) -> _Tag:
    """What kind of event a row is, without reading the rest of it. Unreadable."""
    try:
        return _tagged.decode(row.data).event
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


class _Gathered:
    """What was found so far, the newest first."""

    def __init__(self, session: SessionId, most_pages: int) -> None:
        self.session = session
        self._most_pages = most_pages
        self.rows: list[Row] = []
        self.calls: list[Started] = []
        self.compactions: list[Compaction] = []
        self.pages = 0
        self.oldest: tuple[SessionId, Envelope] | None = None
        """The summary that was met last, and whose it is."""

    def is_full(self, window: int) -> bool:
        """One more than is shown tells that there are older ones."""
        return len(self.rows) > window or self.pages >= self._most_pages

    def take(self, one: Envelope, source: SessionId) -> None:
        event = one.event
        match event:
            case t.BlockSealed():
                self.rows.append(row_of(one, event, source))
            case t.ConversationCompacted():
                self.compactions.append(compaction_of(one, event, source))
                self.oldest = (source, one)
            case t.ToolStarted() if not source:
                self.calls.append(started_of(one, event))
            case _:
                pass

    def found(self, window: int) -> Found:
        older = self.is_full(window)
        rows = tuple(reversed(self.rows[:window]))
        made = tuple(reversed(self.compactions[:MOST_COMPACTIONS]))
        return Found(
            rows,
            calls_of(reversed(self.calls), rows),
            compactions_of(made, rows) if older else made,
            older,
        )


def _pages_back(session: SessionId, first: int, last: int) -> Iterator[Page]:
    """The pages of a range of versions, the newest first."""
    while last >= first:
        begin = max(first, last - PAGE + 1)
        yield Page(session, begin - 1, last - begin + 1)
        last = begin - 1


def _folded(newest_first: list[Envelope]) -> LineFold:
    fold = LineFold()
    for one in reversed(newest_first):
        fold = carry_on(fold, one.event)
    return fold


def _gather(gathered: _Gathered, one: Segment, window: int) -> Looking[None]:
    for page in _pages_back(one.session or gathered.session, one.first, one.last):
        if gathered.is_full(window):
            return
        gathered.pages += 1
        for row in reversed((yield page)):
            if tag_of(row).type in _SHOWN:
                gathered.take(envelope(row), one.session)
            if gathered.is_full(window):
                return


def _summarised(
    session: SessionId, first: Segment, gathered: _Gathered
) -> Looking[tuple[Segment, ...]]:
    """What the summary stands for that a line begins with; nothing if it begins with none."""
    if gathered.oldest is None:
        return ()
    source, made = gathered.oldest
    event = made.event
    if (source, made.version) != (first.session, first.first):
        return ()
    if not isinstance(event, t.ConversationCompacted):
        return ()
    fold = yield from line_at(source or session, made.version - 1)
    segments = segments_of(fold.line, made.version - 1)
    if event.keeps and is_on(segments, event.keeps):
        segments = before(segments, event.keeps)
    return seen_from(segments, source) if source else segments
