"""The branches of a conversation: the blocks that nothing follows, with how each begins."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec.structs import replace

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
from hearth.core.vocabulary.ids import BlockId, SessionId, TurnId
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
    """How many there are from the root to its leaf, as far as they are of this session."""
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
    """What is known at one block of all that leads to it."""

    branch: Branch
    parent: BlockId


class Tree:
    """Gathers blocks in the order of the log, and tells the branches at any time."""

    def __init__(self) -> None:
        self._nodes: dict[BlockId, _Node] = {}
        self._inner: set[BlockId] = set()
        self._source = SessionId("")

    def take(self, envelope: Envelope) -> None:
        """Take the next event of the session."""
        event = envelope.event
        if isinstance(event, t.ConversationForked):
            self._source = event.source
        if not isinstance(event, t.BlockSealed):
            return
        before = self._nodes.get(event.parent)
        known = before.branch if before is not None else None
        # Most blocks stand behind a message, whose beginning is known by now.
        begins = known.preview if known is not None and event.role is not Role.USER else ""
        model = envelope.origin.name if envelope.origin.actor is Actor.AGENT else ""
        self._inner.add(event.parent)
        self._nodes[event.block] = _Node(
            Branch(
                leaf=event.block,
                turn=event.turn,
                at=envelope.at,
                preview=begins or preview_of(_text(event)),
                role=event.role,
                model=model or (known.model if known else ""),
                blocks=1 + (known.blocks if known else 0),
            ),
            event.parent,
        )

    def branches(self, leaf: BlockId, most: int = MOST_BRANCHES) -> Branches:
        """The branches of a conversation whose newest block is `leaf`."""
        present = self._path(leaf)
        found = [node.branch for block, node in self._nodes.items() if block not in self._inner]
        if leaf in self._inner and leaf in self._nodes:
            found.append(self._nodes[leaf].branch)  # someone went back to it
        rows = [
            replace(one, current=True)
            if one.leaf == leaf
            else replace(one, parts_at=self._parting(one.leaf, present))
            for one in sorted(found, key=_recent_first)
        ]
        rows.sort(key=_present_first)
        return Branches(tuple(rows[:most]), len(rows), self._source)

    def _path(self, leaf: BlockId) -> set[BlockId]:
        path: set[BlockId] = set()
        while leaf in self._nodes and leaf not in path:
            path.add(leaf)
            leaf = self._nodes[leaf].parent
        return path

    def _parting(self, block: BlockId, present: set[BlockId]) -> BlockId:
        seen: set[BlockId] = set()
        while block in self._nodes and block not in present and block not in seen:
            seen.add(block)  # a log that was tampered with may have circles
            block = self._nodes[block].parent
        return block


def branches(envelopes: Iterable[Envelope], leaf: BlockId) -> Branches:
    """The branches of a run of events."""
    tree = Tree()
    for envelope in envelopes:
        tree.take(envelope)
    return tree.branches(leaf)


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


def _recent_first(branch: Branch) -> float:
    return -branch.at.timestamp()


def _present_first(branch: Branch) -> bool:
    return not branch.current
