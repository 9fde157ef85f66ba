"""The line of a conversation: which blocks lead to its newest one, as ranges of the log.

A line never names single blocks, so it costs the same however long the conversation is.
"""

from msgspec.structs import replace

from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import BlockId, SessionId, block_id, block_place
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.wire import Part


class LineFold(Part, frozen=True):
    """A line, and the model that was set on it."""

    line: Line = Line()
    model: str = ""
    effort: Effort | None = None


def carry_on(fold: LineFold, event: Event) -> LineFold:
    """The line after one more event of its session."""
    match event:
        case t.BlockSealed():
            if block_place(event.block)[1] < fold.line.since:
                return fold  # the line has its place for it already
            prompt = event.block if event.role is Role.USER else fold.line.prompt
            return replace(fold, line=replace(fold.line, leaf=event.block, prompt=prompt))
        case t.BranchSwitched() | t.ConversationForked():
            return LineFold(event.line, event.model, event.effort)
        case t.ConversationCompacted():
            return replace(fold, line=event.line)
        case t.ModelChanged():
            model = event.model or fold.model
            return replace(fold, model=model, effort=event.effort or fold.effort)
        case _:
            return fold


def segments_of(line: Line, through: int) -> tuple[Segment, ...]:
    """All of a line up to a version of its own session, as closed ranges."""
    if through < line.since:
        return line.segments
    last = line.segments[-1] if line.segments else None
    if last is not None and not last.session and last.last + 1 == line.since:
        return (*line.segments[:-1], Segment(last.first, through))
    return (*line.segments, Segment(line.since, through))


def is_on(segments: tuple[Segment, ...], block: BlockId) -> bool:
    """Whether a line has this block, if it is a block at all."""
    return _index(segments, *block_place(block)) is not None


def covers(known: tuple[Segment, ...], wanted: Segment) -> bool:
    """Whether everything of a range is on these, in whatever order they are."""
    needed = wanted.first
    for one in sorted(known, key=_first):
        if one.session == wanted.session and one.first <= needed <= one.last:
            needed = one.last + 1
    return needed > wanted.last


def before(segments: tuple[Segment, ...], block: BlockId) -> tuple[Segment, ...]:
    """What stands before a block of a line; all of it if it is not on it."""
    session, version = block_place(block)
    found = _index(segments, session, version)
    if found is None:
        return segments
    cut = segments[found]
    head = () if version == cut.first else (Segment(cut.first, version - 1, session),)
    return (*segments[:found], *head)


def behind(segments: tuple[Segment, ...], block: BlockId) -> tuple[Segment, ...]:
    """What stands behind a block of a line; nothing if it is not on it."""
    session, version = block_place(block)
    found = _index(segments, session, version)
    if found is None:
        return ()
    cut = segments[found]
    tail = () if version == cut.last else (Segment(version + 1, cut.last, session),)
    return (*tail, *segments[found + 1 :])


def up_to(segments: tuple[Segment, ...], block: BlockId) -> tuple[Segment, ...]:
    """A line that ends with this block of it."""
    session, version = block_place(block)
    if not is_on(segments, block):
        return segments
    return (*before(segments, block), Segment(version, version, session))


def kept(line: Line, keeps: BlockId, summary: int, through: int) -> Line:
    """The line in which a summary (its version) stands in the place of all before `keeps`."""
    whole = segments_of(line, through)
    rest: tuple[Segment, ...] = ()
    if is_on(whole, keeps):
        session, version = block_place(keeps)
        rest = (Segment(version, version, session), *behind(whole, keeps))
    joined = _joined((Segment(summary, summary), *rest))
    return replace(line, segments=joined, since=summary + 1)


def seen_from(line: tuple[Segment, ...], session: SessionId) -> tuple[Segment, ...]:
    """The ranges of one session's line as another session names them."""
    return tuple(replace(one, session=one.session or session) for one in line)


def block_seen_from(block: BlockId, session: SessionId) -> BlockId:
    """The id of one session's block as another session names it."""
    own, version = block_place(block)
    return block_id(version, own or session) if version else block


def _first(segment: Segment) -> int:
    return segment.first


def _index(segments: tuple[Segment, ...], session: SessionId, version: int) -> int | None:
    for place, one in enumerate(segments):
        if one.session == session and one.first <= version <= one.last:
            return place
    return None


def _joined(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """The same with neighbouring ranges as one."""
    joined: list[Segment] = []
    for one in segments:
        last = joined[-1] if joined else None
        if last is not None and last.session == one.session and last.last + 1 == one.first:
            joined[-1] = Segment(last.first, one.last, one.session)
        else:
            joined.append(one)
    return tuple(joined)
