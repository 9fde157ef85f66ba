"""What follows from the tool calls of a step: each is run at most once, and has one result."""

import re
from itertools import groupby
from operator import itemgetter
from typing import Final, assert_never

import msgspec

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import MOST_REPEATS, OpenCall, call_key
from hearth.core.rules.in_order import is_behind
from hearth.core.rules.refusing import LONGEST_QUEUE, MOST_QUESTIONS
from hearth.core.rules.rendering import Rendered, failure
from hearth.core.rules.results import give, give_in_short
from hearth.core.rules.starting import run_cell
from hearth.core.rules.state import situation
from hearth.core.rules.taking_calls import start_taking
from hearth.core.rules.tasking import keep_tasks
from hearth.core.rules.tooling import (
    ARGUMENTS,
    RUN_CODE,
    CheckCode,
    Compact,
    Inspect,
    KeepTried,
    RunCode,
    Tasks,
    TryCode,
    UndoCode,
    parse,
)
from hearth.core.rules.turning import happen, opened
from hearth.core.rules.warning import warn_of_sharing
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.commands import RunCell, SessionConfig
from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import ApprovalId, CallId, cell_id
from hearth.core.vocabulary.judging import JudgeCall
from hearth.core.vocabulary.permitting import Need
from hearth.core.vocabulary.phases import Evaluating, Ready, WarmingUp

MOST_CALLS: Final = 200
"""In one step; those beyond are answered with an error."""
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
    judge_calls(then)


def _longest_row(calls: tuple[OpenCall, ...], readers: tuple[str, ...]) -> tuple[str, int]:
    """The call that one step makes most often in a row. Those that only read share a result."""
    rows = ((name, len(list(row))) for (name, _), row in groupby(calls, _alike))
    return max((row for row in rows if row[0] not in readers), key=itemgetter(1), default=("", 0))


def _alike(call: OpenCall) -> tuple[str, str]:
    return call.name, call_key(call)


def judge_calls(then: Consequences) -> None:
    """Begin the calls of the step: what needs nobody's permission at once, the rest is judged.

    All are judged at once, so that a person sees all that they will be asked.
    """
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
            if call.name not in readers:
                first.clear()  # what is read behind a change may be another thing
            _begin(then, call)
            if not opened(then).calls[place].is_done:
                first.setdefault(key, call.call)
    warn_of_sharing(then)


def _started(
    then: Consequences, call: OpenCall, shares: CallId | None = None, by: str = ""
) -> None:
    turn = opened(then)
    started = t.ToolStarted(call.call, turn.turn, turn.step, call.name, shares=shares, by=by)
    happen(then, started)


def _begin(then: Consequences, call: OpenCall) -> None:
    said = call.arguments
    if call.name not in ARGUMENTS:
        wrong = "" if isinstance(said, Blob) else _no_object(said or "{}")
        if wrong:
            text = f"The arguments of {call.name} are not valid: {wrong}. Nothing was run."
            give(then, call.call, failure(text))
        else:
            judge_call(then, call)
        return
    if call.name in then.state.talk.switched_off:
        give(then, call.call, failure(f"There is no tool {call.name} here. Nothing was run."))
        return
    if isinstance(said, Blob):
        if call.name == RUN_CODE:
            judge_call(then, call)  # what they are comes back with the judgement
        else:
            give(then, call.call, failure("The arguments are too long. Nothing was run."))
        return
    arguments = parse(call.name, said)
    match arguments:
        case str():
            give(then, call.call, failure(arguments))
        case RunCode() | TryCode() | KeepTried() | UndoCode():
            judge_call(then, call)  # the last two need nothing, but wait for their turn
        case CheckCode() | Inspect():
            _question(then, call, arguments)
        case Compact():
            _started(then, call)
            give(then, call.call, Rendered("A summary will be made before your next step."))
        case Tasks():
            _started(then, call)
            give_in_short(then, call, keep_tasks(then, arguments))
        case _:
            assert_never(arguments)


def judge_call(then: Consequences, call: OpenCall) -> None:
    """Have it found out what a call needs, and what the rules say to that."""
    talk = then.state.talk
    then.do(
        JudgeCall(
            call=call.call,
            name=call.name,
            arguments=call.arguments or "{}",
            config=then.state.config or SessionConfig(),
            agent=talk.agent.name,
            keep=not is_behind(opened(then).calls, call.call, talk.read_only),
            none_granted=not call.granted and not talk.grants,
        )
    )


def start_call(
    then: Consequences, call: OpenCall, needs: tuple[Need, ...], by: str, judged: Text = ""
) -> None:
    """Run a call that may be run; `judged` are its arguments, where they came back with that."""
    if call.name == RUN_CODE:
        _run_code(then, call, judged or call.arguments, by)
        return
    if call.name in ARGUMENTS:
        taken = parse(call.name, call.arguments) if isinstance(call.arguments, str) else ""
        if isinstance(taken, TryCode | KeepTried | UndoCode):
            start_taking(then, call, taken, by)
        return
    _started(then, call, by=by)
    limits = then.state.talk.limits
    then.do(
        m.RunTool(
            call=call.call,
            name=call.name,
            arguments=call.arguments or "{}",
            config=then.state.config or SessionConfig(),
            result_chars=limits.result_chars,
            spill_folder=limits.spill_folder,
            needs=needs,
            agent=then.state.talk.agent.name,
        )
    )


def _no_object(said: str) -> str:
    """Why this is not a JSON object; empty if it is."""
    try:
        return "" if isinstance(msgspec.json.decode(said), dict) else "it is not an object"
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return str(error)


def _run_code(then: Consequences, call: OpenCall, said: Text, by: str) -> None:
    state, turn = then.state, opened(then)
    arguments = parse(call.name, said) if isinstance(said, str) else None
    if not isinstance(arguments, RunCode):
        why = arguments if isinstance(arguments, str) else "The code is not there. Nothing was run."
        give(then, call.call, failure(why))
        return
    waits = isinstance(state.phase, Evaluating | WarmingUp)
    if not waits and not isinstance(state.phase, Ready):
        why = f"Not run: {situation(state)}. A person can reset the session."
        give(then, call.call, failure(why))
        return
    if waits and len(state.queue) >= LONGEST_QUEUE:
        give(then, call.call, failure(f"Not run: {LONGEST_QUEUE} cells are waiting."))
        return
    cell = cell_id(state.cells + 1)
    started = t.ToolStarted(call.call, turn.turn, turn.step, call.name, cell, by=by)
    happen(then, started)
    command = RunCell(arguments.code, time_limit=arguments.time_limit, on_error=arguments.on_error)
    run_cell(then, command, turn.cause_of(call.call), state.talk.agent)


def _question(then: Consequences, call: OpenCall, arguments: CheckCode | Inspect) -> None:
    state, turn = then.state, opened(then)
    if not isinstance(state.phase, Ready | Evaluating):
        why = f"Not done: {situation(state)}."
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
