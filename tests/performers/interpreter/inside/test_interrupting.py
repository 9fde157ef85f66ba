"""Where an interrupt finds the main thread."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from hearth.performers.interpreter.inside import asks, journal
from hearth.performers.interpreter.inside.cells import RunningCell
from hearth.performers.interpreter.inside.interrupting import Interrupts, place

CELL = "/cells/1.py"


def _frame_in(name: str, filename: str, inner: Any = None) -> FrameType:
    """The innermost frame of code that was compiled under this name and calls `inner`."""
    space: dict[str, Any] = {"inner": inner or (lambda: sys._getframe(1))}
    source = f"def {name}():\n    return inner()\nframe = {name}()"
    exec(compile(source, filename, "exec"), space)  # noqa: S102 - code with a name of its own
    frame = space["frame"]
    assert isinstance(frame, FrameType)
    return frame


def test_code_of_a_cell_is_found_under_whatever_it_calls() -> None:
    assert place(_frame_in("f", CELL), {CELL}) == "code"
    deep = _frame_in("f", CELL, lambda: _frame_in("library", "/lib/library.py"))
    assert place(deep, {CELL}) == "code"


def test_a_question_that_is_being_answered_counts_as_code() -> None:
    frame = asks._call(lambda _, __: sys._getframe(), None, {})
    assert place(frame, set()) == "code"


def test_what_belongs_to_no_cell_is_outside() -> None:
    assert place(None, {CELL}) == "outside"
    assert place(_frame_in("f", "/lib/library.py"), {CELL}) == "outside"


def test_a_message_on_its_way_is_not_torn() -> None:
    sending = _frame_in("f", CELL, lambda: _frame_in("put", journal.__file__))
    assert place(sending, {CELL}) == "sending"
    scheduling = _frame_in("f", CELL, lambda: _frame_in("schedule", "/x/ipykernel/iostream.py"))
    assert place(scheduling, {CELL}) == "sending"


def test_an_error_that_is_being_shown_is_not_interrupted() -> None:
    showing = _frame_in("showtraceback", "/x/IPython/core/interactiveshell.py")
    assert place(showing, {CELL}) == "showing"


class _Kernel:
    """As much of one as an interrupt looks at."""

    def __init__(self, cell: RunningCell | None) -> None:
        self.cell = cell
        self.shell = SimpleNamespace(compile=SimpleNamespace(names={CELL}))


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The signals that are sent, which go nowhere."""
    sent: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _, number: sent.append(number))
    return sent


def _cell() -> RunningCell:
    cell: RunningCell = object.__new__(RunningCell)
    cell.task = None
    cell.interrupted = False
    cell.cancelled = False
    return cell


def test_what_is_put_off_is_for_its_own_cell_and_for_no_later_one(
    killed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[], None]] = []
    monkeypatch.setattr(
        threading,
        "Timer",
        lambda _, call, args: SimpleNamespace(start=lambda: waiting.append(lambda: call(*args))),
    )
    sending = _frame_in("f", CELL, lambda: _frame_in("put", journal.__file__))
    first, second = _cell(), _cell()
    kernel = _Kernel(first)
    interrupts = Interrupts(kernel)
    interrupts._on_interrupt(signal.SIGINT, sending)
    kernel.cell = second
    waiting.pop()()
    assert killed == [], "the cell has ended: there is nobody to interrupt"
    kernel.cell = first
    interrupts._on_interrupt(signal.SIGINT, sending)
    waiting.pop()()
    assert killed == [signal.SIGINT]
    # It ended in the very instant in which the signal was on its way.
    kernel.cell = second
    interrupts._on_interrupt(signal.SIGINT, _frame_in("f", CELL))
    with pytest.raises(KeyboardInterrupt):
        interrupts._on_interrupt(signal.SIGINT, _frame_in("f", CELL))


def test_what_was_put_off_and_met_another_reaction_costs_no_later_cell_its_interrupt(
    killed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(signal, "set_wakeup_fd", lambda *_, **__: -1)
    monkeypatch.setattr(asyncio, "get_event_loop", lambda: None)
    first = _cell()
    kernel = _Kernel(first)
    interrupts = Interrupts(kernel)
    interrupts._again(first)
    assert killed == [signal.SIGINT]
    interrupts.yields = True
    interrupts._on_interrupt(signal.SIGINT, _frame_in("f", CELL))  # it only makes way
    interrupts.install()  # as whenever a cell has ended
    kernel.cell = _cell()
    with pytest.raises(KeyboardInterrupt):
        interrupts._on_interrupt(signal.SIGINT, _frame_in("f", CELL))
