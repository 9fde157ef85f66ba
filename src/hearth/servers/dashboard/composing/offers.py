"""What can be asked of a session now, and why not of what cannot.

The session itself decides when it is asked. What is offered here is what it would not refuse as
things stand; whoever looks at an older page is told the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.ids import block_place
from hearth.core.vocabulary.lines import Line
from hearth.core.vocabulary.phases import Affordance, PhaseName

BUSY: Final = "the agent is working"
NOTHING_SAID: Final = "nothing has been said to the agent yet"

SITUATIONS: Final[dict[PhaseName, str]] = {
    PhaseName.UNINITIALIZED: "there is no interpreter: Hard reset starts one",
    PhaseName.WARMING_UP: "the interpreter is being started",
    PhaseName.READY: "the interpreter waits for code",
    PhaseName.EVALUATING: "a cell is running: stop it, or wait for it",
    PhaseName.FAULTED: "the interpreter is gone: Reset brings it back",
}
"""Why something is not possible, by the state that does not allow it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that a person may want of a session."""

    name: str
    """Its button is `do-` and this."""
    label: str
    command: c.Command
    why_not: str = ""
    """Empty: it can be done now."""
    about: str = ""
    """What it does, where its name does not say it all."""
    confirm: str = ""
    danger: bool = False


def stopping(status: Status, talk: Talk) -> tuple[Offer, Offer]:
    """The two that are always in sight: stop the cell, stop the agent."""
    cell = status.current.cell if status.current is not None else None
    return (
        Offer(
            "stop-cell",
            "Stop the cell",
            c.CancelCell(cell),
            _unless(status, Affordance.CANCEL_EVAL, "no cell is running"),
        ),
        Offer(
            "stop-agent",
            "Stop the agent",
            p.CancelTurn(talk.turn),
            "" if talk.turn is not None else "the agent is idle",
        ),
    )


def others(status: Status, talk: Talk) -> tuple[Offer, ...]:
    """What else there is, in groups: the conversation first, then the interpreter."""
    return (*_of_agent(talk), *_of_interpreter(status))


def why_not_run(status: Status) -> str:
    """Why code cannot be taken now, not even to wait; empty if it can."""
    if Affordance.RUN_CODE in status.available or is_queueing(status):
        return ""
    return SITUATIONS[status.state]


def is_queueing(status: Status) -> bool:
    """Whether code that is sent now waits for something."""
    return status.state in {PhaseName.WARMING_UP, PhaseName.EVALUATING}


def why_not_edit(talk: Talk) -> str:
    """Why what was said last cannot be said otherwise now; empty if it can."""
    if talk.turn is not None:
        return BUSY
    return "" if _is_prompted(talk) else NOTHING_SAID


def _of_agent(talk: Talk) -> Iterator[Offer]:
    not_now = why_not_edit(talk)
    summed_up = "" if _is_on(talk.line) else "what was said last is part of a summary by now"
    yield Offer(
        "regenerate",
        "Regenerate",
        p.RegenerateTurn(),
        not_now or summed_up,
        "Answers the latest prompt anew, as a branch of its own",
    )
    yield Offer("continue", "Continue", p.ContinueTurn(), not_now, "The agent goes on")
    yield Offer(
        "compact",
        "Compact",
        p.CompactConversation(),
        not_now,
        "Sums up what was said long ago, for the model; you still see all of it",
    )


def _of_interpreter(status: Status) -> Iterator[Offer]:
    is_ready = status.state is PhaseName.READY
    not_fresh = "code has run already: it needs a fresh interpreter, so reset first"
    yield Offer(
        "replay",
        "Replay",
        c.ReplaySession(),
        _unless(
            status,
            Affordance.REPLAY_SESSION,
            not_fresh if is_ready else SITUATIONS[status.state],
        ),
        "Runs the recorded cells again, to have their variables back",
    )
    yield Offer(
        "reset",
        "Reset",
        c.ResetSession(),
        _unless(status, Affordance.RESET_SESSION, SITUATIONS[status.state]),
        "Forgets all variables",
        confirm="Forget all variables of this session?",
    )
    # Always accepted: it is the way out of every trouble, and brings a stopped session back.
    yield Offer(
        "hard-reset",
        "Hard reset",
        c.HardResetSession(),
        about="Ends the interpreter, whatever it does, and starts another",
        confirm="End the interpreter, whatever it is doing, and start another? "
        "All variables are lost.",
        danger=True,
    )
    yield Offer(
        "stop-session",
        "Stop the session",
        c.StopSession(),
        "it is stopped already" if status.stopped else "",
        "Ends the interpreter; what was said and run stays",
        confirm="End the interpreter of this session? What was said and run stays.",
        danger=True,
    )


def _unless(status: Status, wanted: Affordance, why: str) -> str:
    return "" if wanted in status.available else why


def _is_prompted(talk: Talk) -> bool:
    return bool(talk.line.prompt and talk.line.leaf)


def _is_on(line: Line) -> bool:
    """Whether the latest prompt is still sent to the model as it was said."""
    session, version = block_place(line.prompt)
    if not session and version >= line.since:
        return True
    return any(one.session == session and one.first <= version <= one.last for one in line.segments)
