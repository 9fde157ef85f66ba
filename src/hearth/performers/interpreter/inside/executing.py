"""Runs the code of one cell in IPython's shell, so that it can be stopped or left behind."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

from .cells import RunningCell
from .rescue import CellAbandoned
from .shell import HearthShell, error_text


class Outcome:
    """How a cell ended: its value, or the error that ended it."""

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self.value = value
        self.error = error


async def run(
    shell: HearthShell, cell: RunningCell, code: str, *, silent: bool, store_history: bool
) -> Outcome:
    """Run it to its end; it is the caller's duty that only one does so in a thread."""
    problem: Any = None
    try:
        transformed = shell.transform_cell(code)
    except Exception:  # noqa: BLE001 - the shell shows it as the cell's error
        transformed, problem = code, sys.exc_info()
    running = shell.run_cell_async(
        code,
        store_history=store_history,
        silent=silent,
        transformed_cell=transformed,
        preprocessing_exc_tuple=problem,
    )
    awaits = shell.should_run_async(
        code, transformed_cell=transformed, preprocessing_exc_tuple=problem
    )
    result = None
    try:
        if awaits:
            outcome, result = await _await(shell, cell, running)
        else:
            outcome, result = _step(shell, running)
    finally:
        shell.events.trigger("post_execute")
        if not silent:
            shell.events.trigger("post_run_cell", result)
    return outcome


def _step(shell: HearthShell, running: Coroutine[Any, Any, Any]) -> tuple[Outcome, Any]:
    """Run what never awaits, on the stack of the caller."""
    try:
        running.send(None)
    except StopIteration as ended:
        return _outcome(ended.value), ended.value
    except BaseException as broken:  # noqa: BLE001 - whatever it was, it was the cell's
        return _broken(shell, broken), None
    running.close()
    return Outcome(error=RuntimeError("the cell awaits where nothing can be awaited")), None


async def _await(
    shell: HearthShell, cell: RunningCell, running: Coroutine[Any, Any, Any]
) -> tuple[Outcome, Any]:
    loop = asyncio.get_running_loop()
    task = loop.create_task(running)
    cell.loop, cell.given_up, cell.task = loop, loop.create_future(), task
    await asyncio.wait({task, cell.given_up}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        return _leave_behind(shell, task), None
    cell.given_up.cancel()
    try:
        result = task.result()
    except BaseException as broken:  # noqa: BLE001 - whatever it was, it was the cell's
        return _broken(shell, broken), None
    return _outcome(result), result


def _leave_behind(shell: HearthShell, task: "asyncio.Task[Any]") -> Outcome:
    """Give the session back while the task goes on, without what only one cell can have."""
    traps = (shell.display_trap, shell.builtin_trap)
    for trap in traps:
        trap.__exit__(None, None, None)

    def balance(_: object) -> None:
        # The task left its traps once more when it ended after all.
        for trap in traps:
            trap.__enter__()

    task.add_done_callback(balance)
    task.add_done_callback(_look_at)
    return _broken(
        shell, CellAbandoned("the cell ignored every request to end and was left behind")
    )


def _look_at(task: "asyncio.Task[Any]") -> None:
    """Take the error of a task that nobody awaits, so that asyncio does not print it later."""
    if not task.cancelled():
        task.exception()


def _outcome(result: Any) -> Outcome:
    # The first counts: what came after it is trouble with showing it.
    error = result.error_in_exec
    return Outcome(result.result, error if error is not None else result.error_before_exec)


def _broken(shell: HearthShell, error: BaseException) -> Outcome:
    """An error that the shell did not show itself."""
    shell._showtraceback(  # noqa: SLF001 - the part of it that only sends
        type(error), error, [f"{type(error).__name__}: {error_text(error)}"]
    )
    return Outcome(error=error)
