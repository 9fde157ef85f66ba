"""What people and rules decided about an agent: the latest, for whoever wants to know."""

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.deeds import ToolRefused
from hearth.core.vocabulary.envelope import Envelope, Fact
from hearth.core.vocabulary.ids import ApprovalId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.permitting import Grant
from hearth.core.vocabulary.wire import Part

MOST: Final = 100
LONGEST: Final = 300


class Decided(Part, frozen=True):
    """One decision."""

    at: datetime
    answer: str
    """once, session, always, reject; denied: a rule forbids it."""
    what: str
    by: Origin
    approval: ApprovalId = ApprovalId("")
    grants: tuple[Grant, ...] = ()
    text: str = ""
    because: ApprovalId = ApprovalId("")
    """It was decided together with this one."""


class Asked(Part, frozen=True):
    """What is asked and not decided yet."""

    approval: ApprovalId
    what: str


class Decisions(Part, frozen=True):
    """The latest decisions, the newest last."""

    decided: tuple[Decided, ...] = ()
    asked: tuple[Asked, ...] = ()


def decide_on(decisions: Decisions, fact: Fact | Envelope) -> Decisions:
    """The decisions after one more event."""
    event = fact.event
    match event:
        case t.ApprovalRequested():
            asked = Asked(event.approval, _short(f"{event.name}: {event.why}".removeprefix(": ")))
            return replace(decisions, asked=(*decisions.asked, asked))
        case t.ApprovalAnswered():
            what = next((o.what for o in decisions.asked if o.approval == event.approval), "")
            left = tuple(one for one in decisions.asked if one.approval != event.approval)
            made = Decided(
                at=fact.at,
                answer=event.answer,
                what=what,
                by=fact.origin,
                approval=event.approval,
                grants=event.grants,
                text=_short(event.text),
                because=event.because,
            )
            return Decisions((*decisions.decided, made)[-MOST:], left)
        case ToolRefused():
            needs = "; ".join(f"{j.need.permission} {j.need.target} ({j.by})" for j in event.judged)
            denied = Decided(fact.at, "denied", _short(f"{event.name}: {needs}"), fact.origin)
            return replace(decisions, decided=(*decisions.decided, denied)[-MOST:])
        case t.TurnFinished():
            return replace(decisions, asked=()) if decisions.asked else decisions
        case _:
            return decisions


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
