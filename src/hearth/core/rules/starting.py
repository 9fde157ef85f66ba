"""How a cell begins: at once where the interpreter is free, or behind those that wait for it."""

from typing import Final

from hearth.core.rules.closing import drop_trial
from hearth.core.rules.consequences import Consequences
from hearth.core.rules.purity import read_only
from hearth.core.rules.state import SessionState
from hearth.core.rules.undo_state import is_agents
from hearth.core.vocabulary.commands import RunCell
from hearth.core.vocabulary.effects import ExecuteInWorker
from hearth.core.vocabulary.events import CellQueued, CellStarted
from hearth.core.vocabulary.ids import InputId, cell_id
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.phases import Evaluating, OpenCell, Ready, WarmingUp
from hearth.core.vocabulary.undoing import UndoFor

PYTHON: Final = "python"


def run_cell(then: Consequences, command: RunCell, cause: InputId, origin: Origin) -> None:
    """Give the interpreter a cell that may be run, or have it wait; a person's and an agent's."""
    asked = CellQueued(
        cell=cell_id(then.state.cells + 1),
        code=command.code,
        background=command.background,
        time_limit=command.time_limit,
        may_ask=command.may_ask,
        reload=command.reload,
        replays=command.replays,
        on_error=command.on_error,
    )
    if isinstance(then.state.phase, Evaluating | WarmingUp):
        then.happen_for(asked, cause, origin)
    else:
        _start(then, asked, cause, origin)


def start_next(then: Consequences) -> None:
    """Give the interpreter the first waiting cell, if it is free and there is one."""
    if isinstance(then.state.phase, Ready) and then.state.queue:
        cell = then.state.queue[0]
        _start(then, cell, cell.cause, cell.origin)


def is_kept(state: SessionState, origin: Origin) -> bool:
    """Whether a copy is made before a cell of theirs, so that it can be taken back.

    What a replay runs can be brought back by another; other languages have no copies.
    """
    config = state.config
    if config is None or origin.actor is Actor.SYSTEM:
        return False
    if is_foreign(state):
        return False
    who = state.undo.who or config.undo
    return who is UndoFor.EVERYONE or (who is UndoFor.AGENTS and is_agents(origin))


def is_foreign(state: SessionState) -> bool:
    """Whether the interpreter is known to be one of another language, which cannot be copied."""
    return state.surroundings is not None and state.surroundings.language not in {"", PYTHON}


def _start(then: Consequences, cell: CellQueued | OpenCell, cause: InputId, origin: Origin) -> None:
    drop_trial(then, f"{cell.cell} is run")
    copy = cell.on_error == "undo" or is_kept(then.state, origin)
    started = CellStarted(
        cell=cell.cell,
        code=cell.code,
        background=cell.background,
        time_limit=cell.time_limit,
        may_ask=cell.may_ask,
        reload=cell.reload,
        replays=cell.replays,
        read_only=read_only(then.state.config, cell.code),
        copy=copy,
        on_error=cell.on_error,
    )
    then.happen_for(started, cause, origin)
    then.do(
        ExecuteInWorker(
            then.state.generation,
            cell.cell,
            cell.code,
            cell.time_limit,
            may_ask=cell.may_ask,
            reload=cell.reload,
            copy=copy,
            on_error=cell.on_error,
        )
    )
