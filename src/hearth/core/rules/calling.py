"""What follows from the tool calls of a step: each is run at most once, and has one result."""

import re
from itertools import groupby
from operator import itemgetter
from typing import Final, assert_never

import msgspec

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation import whole
from hearth.core.rules.conversation_state import OpenCall, OpenTurn, TurnPhase, call_key
from hearth.core.rules.interpreter import SITUATIONS
from hearth.core.rules.refusing import LONGEST_QUEUE, MOST_QUESTIONS
from hearth.core.rules.rendering import Closed, Rendered, failure, rendered, shortened
from hearth.core.rules.starting import run_cell
from hearth.core.rules.tooling import (
    ARGUMENTS,
    COMPACT,
    CheckCode,
    Compact,
    Inspect,
    RunCode,
    parse,
)
from hearth.core.rules.turning import go_on, happen, opened, seal
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role, ToolResultBlock
from hearth.core.vocabulary.commands import RunCell, SessionConfig
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import ApprovalId, CallId, cell_id
from hearth.core.vocabulary.phases import Evaluating, Ready, WarmingUp

MOST_REPEATS: Final = 3
"""So many calls of the same in a row, in one step or in as many, then a person is asked."""
MOST_CALLS: Final = 200
"""In one step; those beyond are answered with an error."""
_CLOSES: Final = (
    e.CellFinished,
    e.CellFailed,
    e.CellCancelled,
    e.CellWithdrawn,
    e.DiagnosticsChecked,
    e.InspectionReturned,
    e.QuestionAbandoned,
)
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]")


def wire_id(proposed: str, call: CallId, session: str) -> str:
    """What a call is named on the wire: as its provider named it, and its own number.

    Some providers name the calls of every answer alike; no two calls of a conversation may be, nor
    of a conversation and one that it was forked from.
    """
    fit = _UNFIT.sub("", proposed)[:40] or _UNFIT.sub("", session)[-40:]
    return f"{fit}_{call}"


def start_calls(then: Consequences) -> None:
    """Run what the step called; ask a person first if it goes round in circles."""
    talk, turn = then.state.talk, opened(then)
    names, times = ", ".join(dict.fromkeys(call.name for call in turn.calls)), talk.repeated
    if times < MOST_REPEATS or not talk.repeats:
        names, times = _longest_row(turn.calls, talk.read_only)
    if times >= MOST_REPEATS:
        approval = ApprovalId(f"a{talk.approvals + 1}")
        why = f"the agent has called {names} {times} times in a row with the same arguments"
        calls = tuple(call.call for call in turn.calls)
        happen(then, t.ApprovalRequested(approval, turn.turn, calls, why))
        return
    run_calls(then)


def _longest_row(calls: tuple[OpenCall, ...], readers: tuple[str, ...]) -> tuple[str, int]:
    """The call that one step makes most often in a row. Those that only read share a result."""
    rows = ((name, len(list(row))) for (name, _), row in groupby(calls, _alike))
    return max((row for row in rows if row[0] not in readers), key=itemgetter(1), default=("", 0))


def _alike(call: OpenCall) -> tuple[str, str]:
    return call.name, call_key(call)


def run_calls(then: Consequences) -> None:
    """Run the calls of the step that have not been begun."""
    first: dict[str, CallId] = {}
    readers = then.state.talk.read_only
    for place, call in enumerate(opened(then).calls):
        if call.is_started or call.is_done:
            continue
        key = call_key(call)
        if place >= MOST_CALLS:
            give(then, call.call, failure(f"Not run: more than {MOST_CALLS} calls at once."))
        elif key in first and call.name in readers:
            _started(then, call, shares=first[key])
        else:
            first.setdefault(key, call.call)
            _run(then, call)


def _started(then: Consequences, call: OpenCall, shares: CallId | None = None) -> None:
    turn = opened(then)
    happen(then, t.ToolStarted(call.call, turn.turn, turn.step, call.name, shares=shares))


def _run(then: Consequences, call: OpenCall) -> None:
    if call.name not in ARGUMENTS:
        _hand_out(then, call)
        return
    if isinstance(call.arguments, Blob):
        give(then, call.call, failure("The arguments are too long. Nothing was run."))
        return
    arguments = parse(call.name, call.arguments)
    match arguments:
        case str():
            give(then, call.call, failure(arguments))
        case RunCode():
            _run_code(then, call, arguments)
        case CheckCode() | Inspect():
            _question(then, call, arguments)
        case Compact():
            _started(then, call)
            give(then, call.call, Rendered("A summary will be made before your next step."))
        case _:
            assert_never(arguments)


def _hand_out(then: Consequences, call: OpenCall) -> None:
    """A tool that is not the session's own."""
    said = call.arguments if isinstance(call.arguments, Blob) else call.arguments or "{}"
    wrong = "" if isinstance(said, Blob) else _no_object(said)
    if wrong:
        text = f"The arguments of {call.name} are not valid: {wrong}. Nothing was run."
        give(then, call.call, failure(text))
        return
    _started(then, call)
    limits = then.state.talk.limits
    then.do(
        m.RunTool(
            call=call.call,
            name=call.name,
            arguments=said,
            config=then.state.config or SessionConfig(),
            result_chars=limits.result_chars,
            spill_folder=limits.spill_folder,
        )
    )


def _no_object(said: str) -> str:
    """Why this is not a JSON object; empty if it is."""
    try:
        return "" if isinstance(msgspec.json.decode(said), dict) else "it is not an object"
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return str(error)


def _run_code(then: Consequences, call: OpenCall, arguments: RunCode) -> None:
    state, turn = then.state, opened(then)
    waits = isinstance(state.phase, Evaluating | WarmingUp)
    if not waits and not isinstance(state.phase, Ready):
        why = f"Not run: {SITUATIONS[state.phase_name]}. A person can reset the session."
        give(then, call.call, failure(why))
        return
    if waits and len(state.queue) >= LONGEST_QUEUE:
        give(then, call.call, failure(f"Not run: {LONGEST_QUEUE} cells are waiting."))
        return
    cell = cell_id(state.cells + 1)
    happen(then, t.ToolStarted(call.call, turn.turn, turn.step, call.name, cell))
    command = RunCell(arguments.code, time_limit=arguments.time_limit)
    run_cell(then, command, turn.cause_of(call.call), state.talk.agent)


def _question(then: Consequences, call: OpenCall, arguments: CheckCode | Inspect) -> None:
    state, turn = then.state, opened(then)
    if not isinstance(state.phase, Ready | Evaluating):
        why = f"Not done: {SITUATIONS[state.phase_name]}."
        give(then, call.call, failure(why))
        return
    if len(state.questions) >= MOST_QUESTIONS:
        give(then, call.call, failure("Not done: too many questions are open."))
        return
    _started(then, call)
    cause, agent, code = turn.cause_of(call.call), state.talk.agent, arguments.code
    if isinstance(arguments, CheckCode):
        then.happen_for(e.CheckRequested(code, full=True), cause, agent)
        then.do(fx.CheckInWorker(state.generation, cause, code))
    else:
        then.happen_for(e.InspectionRequested(code, len(code)), cause, agent)
        then.do(fx.InspectInWorker(state.generation, cause, code, len(code)))


def give(
    then: Consequences,
    call: CallId,
    result: Rendered,
    *,
    spilled: str = "",
    files: tuple[str, ...] = (),
) -> None:
    """Give a call its one result, and every call that shares it."""
    turn = opened(then)
    for one in turn.calls:
        if not one.is_done and call in {one.call, one.shares}:
            block = ToolResultBlock(
                one.call, one.name, result.text, result.is_error, spilled, files
            )
            seal(then, Role.TOOL, block)


def returned(then: Consequences, report: m.ToolReturned) -> None:
    """A tool that is not the session's own came to its end."""
    turn = then.state.talk.open
    waits = turn is not None and any(
        one.call == report.call and one.is_started and not one.is_done for one in turn.calls
    )
    if not waits:
        return  # cancelled meanwhile, or a second result: the first one counts
    shown = Rendered(whole(report.result), report.is_error)
    give(then, report.call, shown, spilled=report.spilled, files=report.files)


def settle_calls(then: Consequences) -> None:
    """Give results for what has ended by now; go on once every call has its own.

    The end of every decision. One that brings no result has nothing to go on with: what is still
    waited for is a call, or what is to stand before the next step.
    """
    turn = then.state.talk.open
    if turn is None or turn.phase is not TurnPhase.CALLING:
        return
    for call in turn.calls:
        closed = _closing(then, turn, call)
        if closed is not None:
            _closed(then, call, closed)
    if all(call.is_done for call in opened(then).calls) and any(map(_is_result, then.facts)):
        go_on(then)


def _is_result(fact: Fact) -> bool:
    event = fact.event
    return isinstance(event, t.BlockSealed) and isinstance(event.content, ToolResultBlock)


def _closing(then: Consequences, turn: OpenTurn, call: OpenCall) -> Closed | None:
    """The event of this decision that ends what a call set off."""
    if call.is_done or not call.is_started or call.name not in ARGUMENTS or call.name == COMPACT:
        return None
    cause = turn.cause_of(call.call)
    for fact in then.facts:
        if fact.cause == cause and isinstance(fact.event, _CLOSES):
            return fact.event
    return None


def _closed(then: Consequences, call: OpenCall, event: Closed) -> None:
    result = rendered(event)
    limits = then.state.talk.limits
    if len(result.text) <= limits.result_chars:
        give(then, call.call, result)
        return
    path = ""
    where = f"in the log (cell {call.cell})" if call.cell is not None else "in the log"
    if limits.spill_folder:
        path = f"{limits.spill_folder}/{then.state.session}/{call.call}.txt"
        where = f"in {path}"
        then.do(m.SpillResult(path, result.text))
    short = shortened(result.text, limits.result_chars, where)
    give(then, call.call, Rendered(short, result.is_error), spilled=path)
