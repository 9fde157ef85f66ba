"""The branches of a conversation: the blocks that nothing follows, with how each begins."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from hearth.core.rules.lines import LineFold, before, carry_on, segments_of, up_to
from hearth.core.views.talk import preview_of
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    ErrorBlock,
    NoticeBlock,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import BlockId, SessionId, TurnId, block_place
from hearth.core.vocabulary.lines import Line, Segment
from hearth.core.vocabulary.origin import Actor
from hearth.core.vocabulary.wire import Part

MOST_BRANCHES: Final = 100
"""Those that went on most recently are shown."""


class Branch(Part, frozen=True, kw_only=True):
    """A way through the conversation, named by its last block."""

    leaf: BlockId
    turn: TurnId
    at: datetime
    preview: str
    """How the newest message of a person on it begins; without one, how its first block does."""
    role: Role
    model: str
    """That wrote on it last; empty if none did."""
    blocks: int
    """How many are on its line, as far as they are of this session."""
    parts_at: BlockId = BlockId("")
    """The block at which it leaves the present one; empty for the present one itself."""
    current: bool = False


class Branches(Part, frozen=True):
    """All branches, the present one first, then the most recent first."""

    rows: tuple[Branch, ...] = ()
    total: int = 0
    source: SessionId = SessionId("")
    """The session that the conversation was forked from."""


class _Node(Part, frozen=True):
    """A block, and the line that it was sealed on, which ends with it."""

    turn: TurnId
    at: datetime
    role: Role
    parent: BlockId
    line: Line
    model: str
    """That wrote it; empty if none did."""
    preview: str
    """Of messages, and of blocks that nothing is known to stand before."""


class Tree:
    """Gathers a conversation in the order of the log, and tells its branches at any time.

    What a branch consists of is what its line says: an edit that keeps the rest puts the blocks of
    one branch on another, where parents lead past them.
    """

    words: Final = (
        t.BlockSealed,
        t.BranchSwitched,
        t.ConversationForked,
        t.ConversationCompacted,
    )
    """The events that it is made of; others change nothing."""

    def __init__(self) -> None:
        self._nodes: dict[BlockId, _Node] = {}
        self._blocks: list[BlockId] = []
        """All of them, in order."""
        self._earlier: list[int] = []
        """For each version up to that of the newest block, how many blocks are before it."""
        self._inner: set[BlockId] = set()
        self._source = SessionId("")
        self._fold = LineFold()
        self._summed_up: dict[int, tuple[Segment, ...]] = {}
        """What each summary, by its version, stands in the place of."""

    def take(self, envelope: Envelope) -> None:
        """Take the next event of the session."""
        event, before_it = envelope.event, self._fold.line
        self._fold = carry_on(self._fold, event)
        match event:
            case t.ConversationForked():
                self._source = event.source
            case t.ConversationCompacted():
                whole = segments_of(before_it, envelope.version - 1)
                self._summed_up[envelope.version] = before(whole, event.keeps)
            case t.BlockSealed():
                self._seal(envelope, event)
            case _:
                pass

    def _seal(self, envelope: Envelope, event: t.BlockSealed) -> None:
        is_named = event.role is Role.USER or event.parent not in self._nodes
        line = self._fold.line
        if line.leaf != event.block:  # an edit, which has its place in the middle
            line = replace(line, segments=up_to(line.segments, event.block), leaf=event.block)
        self._inner.add(event.parent)
        self._earlier += [len(self._blocks)] * (envelope.version + 1 - len(self._earlier))
        self._blocks.append(event.block)
        self._nodes[event.block] = _Node(
            turn=event.turn,
            at=envelope.at,
            role=event.role,
            parent=event.parent,
            line=line,
            model=envelope.origin.name if envelope.origin.actor is Actor.AGENT else "",
            preview=preview_of(_text(event)) if is_named else "",
        )

    def branches(self, present: Line, most: int = MOST_BRANCHES) -> Branches:
        """The branches of a conversation that goes on from `present`."""
        ends = [block for block in self._nodes if block not in self._inner]
        if present.leaf in self._inner and present.leaf in self._nodes:
            ends.append(present.leaf)  # someone went back to it
        ends.sort(key=self._recent_first)
        ends.sort(key=present.leaf.__ne__)
        here = self._path(present)
        rows = tuple(
            replace(self._branch(end, here), current=True)
            if end == present.leaf
            else self._parted(end, here)
            for end in ends[:most]
        )
        return Branches(rows, len(ends), self._source)

    def _recent_first(self, end: BlockId) -> float:
        return -self._nodes[end].at.timestamp()

    def _parted(self, end: BlockId, present: list[BlockId]) -> Branch:
        path = self._path(self._nodes[end].line)
        # What stands before the first one is of the session that this one was forked from.
        parts_at = self._nodes[path[0]].parent if path else BlockId("")
        for ours, theirs in zip(path, present, strict=False):
            if ours != theirs:
                break
            parts_at = ours
        return replace(self._branch(end, path), parts_at=parts_at)

    def _branch(self, end: BlockId, path: list[BlockId]) -> Branch:
        node, known = self._nodes[end], [self._nodes[block] for block in reversed(path)]
        prompts = (one.preview for one in known if one.role is Role.USER and one.preview)
        return Branch(
            leaf=end,
            turn=node.turn,
            at=node.at,
            preview=next(prompts, known[-1].preview if known else ""),
            role=node.role,
            model=next((one.model for one in known if one.model), ""),
            blocks=len(path),
        )

    def _path(self, line: Line) -> list[BlockId]:
        """The blocks of this session on a line, also those that a summary stands for."""
        session, version = block_place(line.leaf)
        segments = segments_of(line, 0 if session else version)
        seen: set[int] = set()
        while segments and not segments[0].session and segments[0].first not in seen:
            seen.add(segments[0].first)  # a log that was tampered with may have circles
            segments = (*self._summed_up.get(segments[0].first, ()), *segments)
        path: list[BlockId] = []
        for one in segments:
            if not one.session:
                path += self._blocks[self._before(one.first) : self._before(one.last + 1)]
        return path

    def _before(self, version: int) -> int:
        """How many blocks are before a version."""
        return self._earlier[version] if version < len(self._earlier) else len(self._blocks)


def branches(envelopes: Iterable[Envelope], present: Line) -> Branches:
    """The branches of a run of events, in a conversation that goes on from `present`."""
    tree = Tree()
    for envelope in envelopes:
        tree.take(envelope)
    return tree.branches(present)


def _text(event: t.BlockSealed) -> Text:
    match event.content:
        case TextBlock(text=text) | ThinkingBlock(text=text) | NoticeBlock(text=text):
            return text
        case ToolCallBlock(name=name):
            return name
        case ToolResultBlock(result=result):
            return result
        case ErrorBlock(message=message):
            return message
