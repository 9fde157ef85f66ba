"""Why something is not asked of an agent now, and what would help."""

from typing import Final, cast, get_args

from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.lines import is_on, segments_of
from hearth.core.rules.state import SessionState, allowed
from hearth.core.rules.turn import ACCEPTS, REMEDIES, SITUATIONS
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import BlockId, block_place
from hearth.core.vocabulary.refusals import Malformed, NotNow, Refusal

MOST_WAITING: Final = 100
"""Messages that wait for an agent."""
_PROMPTS: Final = frozenset(get_args(p.Prompt))


def prompt_of(command: Command) -> p.Prompt | None:
    """The command, if it is asked of the agent."""
    return cast("p.Prompt", command) if type(command) in _PROMPTS else None


def refusal_of_prompt(state: SessionState, command: p.Prompt) -> Refusal | None:
    """The reason why the agent cannot be asked this now; None if it can."""
    phase = state.talk.phase
    if phase not in ACCEPTS[type(command)]:
        return _not_now(state, command, SITUATIONS[phase])
    match command:
        case p.SendMessage():
            return _cannot_send(state, command)
        case p.WithdrawMessage():
            waits = any(one.message == command.message for one in state.talk.queue)
            why = f"message {command.message} is not waiting"
            return None if waits else _not_now(state, command, why)
        case p.CancelTurn():
            running = state.talk.open
            other = running is not None and command.turn not in {None, running.turn}
            why = f"turn {command.turn} does not run"
            return _not_now(state, command, why) if other else None
        case p.SetModel():
            if command.model is None and command.effort is None:
                why = "neither a model nor an effort is given"
                return Malformed(path="$", why=why, remedy=("give model, effort or both",))
            return None
        case p.RegenerateTurn() | p.ContinueTurn() | p.CompactConversation():
            return _nothing_said(state, command)
        case p.SwitchBranch():
            return _no_block(state, command, command.to, "$.to")
        case p.EditMessage():
            return _no_block(state, command, command.block, "$.block")
        case p.AnswerApproval():
            asked = state.talk.open.approval if state.talk.open is not None else None
            why = f"it is {asked} that is asked, not {command.approval}"
            return None if asked == command.approval else _not_now(state, command, why)


def _cannot_send(state: SessionState, command: p.SendMessage) -> NotNow | None:
    busy = state.talk.phase is not TurnPhase.IDLE
    if busy and command.if_busy == "refuse":
        return _not_now(state, command, SITUATIONS[state.talk.phase])
    if len(state.talk.queue) >= MOST_WAITING:
        return _not_now(state, command, f"{MOST_WAITING} messages are waiting already")
    return None


def _nothing_said(
    state: SessionState, command: p.RegenerateTurn | p.ContinueTurn | p.CompactConversation
) -> NotNow | None:
    talk = state.talk
    if talk.lookups:
        return _not_now(state, command, "a branch is being looked for")
    if not talk.line.prompt or not talk.line.leaf:
        return _not_now(state, command, "nothing has been said on this branch yet")
    on_line = is_on(segments_of(talk.line, state.version), talk.line.prompt)
    if isinstance(command, p.RegenerateTurn) and not on_line:
        return _not_now(state, command, "what was said last is part of a summary by now")
    return None


def _no_block(
    state: SessionState, command: p.SwitchBranch | p.EditMessage, block: BlockId, path: str
) -> Refusal | None:
    if state.talk.lookups:
        return _not_now(state, command, "a branch is being looked for")
    session, version = block_place(block)
    if version == 0:
        remedy = ("give the id of a block, like b17",)
        return Malformed(path=path, why=f"{block!r} is no block's id", remedy=remedy)
    if not session and version > state.version:
        return _not_now(state, command, f"there is no block {block} in this session")
    return None


def _not_now(state: SessionState, command: p.Prompt, why: str) -> NotNow:
    return NotNow(
        command=str(command.__struct_config__.tag),
        state=state.phase_name,
        why=why,
        available=allowed(state),
        remedy=REMEDIES[state.talk.phase],
    )
