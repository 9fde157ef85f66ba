"""`hearth run`: code goes to a live session, and what it shows comes here as it is shown."""

from __future__ import annotations

import sys

from hearth.clients.cli import choosing
from hearth.clients.cli.cell import RunningCell
from hearth.clients.cli.cell_output import CellOutput
from hearth.clients.cli.pressing import Presses
from hearth.clients.cli.reaching import reach_or_start
from hearth.clients.cli.showing import emit, is_terminal, tell
from hearth.clients.cli.troubles import FAILED, INTERRUPTED, OK, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any

    from hearth.clients.cli.parsing import Asked


def carry_out(asked: Asked) -> int:
    """Run it; the exit code."""
    choosing.check(asked)
    linger = asked.seconds("linger")
    command = _command(asked)
    with reach_or_start(asked) as wire:
        session = choosing.session_for(wire, asked)
        with Presses() as presses:
            cell = RunningCell(wire, session, presses)
            try:
                return _run(cell, command, asked, linger)
            finally:
                cell.close()


def _run(cell: RunningCell, command: dict[str, Any], asked: Asked, linger: float | None) -> int:
    output = CellOutput(cell.fetch)
    if not asked.has("json"):
        cell.output = output
    try:
        cell.submit(command)
        cell.follow()
        show = _as_json if asked.has("json") else _shown
        ending = show(cell, cell.ending or {}, output)
        if linger is not None:
            cell.linger(linger)
    except BrokenPipeError:
        cell.stop()  # nobody reads what it writes: a program of their own would end as well
        raise
    return INTERRUPTED if cell.is_stopped else ending


def _command(asked: Asked) -> dict[str, Any]:
    code, is_typed = _code(asked)
    if not code.strip():
        raise wrong_usage("the code is empty", "write: hearth run '1 + 1'")
    command: dict[str, Any] = {"type": "run_cell", "code": code, "if_busy": "queue"}
    limit = asked.seconds("timeout")
    if limit is not None:
        command["time_limit"] = limit
    if (on_error := asked.text("on-error")) is not None:
        if on_error not in {"undo", "keep"}:
            raise wrong_usage(
                f"--on-error is {on_error!r}, which nobody can do", "one of: undo, keep"
            )
        command["on_error"] = on_error
    if is_typed and is_terminal(sys.stdin) and not asked.has("json"):
        command["may_ask"] = True
    return command


def _code(asked: Asked) -> tuple[str, bool]:
    """The code, and whether it was typed: then stdin is free for what the code asks."""
    if asked.words and asked.words[0] != "-":
        return asked.words[0], True
    if sys.stdin is None or (not asked.words and is_terminal(sys.stdin)):
        raise wrong_usage("there is no code to run", "write: hearth run '1 + 1', or pipe it in")
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig"), False
    except UnicodeDecodeError as error:
        raise wrong_usage(
            f"the code on stdin is no UTF-8 (byte {error.start})", "convert it first"
        ) from None


def _shown(cell: RunningCell, ending: dict[str, Any], output: CellOutput) -> int:
    """Show people how it ended."""
    output.close(cell.outputs_of(ending), int(ending.get("dropped", 0)))
    if ending["type"] == "cell_finished":
        if value := output.text(ending.get("value")):
            output.value(value)
        return OK
    output.end_line()
    match ending["type"]:
        case "cell_failed":
            failure = ending.get("failure", {})
            trace = output.text(failure.get("traceback"))
            tell(trace.rstrip("\n") if trace else f"error: {_why(failure)}")
        case "cell_cancelled":
            who = ending["origin"].get("name") or "somebody"
            tell("stopped" if cell.is_stopped else f"stopped by {who}")
        case _:
            tell(f"it was not run: {ending.get('reason') or 'it was withdrawn'}")
    if ending.get("undone"):
        tell("what it did to the interpreter was taken back")
    return FAILED


def _why(failure: dict[str, Any]) -> str:
    # Only a failure without a traceback pays for the words of all events.
    from hearth.clients.cli.describing import failure_of  # noqa: PLC0415 - as the comment says

    return failure_of(failure)


def _as_json(cell: RunningCell, ending: dict[str, Any], output: CellOutput) -> int:
    """The whole of it as one object."""
    outputs = cell.outputs_of(ending)
    printed = {"stdout": "", "stderr": ""}
    for one in outputs:
        if one.get("type") == "stream_text":
            printed[str(one.get("stream"))] += output.text(one.get("text"))
    is_ok = ending["type"] == "cell_finished"
    emit(
        {
            "session": cell.session,
            "cell": cell.cell,
            "ok": is_ok,
            "outcome": str(ending["type"]).removeprefix("cell_"),
            "value": output.text(ending.get("value")),
            "value_type": ending.get("value_type", ""),
            "duration": ending.get("duration", 0.0),
            **printed,
            "outputs": outputs,
            "failure": ending.get("failure"),
            "undone": bool(ending.get("undone")),
        }
    )
    return OK if is_ok else FAILED
