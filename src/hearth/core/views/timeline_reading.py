"""Finds in the log what stands in a part of a timeline: the newest items, or those around a place.

Nothing here reads: each function is a generator that yields the page it wants to see next, is sent
its rows, and returns what it found. Its cost does not grow with the history.
"""

from collections.abc import Generator, Sequence
from typing import Final, NamedTuple, TypeAlias

from hearth.core.rules.lines import segments_of
from hearth.core.views.conversation_rows import HERE
from hearth.core.views.looking_back import Page
from hearth.core.views.talk import Talk
from hearth.core.views.timeline import Timeline
from hearth.core.views.timeline_cells import is_open, shown_in
from hearth.core.views.timeline_items import Placed
from hearth.core.views.timeline_shelf import ENDLESS, Order
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.lines import Segment

PAGE: Final = 300
MOST_PAGES: Final = 12
"""So many are read for one part; then it is as long as it is."""
SLACK: Final = 40
"""So many items more are read than are wanted: the first of them may begin before what was read."""

Reading: TypeAlias = Generator[Page, Sequence[Stored], "Part"]


class Part(NamedTuple):
    """Items that follow each other, oldest first."""

    items: tuple[Placed, ...]
    older: bool
    """Whether there are some before them."""
    newer: bool = False
    """Whether there are some behind them."""


def newest(
    session: SessionId, talk: Talk, through: int, most: int
) -> Generator[Page, Sequence[Stored], tuple[Timeline, bool]]:
    """A timeline that ends with this version and can be carried on; and whether there is more."""
    rows: list[Envelope] = []
    first, pages = through, 0
    timeline = Timeline(talk, version=first)
    while first > 0 and pages < MOST_PAGES and len(timeline) < most + SLACK:
        begin = max(0, first - PAGE)
        rows[:0] = _read((yield Page(session, begin, first - begin)), through)
        first, pages = begin, pages + 1
        timeline = _folded(Timeline(talk, version=first), rows)
    is_more = first > 0 or len(timeline) > most or _is_forked(talk)
    timeline.version = rows[-1].version if rows else 0
    timeline.is_cut = False  # that was then
    timeline.trim(most)
    timeline.ask()
    timeline.drain()
    return timeline, is_more


def before(session: SessionId, talk: Talk, place: Order, through: int, most: int) -> Reading:
    """The items before a place, in a session whose newest event has the version `through`."""
    segments = segments_of(talk.shown, ENDLESS)
    number, version = min(place[0], len(segments) - 1), min(place[1], through + 1)
    kept: list[Placed] = []
    while number >= 0 and len(kept) < most:
        one = segments[number]
        least = 1 if not one.session and _is_first(segments, number) else one.first
        found, begin = yield from _back(session, talk, one, least, version, most - len(kept))
        kept[:0] = [item for item in found if item.order < place]
        if begin > least:
            return Part(tuple(kept[-most:]), older=True, newer=True)
        number -= 1
        version = segments[number].last + 1 if number >= 0 else 0
    return Part(tuple(kept[-most:]), older=len(kept) > most or number >= 0, newer=True)


def after(session: SessionId, talk: Talk, place: Order, through: int, most: int) -> Reading:
    """The items behind a place, up to a version."""
    segments = segments_of(talk.shown, through)
    found: list[Placed] = []
    number, version = place[0], place[1]
    while number < len(segments) and len(found) <= most:
        one = segments[number]
        last = through if not one.session and number == len(segments) - 1 else one.last
        found += yield from _on(session, talk, one, version, last, most + 1 - len(found))
        number += 1
        version = segments[number].first - 1 if number < len(segments) else 0
    items = [item for item in found if item.order > place]
    is_more = len(items) > most
    return Part(tuple(items[:most]), older=True, newer=is_more)


def _back(  # noqa: PLR0913, PLR0917 - where, and how much
    session: SessionId, talk: Talk, segment: Segment, least: int, version: int, most: int
) -> Generator[Page, Sequence[Stored], tuple[list[Placed], int]]:
    """The items of one segment before a version, and from where on was read."""
    source = segment.session or session
    rows: list[Envelope] = []
    end = begin = version - 1
    timeline, pages = Timeline(talk, source=segment.session, version=begin), 0
    while begin >= least and pages < MOST_PAGES and len(timeline) < most + SLACK:
        start = max(least - 1, begin - PAGE)
        rows[:0] = _read((yield Page(source, start, begin - start)), end)
        begin, pages = start, pages + 1
        timeline = _folded(Timeline(talk, source=segment.session, version=begin), rows)
    timeline = yield from _finished(timeline, source, end)
    found = [one for one in timeline.placed() if one.order[1] <= end]
    return found, begin + 1


def _on(  # noqa: PLR0913, PLR0917 - where, and how much
    session: SessionId, talk: Talk, segment: Segment, version: int, last: int, most: int
) -> Generator[Page, Sequence[Stored], list[Placed]]:
    """The items of one segment behind a version."""
    source = segment.session or session
    # Some of before, because what came of them may stand behind it.
    begin = max(0, version - PAGE)
    timeline, pages = Timeline(talk, source=segment.session, version=begin), 0
    while begin < last and pages < MOST_PAGES and _behind(timeline, version) < most:
        wanted = min(PAGE, last - begin)
        timeline = _folded(timeline, _read((yield Page(source, begin, wanted)), last))
        begin, pages = begin + wanted, pages + 1
    timeline = yield from _finished(timeline, source, begin)
    return [one for one in timeline.placed() if version < one.order[1] <= begin]


def _behind(timeline: Timeline, version: int) -> int:
    return sum(one.order[1] > version for one in timeline.placed())


def _finished(
    timeline: Timeline, source: SessionId, end: int
) -> Generator[Page, Sequence[Stored], Timeline]:
    """With what came later of cells and calls that are open at its end, or soon taken back."""
    pages = 0
    while _is_unsettled(timeline, pages):
        rows = yield Page(source, end, PAGE)
        if not rows:
            break
        timeline = _folded(timeline, _read(rows, ENDLESS))
        end, pages = rows[-1].version, pages + 1
    return timeline


def _is_unsettled(timeline: Timeline, pages: int) -> bool:
    if pages == 0 and any(shown_in(one.item) is not None for one in timeline.placed()):
        return True  # what takes cells back mostly stands close behind them
    return pages < MOST_PAGES and any(is_open(one.item) for one in timeline.placed())


def _read(rows: Sequence[Stored], through: int) -> list[Envelope]:
    made = []
    for row in rows:
        if row.version <= through:
            try:
                made.append(envelope(row))
            except Unreadable:
                continue  # one bad row must not hide the others; the engine tells of it
    return made


def _folded(timeline: Timeline, rows: Sequence[Envelope]) -> Timeline:
    talk = timeline.talk
    for row in rows:
        timeline.take(row)
        timeline.talk = talk  # how it stands now, not how it stood then
    return timeline


def _is_first(segments: tuple[Segment, ...], number: int) -> bool:
    """Whether no earlier segment is of the session itself."""
    return all(one.session for one in segments[:number])


def _is_forked(talk: Talk) -> bool:
    return any(one.session != HERE for one in talk.shown.segments)
