"""How a cell is run: on the stack of its caller, or as a task that can be left behind."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from hearth.performers.interpreter.inside.cells import RunningCell
from hearth.performers.interpreter.inside.executing import Outcome, run


class Shell(InteractiveShell):
    """IPython's own, which shows errors to nobody."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None: ...


@pytest.fixture
def shell(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    make: Any = Shell
    one = make()
    one.history_manager.enabled = False
    yield one
    one.history_manager.end_session()
    one.restore_sys_module_state()
    Shell.clear_instance()


async def _ran(shell: Any, code: str, cell: RunningCell | None = None) -> Outcome:
    return await run(shell, cell or RunningCell({}), code, silent=False, store_history=False)


async def test_a_cell_that_awaits_nothing_runs_on_the_stack(shell: Any) -> None:
    cell = RunningCell({})
    outcome = await _ran(shell, "x = 20\nx + 1", cell)
    assert (outcome.value, outcome.error) == (21, None)
    assert cell.task is None


@pytest.mark.promise("SF-EVAL-04")
async def test_a_cell_that_awaits_is_a_task(shell: Any) -> None:
    cell = RunningCell({})
    outcome = await _ran(shell, "import asyncio\nawait asyncio.sleep(0)\n7", cell)
    assert (outcome.value, outcome.error) == (7, None)
    assert cell.task is not None
    assert cell.task.done()


async def test_errors_of_every_kind_are_the_cells(shell: Any) -> None:
    for code, kind in (
        ("1/0", ZeroDivisionError),
        ("1 +", SyntaxError),
        ("return 1", SyntaxError),
        ("raise KeyboardInterrupt", KeyboardInterrupt),
        ("raise SystemExit(2)", SystemExit),
        ("%no_such_magic", Exception),
    ):
        outcome = await _ran(shell, code)
        assert outcome.error is None or isinstance(outcome.error, kind), code
        if code != "%no_such_magic":
            assert isinstance(outcome.error, kind), code


async def test_a_task_that_is_given_up_goes_on_without_the_session(shell: Any) -> None:
    cell = RunningCell({})
    code = "import asyncio\nopen_ = asyncio.Event()\nawait open_.wait()\nlate = 1"
    running = asyncio.ensure_future(_ran(shell, code, cell))
    for _ in range(10):
        await asyncio.sleep(0)
    assert cell.given_up is not None
    cell.given_up.set_result(None)
    outcome = await running
    assert type(outcome.error).__name__ == "CellAbandoned"
    assert not shell.display_trap.is_active
    assert cell.task is not None
    assert not cell.task.done()
    shell.user_ns["open_"].set()
    await cell.task
    await asyncio.sleep(0)
    assert shell.user_ns["late"] == 1
    assert (await _ran(shell, "2")).value == 2
    assert not shell.display_trap.is_active
