"""What is taken and answered about agents, as far as the log knows it."""

from datetime import datetime
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from hearth.core.views.approvals import Pending
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.ids import ApprovalId, SessionId
from hearth.core.vocabulary.permitting import EXECUTE, EXTERNAL, READ, WRITE, Judged
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.core.vocabulary.wire import Part

Permission: TypeAlias = Literal["read", "write", "execute"]
LASTING: Final = (ApprovalAnswer.SESSION, ApprovalAnswer.ALWAYS)

_BY_TOOL: Final = {
    "read_file": READ,
    "list_files": READ,
    "grep": READ,
    "diagnostics": READ,
    "write_file": WRITE,
    "edit_file": WRITE,
}


class ApprovalShown(Part, frozen=True, kw_only=True, rename="camel"):
    """What an agent waits for a person to allow."""

    session: SessionId
    session_name: str
    root: str
    approval: ApprovalId
    permission: Permission
    """The gravest of what it needs: whatever neither reads nor writes files executes."""
    tool_name: str
    """Empty: it is about whether the agent may go on."""
    description: str
    """What it needs and why, in words."""
    details: Text
    """What with: the command, the code, or all arguments."""
    judged: tuple[Judged, ...]
    """Each thing that must be allowed, and what made it a question."""
    patterns: tuple[str, ...]
    """What an answer for longer than once would allow: it takes them word for word."""
    answers: tuple[ApprovalAnswer, ...]
    """What can be answered."""
    agent: str
    asked_at: datetime | None
    age: float
    """Seconds since then."""


class ApprovalsSeen(Part, frozen=True):
    """What waits for a person, the oldest first, with the cursor to follow from."""

    rows: tuple[ApprovalShown, ...]
    total: int
    """So many wait in all."""
    seq: int


class Answer(Part, frozen=True):
    """What a person says to it."""

    answer: ApprovalAnswer
    text: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    """What the agent is told along with it."""
    patterns: Annotated[
        tuple[Annotated[str, msgspec.Meta(max_length=4000)], ...], msgspec.Meta(max_length=1000)
    ] = ()
    """Of `session` and `always`: what is allowed by it, as it was shown."""


class Rewind(Part, frozen=True):
    """Which files to have back."""

    to: Annotated[str, msgspec.Meta(max_length=300)] = ""
    """A block: as they were when this was said; empty: as they were before the last rewind."""
    preview: bool = False
    """Only tell what that would change."""


class Rewound(Part, frozen=True):
    """What going back changed, or would change."""

    done: bool
    changes: tuple[PathChange, ...]
    left_out: int
    """So many more are not listed."""
    can_undo: bool
    """Whether a rewind without `to` brings back what was there until now."""


def approval_shown(pending: Pending, now: datetime) -> ApprovalShown:
    """An approval for whoever decides about it."""
    asked = pending.approval
    offers = tuple(one.pattern for one in asked.offers)
    return ApprovalShown(
        session=pending.session,
        session_name=pending.name,
        root=pending.root,
        approval=asked.approval,
        permission=gravest(asked.name, asked.judged),
        tool_name=asked.name,
        description=asked.why,
        details=asked.details,
        judged=asked.judged,
        patterns=offers,
        answers=tuple(one for one in ApprovalAnswer if offers or one not in LASTING),
        agent=asked.agent,
        asked_at=asked.at,
        age=0.0 if asked.at is None else max(0.0, round((now - asked.at).total_seconds(), 3)),
    )


def gravest(tool: str, judged: tuple[Judged, ...]) -> Permission:
    """One word for all that a call needs; the gravest where it cannot be told."""
    # Where something lies says nothing about what is done to it.
    needed = {one.need.permission for one in judged} - {EXTERNAL} or {_BY_TOOL.get(tool, EXECUTE)}
    if needed == {READ}:
        return "read"
    return "write" if needed <= {READ, WRITE} else "execute"
