"""Gives calls their results: one each, and the same to all that share it."""

from hearth.core.rules.consequences import Consequences
from hearth.core.rules.conversation_state import OpenCall
from hearth.core.rules.rendering import Rendered, shortened
from hearth.core.rules.turning import opened, seal
from hearth.core.vocabulary.blocks import Role, ToolResultBlock
from hearth.core.vocabulary.ids import CallId
from hearth.core.vocabulary.modelling import SpillResult


def give(then: Consequences, call: CallId, result: Rendered) -> None:
    """Give a call its one result, and every call that shares it."""
    for one in opened(then).calls:
        if not one.is_done and call in {one.call, one.shares}:
            block = ToolResultBlock(
                call=one.call,
                name=one.name,
                result=result.text,
                is_error=result.is_error,
                spilled=result.spilled,
                files=result.files,
                pictures=result.pictures,
            )
            seal(then, Role.TOOL, block)


def give_in_short(then: Consequences, call: OpenCall, result: Rendered) -> None:
    """The same for what the session itself answers: head and tail, if it is too long."""
    limits = then.state.talk.limits
    if len(result.text) <= limits.result_chars:
        give(then, call.call, result)
        return
    path = ""
    where = f"in the log (cell {call.cell})" if call.cell is not None else "in the log"
    if limits.spill_folder:
        path = f"{limits.spill_folder}/{then.state.session}/{call.call}.txt"
        where = f"in {path}"
        then.do(SpillResult(path, result.text))
    short = shortened(result.text, limits.result_chars, where)
    give(then, call.call, Rendered(short, result.is_error, path))
