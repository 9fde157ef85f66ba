"""Failures and refusals as sentences: what happened, and what helps."""

from collections.abc import Iterable
from typing import assert_never

from hearth.clients.agents.ways_out import AT_PROMPT, ways_out
from hearth.clients.repl.painting import Paint, seconds
from hearth.clients.repl.pieces import text_of
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary.failures import (
    CheckFailed,
    CodeRaised,
    Failure,
    Interrupted,
    ProjectNotFound,
    TimedOut,
    WarmUpFailed,
    WorkerCrashed,
)
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.refusals import NotNow, Refused

_HERE: dict[str, str] = {
    Affordance.CANCEL_EVAL: "Ctrl-C or .cancel stops the running cell",
    Affordance.RESET_SESSION: ".reset begins anew",
    Affordance.HARD_RESET_SESSION: ".hard-reset replaces the interpreter",
    Affordance.ANSWER_INPUT: "the running cell asks something: answer it first",
    Affordance.REPLAY_SESSION: ".replay brings the names back",
    Affordance.GET_STATUS: "wait until it is ready",
    Affordance.LIST_SESSIONS: ".sessions lists them",
    Affordance.SWITCH_SESSION: ".switch NAME goes to another session",
    Affordance.STOP_SESSION: ".stop ends one",
    Affordance.CREATE_SESSION: "`hearth` in another directory begins one",
    Affordance.LOAD_SCRIPT: "%run runs a file",
    Affordance.UNDO_CODE: ".undo takes cells back",
    Affordance.REDO_CODE: ".redo brings them back",
    Affordance.TRY_CODE: ".try tries variants",
    Affordance.KEEP_VARIANT: ".keep N keeps one of the variants, .keep 0 none",
    Affordance.FORK_SESSION: ".branch goes on in a copy",
    "send_message": "a line that begins with > speaks to the agent",
    "cancel_turn": "Ctrl-C or .cancel stops the agent",
    "answer_approval": ".approve or .reject answers it",
}
"""What helps, by the means of the REPL."""
_NAMES: frozenset[str] = frozenset(Affordance)


def failed(failure: Failure, paint: Paint) -> str:  # noqa: PLR0911 - a closed match is long
    """A failure as it is told to whoever ran the code."""
    match failure:
        case CodeRaised():
            trace = clean(text_of(failure.traceback), colour=paint.colour).strip("\n")
            last = f"{failure.name}: {text_of(failure.message)}".rstrip(": ")
            return _traced(trace, paint) or paint.trouble(clean(last, colour=False))
        case TimedOut():
            return paint.trouble(f"stopped: it ran longer than {seconds(failure.limit)}")
        case Interrupted():
            return paint.trouble(clean(f"cut off: {failure.message}", colour=False))
        case WorkerCrashed():
            said = clean(text_of(failure.message), colour=False)
            names = ", ".join(clean(name, colour=False) for name in failure.names[:20])
            lost = f"\nlost with it: {names}" if names else ""
            trace = clean(text_of(failure.traceback), colour=paint.colour).strip("\n")
            return (trace and f"{trace}\n") + paint.trouble(f"the interpreter died: {said}") + lost
        case WarmUpFailed():
            trace = clean(text_of(failure.traceback), colour=paint.colour).strip("\n")
            said = clean(text_of(failure.message), colour=False)
            return (trace and f"{trace}\n") + paint.trouble(f"it could not be started: {said}")
        case ProjectNotFound():
            return paint.trouble(clean(f"there is no project at {failure.path}", colour=False))
        case CheckFailed():
            found = "; ".join(clean(one.message, colour=False) for one in failure.diagnostics)
            return paint.trouble(f"not run: {found}")
        case _:
            assert_never(failure)


def _traced(trace: str, paint: Paint) -> str:
    """A traceback; the line that says what it is stands out, unless it has colours of its own."""
    if "\x1b" in trace:
        return trace
    before, newline, last = trace.rpartition("\n")
    return f"{before}{newline}{paint.trouble(last)}"


def refused(refusal: Refused, paint: Paint) -> str:
    """A refusal as a sentence, and on a second line what helps."""
    said = f"not now: {refusal.why}" if isinstance(refusal, NotNow) else refusal.why
    why = paint.warning(clean(said, colour=False))
    helps = helping(refusal.remedy)
    return f"{why}\n  {helps}" if helps else why


def helping(remedies: Iterable[str]) -> str:
    """All that would help, as it is typed here; empty if nothing of it can be."""
    known = [_HERE.get(one, one) for one in remedies if one in _HERE or one not in _NAMES]
    return clean("; ".join(ways_out(known, AT_PROMPT)), colour=False)
