"""What follows from the wish to begin another session from this one."""

import re
from typing import Final

from msgspec.structs import replace

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.state import LOOK_AT_BLOCKS, SessionState, situation
from hearth.core.rules.undo_state import Forking
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import DAEMON_STREAM, BlockId, InputId, SessionId, block_place
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.phases import Ready
from hearth.core.vocabulary.undoing import ForkHow

MOST_FORKS: Final = 16
"""That are being made at once."""
WAYS_OUT: Final = (
    "fork_session with how=replay: its interpreter is rebuilt by running the cells again",
    "fork_session with how=new: the conversation goes on, with an empty interpreter",
)
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def fork_session(
    then: Consequences, command: c.ForkSession, cause: InputId, origin: Origin
) -> None:
    """Have another session begun."""
    requested = e.ForkRequested(command.to, command.block, how_of(command), command.name)
    then.happen_for(requested, cause, origin)
    then.do(branching(then.state, then.state.undo.forking[-1]))


def how_of(command: c.ForkSession) -> ForkHow:
    """What the interpreter of the fork is to be: of now a copy, of an older moment a replay."""
    if command.how is not None:
        return command.how
    return ForkHow.REPLAY if command.block else ForkHow.COPY


def branching(state: SessionState, wanted: Forking) -> fx.BranchSession:
    """The effect of a fork that is being made. Whoever copies says of which version that is."""
    point = c.ForkPoint(
        session=state.session,
        block=wanted.block,
        how=wanted.how,
        asked=wanted.version,
    )
    config = state.config or c.SessionConfig()
    before = 0
    if wanted.how is ForkHow.REPLAY:
        place = block_place(BlockId(wanted.block))[1]
        before = (place or wanted.version) + 1
    return fx.BranchSession(
        generation=state.generation,
        question=wanted.cause,
        to=wanted.to,
        config=replace(
            config,
            name=wanted.name,
            forked_from=point,
            undo=state.undo.who or config.undo,  # it goes on as it was chosen here
        ),
        before=before,
    )


def why_no_fork(state: SessionState, command: c.ForkSession) -> tuple[str, tuple[str, ...]]:
    """Why there can be no fork now, and what would help; empty if there can."""
    how = how_of(command)
    if _ID.fullmatch(command.to) is None or command.to in {state.session, DAEMON_STREAM}:
        return f"{command.to!r} cannot be the id of another session", ("give it another id",)
    if any(one.to == command.to for one in state.undo.forking):
        return f"a fork {command.to!r} is being made already", ("wait for it", "give another id")
    session, version = block_place(command.block)
    if command.block and version == 0:
        return f"{command.block!r} is no block's id", ("give the id of a block, like b17",)
    if session in {"", state.session} and version > state.version:
        fork = state.config.forked_from if state.config is not None else None
        return no_block(command.block, fork.session if fork is not None else SessionId(""))
    if how is ForkHow.REPLAY and session and session != state.session:
        return f"{command.block} was said in {session}", (f"fork {session}",)
    if how is ForkHow.COPY and command.block:
        return "the interpreter can be copied as it is now, not as it was", WAYS_OUT
    if how is ForkHow.COPY and not isinstance(state.phase, Ready):
        return f"it cannot be copied: {situation(state)}", WAYS_OUT
    if len(state.undo.forking) >= MOST_FORKS:
        return f"{MOST_FORKS} forks are being made already", ("wait for them",)
    return "", ()


def no_block(block: BlockId, source: SessionId) -> tuple[str, tuple[str, ...]]:
    """That a block is not in a conversation, which goes on from that of `source`; what helps."""
    why = f"there is no block {block} in its conversation"
    remedy = (LOOK_AT_BLOCKS,)
    if source:
        return why, (*remedy, f"name what was said before it branched off like b17@{source}")
    return why, remedy


def forked(then: Consequences, report: r.ForkEnded) -> None:
    """The fork is there, or cannot be."""
    wanted = next((one for one in then.state.undo.forking if one.cause == report.question), None)
    if wanted is None:
        return
    event: e.Event
    if report.problem:
        event = e.ForkFailed(wanted.to, report.problem, report.obstacles, report.remedy)
    else:
        event = e.SessionForked(wanted.to, report.how, report.notice, report.name)
    then.happen_for(event, wanted.cause, wanted.origin)
