"""Who calls when code in an interpreter calls a tool, and what is said to that.

A person's own cell may do what no rule denies. Whatever else calls is judged as the agent would be
that calls the same tool: an agent's cell, a client's, one that is replayed, and what an earlier
cell left running.
"""

from typing import Final

from msgspec.structs import replace

from hearth.core.rules.cell_asking import asking_call, nobody_waits
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.doing import need_key, said
from hearth.core.rules.permission import covers
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import CellId, cell_number
from hearth.core.vocabulary.origin import Actor
from hearth.core.vocabulary.permitting import Grant, Judged, Verdict
from hearth.core.vocabulary.phases import Evaluating, OpenCell, Ready, WarmingUp
from hearth.core.vocabulary.wire import Part

BY_PERSON: Final = "a person runs the cell"
BY_ANSWER: Final = "a person allowed it"
FOR_SESSION: Final = "a person allowed it for this session"


class Caller(Part, frozen=True):
    """Who calls a tool from code."""

    config: SessionConfig
    cell: CellId | None = None
    """The cell that calls; None: none that runs."""
    agent: str = ""
    """Whose rules count, beside those for all agents."""
    is_person: bool = False
    grants: tuple[Grant, ...] = ()
    """What was allowed to this caller as long as the session lives."""
    can_ask: bool = False
    """A person can be asked while the code waits."""
    once: tuple[str, ...] = ()
    """The keys of what a person allowed for this one call."""


class Said(Part, frozen=True):
    """What is said to a call."""

    verdict: Verdict
    by: str = ""
    """Why, in words; of what is asked or denied, what that is."""


def caller_of(state: SessionState, cell: CellId | None, *, contained: bool = False) -> Caller:
    """Who calls, if the caller says that it is this cell.

    Only the running cell can be it. Code in one process can pretend to be another cell's: in an
    interpreter that contains what runs in it, a person's cell is therefore only trusted as long as
    nobody else has run code in the session.
    """
    config, talk = state.config or SessionConfig(), state.talk
    running = _running(state, cell)
    if running is None or running.replays is not None:
        name = None if running is None else running.cell
        return Caller(config, name, talk.agent.name, grants=talk.grants)
    match running.origin.actor:
        case Actor.PERSON if not (contained and state.is_shared):
            return Caller(config, running.cell, is_person=True)
        case Actor.AGENT:
            own = talk.grants if running.origin == talk.agent else ()
            can_ask = asking_call(state, cell) is not None
            return Caller(config, running.cell, running.origin.name, grants=own, can_ask=can_ask)
        case _:
            # Clients choose their names themselves: no rule is looked up by one.
            return Caller(config, running.cell)


def said_to(caller: Caller, judged: tuple[Judged, ...]) -> Said:
    """What is said to a call that rules and grants have been asked about."""
    denied = tuple(one for one in judged if one.verdict is Verdict.DENY)
    if denied:
        return Said(Verdict.DENY, said(denied, by=True))
    if caller.is_person:
        return Said(Verdict.ALLOW, BY_PERSON)
    asked = tuple(one for one in judged if _is_asked(caller, one))
    if asked:
        return Said(Verdict.ASK, said(asked))
    return Said(Verdict.ALLOW, "; ".join(dict.fromkeys(_by(caller, one) for one in judged)))


def allowed_once(caller: Caller, judged: tuple[Judged, ...]) -> Caller:
    """The caller after a person has allowed this one call, for which they were shown this."""
    keys = tuple(need_key(one.need) for one in judged if one.verdict is Verdict.ASK)
    return replace(caller, once=keys)


def _is_asked(caller: Caller, one: Judged) -> bool:
    if one.verdict is not Verdict.ASK or need_key(one.need) in caller.once:
        return False
    return not covers(caller.grants, one.need)


def _by(caller: Caller, one: Judged) -> str:
    if one.verdict is Verdict.ALLOW:
        return one.by
    return BY_ANSWER if need_key(one.need) in caller.once else FOR_SESSION


def tool_used(then: Consequences, report: r.ToolUsed) -> None:
    """Code called a tool: of the running cell on its behalf, otherwise on nobody's."""
    nobody_waits(then, report.ask)
    state = then.state
    alive = isinstance(state.phase, WarmingUp | Ready | Evaluating)
    if not alive or report.generation != state.generation:
        return
    known = report.cell is not None and 0 < cell_number(report.cell) <= state.cells
    called = e.CellToolCalled(
        name=report.name,
        verdict=report.verdict,
        cell=report.cell if known else None,
        arguments=report.arguments,
        by=report.by,
        duration=report.duration,
        error=report.error,
    )
    then.happen(called, of=_running(state, report.cell))


def _running(state: SessionState, cell: CellId | None) -> OpenCell | None:
    phase = state.phase
    if isinstance(phase, Evaluating) and phase.current.cell == cell:
        return phase.current
    return None
