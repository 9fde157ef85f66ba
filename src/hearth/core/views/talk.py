"""How a session's conversation stands: the small part of it that is kept between events.

Folded over every event, so that it is right however little of the conversation is looked at.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias, get_args

from msgspec.structs import replace

from hearth.core.rules.lines import LineFold
from hearth.core.rules.lines import carry_on as carry_line_on
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, TextBlock
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.envelope import Envelope, Fact
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import ApprovalId, CallId, MessageId, TurnId
from hearth.core.vocabulary.lines import Line
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.permitting import Grant, Judged
from hearth.core.vocabulary.prompting import Effort
from hearth.core.vocabulary.wire import Part

PREVIEW: Final = 100
"""So many characters of the first message are shown in lists."""
MOST_QUEUED: Final = 200
"""More are not shown; they wait all the same."""

WORDS: Final = frozenset(get_args(t.TurnEvent))
"""The events that a conversation consists of; a set, because every event is looked up in it."""

Step: TypeAlias = tuple[int, int]
"""The number of a turn, and a step of it: later ones are larger."""


class TalkStatus(StrEnum):
    """What the agent is doing."""

    IDLE = "idle"
    RUNNING = "running"
    RETRYING = "retrying"
    WAITING_USER = "waiting_user"
    DONE = "done"
    ERROR = "error"


class Queued(Part, frozen=True):
    """A message that waits for the agent."""

    message: MessageId
    text: Text
    at: datetime
    author: Origin


class Retry(Part, frozen=True):
    """The pause before the next attempt."""

    attempt: int
    delay: float
    why: str
    at: datetime
    """When it began."""
    status: int | None = None


class Approval(Part, frozen=True):
    """What the agent waits for a person's word about."""

    approval: ApprovalId
    calls: tuple[CallId, ...]
    why: str
    name: str = ""
    """The tool that is to be run; empty: it is about whether the agent may go on."""
    details: Text = ""
    """What with."""
    judged: tuple[Judged, ...] = ()
    """What must be allowed for it."""
    offers: tuple[Grant, ...] = ()
    """What can be allowed for longer than once."""
    at: datetime | None = None
    agent: str = ""


class Talk(Part, frozen=True, kw_only=True):
    """A conversation at a glance."""

    version: int = 0
    """Of the newest event of a conversation that it knows."""
    status: TalkStatus = TalkStatus.IDLE
    why: str = ""
    """How the last turn ended, where there is something to say about it."""
    turn: TurnId | None = None
    """The one that runs."""
    step: int = 0
    retry: Retry | None = None
    approvals: tuple[Approval, ...] = ()
    """What people are asked, the oldest first."""
    compacting: bool = False
    queue: tuple[Queued, ...] = ()
    model: str = ""
    """That last answered, or was set since; empty: the one that the settings name."""
    effort: Effort | None = None
    servers: tuple[str, ...] | None = None
    """The MCP servers that were chosen for this session; None: the settings say."""
    window: int = 0
    """Tokens that fit into a request; 0 until a turn was prepared."""
    used: int = 0
    """Tokens that the newest request and its answer took of it; 0 while that is not known."""
    epoch: int = 0
    epoch_reason: str = ""
    line: Line = Line()
    """What a model is sent."""
    shown: Line = Line()
    """What people see: the same, but a summary takes the place of nothing."""
    messages: int = 0
    """Of people, of models (one for each step) and of tools, on all branches."""
    replied: bool = False
    """Whether a model ever answered."""
    preview: str = ""
    """How the first message begins."""
    prompt: str = ""
    """How the newest message of a person begins: it may be older than all blocks that are shown."""
    modified: datetime | None = None
    """When the conversation last went on."""
    finished: Step = (0, -1)
    """What is said of steps up to this one comes too late."""
    answered: Step = (0, -1)
    """The newest step that a model wrote something in."""


_IDLE_AGAIN: Final = {
    t.TurnEnd.DONE: TalkStatus.DONE,
    t.TurnEnd.LIMIT: TalkStatus.DONE,
    t.TurnEnd.CUT_OFF: TalkStatus.DONE,
    t.TurnEnd.CANCELLED: TalkStatus.IDLE,
    t.TurnEnd.FAILED: TalkStatus.ERROR,
    t.TurnEnd.REFUSED: TalkStatus.ERROR,
}


def talk_on(talk: Talk, version: int, fact: Fact | Envelope) -> Talk:
    """How it stands after one more event; one that it knows already changes nothing."""
    event = fact.event
    if type(event) not in WORDS or version <= talk.version:
        return talk
    talk = _lined(replace(talk, version=version, modified=fact.at), event)
    match event:
        case t.MessageQueued():
            waiting = Queued(event.message, event.text, fact.at, fact.origin)
            return replace(talk, queue=(*talk.queue, waiting)[:MOST_QUEUED])
        case t.MessageDelivered() | t.MessageWithdrawn():
            left = tuple(one for one in talk.queue if one.message != event.message)
            return replace(talk, queue=left)
        case t.BlockSealed():
            return _sealed(talk, event)
        case t.BranchSwitched() | t.ConversationForked():
            return replace(talk, used=0)
        case t.ServersChosen():
            return replace(talk, servers=event.servers)
        case t.PrefixStarted():
            return replace(talk, epoch=event.epoch, epoch_reason=event.reason, model=event.model)
        case t.CompactionStarted():
            return replace(talk, compacting=True)
        case t.ConversationCompacted():
            return replace(talk, compacting=False, used=0)
        case t.CompactionFailed():
            return replace(talk, compacting=False)
        case _:
            return _turned(talk, event, fact)


def step_of(turn: TurnId, step: int) -> Step:
    """A step as something that can be compared with others of its session."""
    number = turn[1:]
    return (int(number) if number.isascii() and number.isdecimal() else 0, step)


def preview_of(text: Text) -> str:
    """How a text begins, on one line."""
    begin = text.head if isinstance(text, Blob) else text[: 4 * PREVIEW]
    line = " ".join(begin.split())
    return line if len(line) <= PREVIEW else f"{line[: PREVIEW - 1]}…"


def _turned(talk: Talk, event: Event, fact: Fact | Envelope) -> Talk:
    """What a turn and its steps do to it."""
    match event:
        case t.TurnStarted():
            return replace(talk, status=TalkStatus.RUNNING, turn=event.turn, step=0, why="")
        case t.TurnPrepared():
            choice = event.choice
            return replace(talk, model=choice.name, window=choice.window)
        case t.ModelAsked():
            return replace(talk, status=TalkStatus.RUNNING, step=event.step, retry=None)
        case t.RetryScheduled():
            retry = Retry(event.attempt, event.delay, event.why, fact.at, event.status)
            return replace(talk, status=TalkStatus.RETRYING, retry=retry)
        case t.StepFinished():
            used = event.usage.input + event.usage.output
            finished = max(talk.finished, step_of(event.turn, event.step))
            return replace(talk, used=used or talk.used, finished=finished)
        case t.ApprovalRequested():
            approvals = (*talk.approvals, _approval(event, fact))
            return replace(talk, status=TalkStatus.WAITING_USER, approvals=approvals)
        case t.ApprovalAnswered():
            left = tuple(one for one in talk.approvals if one.approval != event.approval)
            status = TalkStatus.WAITING_USER if left else TalkStatus.RUNNING
            return replace(talk, status=status, approvals=left)
        case t.TurnFinished():
            return replace(
                talk,
                status=_IDLE_AGAIN[event.end],
                why=event.why,
                turn=None,
                step=0,
                retry=None,
                approvals=(),
                compacting=False,
                finished=max(talk.finished, (step_of(event.turn, 0)[0] + 1, -1)),
            )
        case _:
            return talk


def _approval(event: t.ApprovalRequested, fact: Fact | Envelope) -> Approval:
    return Approval(
        approval=event.approval,
        calls=event.calls,
        why=event.why,
        name=event.name,
        details=event.details,
        judged=event.judged,
        offers=event.offers,
        at=fact.at,
        agent=fact.origin.name,
    )


def _sealed(talk: Talk, event: t.BlockSealed) -> Talk:
    step = step_of(event.turn, event.step)
    match event.role:
        case Role.USER:
            said = event.content.text if isinstance(event.content, TextBlock) else ""
            begins = preview_of(said)
            messages, preview = talk.messages + 1, talk.preview or begins
            return replace(talk, messages=messages, preview=preview, prompt=begins)
        case Role.ASSISTANT:
            is_new = step != talk.answered
            return replace(talk, messages=talk.messages + is_new, replied=True, answered=step)
        case Role.TOOL:
            return replace(talk, messages=talk.messages + 1)
        case Role.SYSTEM:
            return talk


def _lined(talk: Talk, event: Event) -> Talk:
    """With the line and the model that is set on it."""
    on = carry_line_on(LineFold(talk.line, talk.model, talk.effort), event)
    shown = talk.shown
    if not isinstance(event, t.ConversationCompacted):  # what people see is not shorter
        shown = carry_line_on(LineFold(shown), event).line
    return replace(talk, line=on.line, shown=shown, model=on.model, effort=on.effort)
