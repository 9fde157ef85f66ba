"""How what agents do changes a conversation: tasks, refusals, files kept, changed and rewound."""

from typing import Final, assert_never

from msgspec.structs import replace

from hearth.core.rules.agreeing import IllegalEvent, agree, tag_of
from hearth.core.rules.conversation_state import Conversation, Rewind
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.permitting import Judged, Need

MOST_TASKS: Final = 200
"""Of one session; more are not added."""
LONGEST_SAID: Final = 2000
"""Of what is told about needs in one sentence."""


def need_key(need: Need) -> str:
    """The same for needs that ask for the same: what was allowed for one is allowed for the other.

    What is not proven about it, and why, is part of it: a person allowed what they were shown.
    """
    parts = (need.permission, need.target, need.resolved, need.least, need.why)
    return "\0".join(parts)


def said(judged: tuple[Judged, ...], *, by: bool = False) -> str:
    """What is needed, in words."""
    text = "; ".join(dict.fromkeys(_need_said(one.need, one.by if by else "") for one in judged))
    return text if len(text) <= LONGEST_SAID else f"{text[: LONGEST_SAID - 1]}…"


def _need_said(need: Need, by: str) -> str:
    notes = ", ".join(filter(None, (need.why, by)))
    return f"{need.permission} {need.target}" + (f" ({notes})" if notes else "")


def done(talk: Conversation, fact: Fact, event: d.DeedEvent) -> Conversation:
    """The conversation after a deed."""
    match event:
        case d.ToolRefused() | d.FilesKept() | d.FilesChanged():
            _runs(talk, fact, event.turn)
            return talk
        case d.GrantRecorded():
            return _recorded(talk, fact, event)
        case d.TaskChanged():
            _runs(talk, fact, event.turn)
            return replace(talk, tasks=_with_task(talk.tasks, event.task))
        case d.RewindRequested():
            agree(talk.rewind is None, fact, "files are being rewound already")
            return replace(talk, rewind=Rewind(fact.cause, fact.origin, event.to, event.preview))
        case d.FilesCompared():
            _rewinds(talk, fact)
            return replace(talk, rewind=None)
        case d.FilesRewound() | d.RewindFailed():
            _rewinds(talk, fact)
            return replace(talk, rewind=None, before_rewind=event.before or talk.before_rewind)
        case _:
            assert_never(event)


def _recorded(talk: Conversation, fact: Fact, event: d.GrantRecorded) -> Conversation:
    turn = talk.open
    waits = () if turn is None else turn.unrecorded
    left = tuple(one for one in waits if one.approval != event.approval)
    if turn is None or len(left) == len(waits):
        raise IllegalEvent(f"{tag_of(fact)} does not fit: nobody waits for it")
    return replace(talk, open=replace(turn, unrecorded=left))


def _runs(talk: Conversation, fact: Fact, turn: str) -> None:
    agree(talk.open is not None and talk.open.turn == turn, fact, f"turn {turn} does not run")


def _rewinds(talk: Conversation, fact: Fact) -> None:
    rewind = talk.rewind
    agree(rewind is not None and rewind.cause == fact.cause, fact, "nobody asked for it")


def _with_task(tasks: tuple[d.Task, ...], task: d.Task) -> tuple[d.Task, ...]:
    if any(one.task == task.task for one in tasks):
        return tuple(task if one.task == task.task else one for one in tasks)
    return (*tasks, task)
