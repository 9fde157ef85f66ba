"""How a model's calls to try, keep and take back begin. Each has one result, by `settling`."""

from typing import assert_never

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import OpenCall
from hearth.core.rules.rendering import failure
from hearth.core.rules.results import give
from hearth.core.rules.state import situation
from hearth.core.rules.tooling import KeepTried, Takable, TryCode, UndoCode
from hearth.core.rules.trying import keep_variant, try_variants, why_not_kept
from hearth.core.rules.turning import happen, opened
from hearth.core.rules.undoing import not_theirs, undo_cells, why_not
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.ids import cell_id
from hearth.core.vocabulary.phases import Ready


def start_taking(then: Consequences, call: OpenCall, arguments: Takable, by: str) -> None:
    """Have it done, or say why it cannot be."""
    state, turn = then.state, opened(then)
    command = _command(arguments)
    if (why := _why_not(then, command)) != "":
        give(then, call.call, failure(f"Not done: {why}."))
        return
    cell = cell_id(state.cells + 1) if isinstance(command, c.TryVariants) else None
    happen(then, t.ToolStarted(call.call, turn.turn, turn.step, call.name, cell, by=by))
    cause, agent = turn.cause_of(call.call), state.talk.agent
    match command:
        case c.TryVariants():
            try_variants(then, command, cause, agent)
        case c.KeepVariant():
            keep_variant(then, command, cause, agent)
        case c.UndoCells():
            undo_cells(then, command, cause, agent)
        case _:
            assert_never(command)


def _command(arguments: Takable) -> c.TryVariants | c.KeepVariant | c.UndoCells:
    match arguments:
        case TryCode():
            return c.TryVariants(arguments.variants, arguments.time_limit)
        case KeepTried():
            return c.KeepVariant(arguments.variant)
        case UndoCode():
            return c.UndoCells(arguments.count)
        case _:
            assert_never(arguments)


def _why_not(then: Consequences, command: c.TryVariants | c.KeepVariant | c.UndoCells) -> str:
    state = then.state
    if not isinstance(state.phase, Ready):
        return situation(state)
    match command:
        case c.TryVariants():
            return ""
        case c.KeepVariant():
            return why_not_kept(state, command)
        case c.UndoCells():
            return why_not(state, command)[0] or not_theirs(state, command, state.talk.agent)
        case _:
            assert_never(command)
