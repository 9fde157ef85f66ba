"""Why something is not asked of an agent now, and what would help."""

from typing import Final, cast, get_args

from hearth.core.rules.conversation_state import TurnPhase
from hearth.core.rules.lines import is_on, segments_of
from hearth.core.rules.state import LOOK_AT_BLOCKS, SessionState, allowed
from hearth.core.rules.turn import ACCEPTS, REMEDIES, SITUATIONS
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import BlockId, block_place
from hearth.core.vocabulary.refusals import Malformed, NotNow, Refusal

MOST_WAITING: Final = 100
"""Messages that wait for an agent."""
ELSEWHERE: Final = "a branch is being looked for, or files are being changed back"
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
        case p.SetServers():
            return None
        case p.RegenerateTurn() | p.ContinueTurn() | p.CompactConversation():
            return _nothing_said(state, command)
        case p.SwitchBranch():
            return _no_block(state, command, command.to, "$.to")
        case p.EditMessage():
            return _no_block(state, command, command.block, "$.block")
        case p.AnswerApproval():
            return _cannot_answer(state, command)
        case p.RewindFiles():
            return _cannot_rewind(state, command)


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
    if talk.is_elsewhere:
        return _not_now(state, command, ELSEWHERE)
    if not talk.line.prompt or not talk.line.leaf:
        return _not_now(state, command, "nothing has been said on this branch yet")
    on_line = is_on(segments_of(talk.line, state.version), talk.line.prompt)
    if isinstance(command, p.RegenerateTurn) and not on_line:
        return _not_now(state, command, "what was said last is part of a summary by now")
    return None


def _cannot_answer(state: SessionState, command: p.AnswerApproval) -> Refusal | None:
    opened = state.talk.open.approvals if state.talk.open is not None else ()
    asked = next((one for one in opened if one.approval == command.approval), None)
    if asked is None:
        names = ", ".join(one.approval for one in opened) or "nothing"
        why = f"{command.approval} is not asked, or was answered already; {names} is asked"
        return _not_now(state, command, why)
    if command.answer not in {p.ApprovalAnswer.SESSION, p.ApprovalAnswer.ALWAYS}:
        return None
    if not asked.offers:
        why = "this can only be allowed once: it cannot be told what else would be allowed with it"
        return Malformed(path="$.answer", why=why, remedy=("answer once or reject",))
    offered = tuple(one.pattern for one in asked.offers)
    if command.patterns != offered:
        why = f"what is allowed by this is {list(offered)}; it must be said as it was shown"
        return Malformed(path="$.patterns", why=why, remedy=(f"give patterns {list(offered)}",))
    return None


def _cannot_rewind(state: SessionState, command: p.RewindFiles) -> Refusal | None:
    if state.talk.is_elsewhere:
        return _not_now(state, command, ELSEWHERE)
    if command.to:
        source = block_place(BlockId(command.to))[0]
        why = f"{command.to} was said in {source}: the files are rewound there"
        missing = _no_block(state, command, BlockId(command.to), "$.to")
        return missing or (_not_now(state, command, why) if source else None)
    if state.talk.before_rewind is None:
        return _not_now(state, command, "no files were rewound in this session yet")
    return None


def _no_block(
    state: SessionState,
    command: p.SwitchBranch | p.EditMessage | p.RewindFiles,
    block: BlockId,
    path: str,
) -> Refusal | None:
    if state.talk.is_elsewhere:
        return _not_now(state, command, ELSEWHERE)
    session, version = block_place(block)
    if version == 0:
        remedy = ("give the id of a block, like b17",)
        return Malformed(path=path, why=f"{block!r} is no block's id", remedy=remedy)
    if not session and version > state.version:
        why = f"there is no block {block} in this session"
        return _not_now(state, command, why, (LOOK_AT_BLOCKS,))
    return None


def _not_now(
    state: SessionState, command: p.Prompt, why: str, remedy: tuple[str, ...] = ()
) -> NotNow:
    return NotNow(
        command=str(command.__struct_config__.tag),
        state=state.phase_name,
        why=why,
        available=allowed(state),
        remedy=remedy or REMEDIES[state.talk.phase],
    )
