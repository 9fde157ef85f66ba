"""Where an interrupt finds the main thread."""

import asyncio
import os
import signal
import sys
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


class _Beside:
    """The loop of the control thread, whose time comes when a test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def call_soon_threadsafe(self, call: Callable[..., None], *args: Any) -> None:
        call(*args)

    def call_later(self, _: float, call: Callable[..., None], *args: Any) -> None:
        self.waiting.append(lambda: call(*args))

    def go_on(self) -> None:
        (waiting,) = self.waiting
        self.waiting.clear()
        waiting()


class _Kernel:
    """As much of one as an interrupt looks at."""

    def __init__(self, cell: RunningCell | None) -> None:
        self.cell = cell
        self.shell = SimpleNamespace(compile=SimpleNamespace(names={CELL}))
        self.beside = _Beside()
        self.control_thread = SimpleNamespace(io_loop=SimpleNamespace(asyncio_loop=self.beside))


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The signals that are sent, which go nowhere."""
    sent: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _, number: sent.append(number))
    return sent


@pytest.fixture
def reactions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the process does on a signal, the latest last; this one is left alone."""
    found: list[Any] = [None]
    monkeypatch.setattr(signal, "signal", lambda _, reaction: found.append(reaction))
    monkeypatch.setattr(signal, "getsignal", lambda _: found[-1])
    monkeypatch.setattr(signal, "set_wakeup_fd", lambda *_, **__: -1)
    monkeypatch.setattr(asyncio, "get_event_loop", lambda: None)
    return found


def _installed(kernel: _Kernel) -> Interrupts:
    interrupts = Interrupts(kernel)
    interrupts.install()
    return interrupts


IN_CODE = _frame_in("f", CELL)
SENDING = _frame_in("f", CELL, lambda: _frame_in("put", journal.__file__))
OUTSIDE = _frame_in("run_code", "/x/IPython/core/interactiveshell.py")


@pytest.mark.usefixtures("reactions")
@pytest.mark.parametrize("frame", [SENDING, OUTSIDE])
def test_what_is_put_off_is_for_its_own_cell_and_for_no_later_one(
    killed: list[int], frame: FrameType
) -> None:
    kernel = _Kernel(RunningCell({}))
    interrupts = _installed(kernel)
    interrupts._on_interrupt(signal.SIGINT, frame)
    kernel.cell = RunningCell({})
    kernel.beside.go_on()
    assert killed == [], "the cell has ended: there is nobody to interrupt"
    interrupts._on_interrupt(signal.SIGINT, frame)
    kernel.beside.go_on()
    assert killed == [signal.SIGINT]
    # It ended in the very instant in which the signal was on its way.
    kernel.cell = later = RunningCell({})
    interrupts._on_interrupt(signal.SIGINT, IN_CODE)
    assert not later.heard
    with pytest.raises(KeyboardInterrupt):
        interrupts._on_interrupt(signal.SIGINT, IN_CODE)
    assert later.heard


@pytest.mark.usefixtures("reactions")
def test_what_is_put_off_is_told_until_it_is_heard_and_then_no_more(killed: list[int]) -> None:
    kernel = _Kernel(cell := RunningCell({}))
    interrupts = _installed(kernel)
    interrupts._on_interrupt(signal.SIGINT, OUTSIDE)
    assert cell.interrupted, "its next statement, if there is one, does not begin"
    kernel.beside.go_on()
    kernel.beside.go_on()  # the first came when the cell was about to wait
    interrupts._on_interrupt(signal.SIGINT, SENDING)
    assert len(kernel.beside.waiting) == 1, "however often it is put off"
    with pytest.raises(KeyboardInterrupt):
        interrupts._on_interrupt(signal.SIGINT, IN_CODE)
    kernel.beside.go_on()
    assert killed == [signal.SIGINT] * 2
    assert kernel.beside.waiting == []
    assert not cell.interrupted, "what the code does about it runs on"


@pytest.mark.usefixtures("reactions")
def test_a_cell_that_awaits_is_cancelled_once(killed: list[int]) -> None:
    cancelled: list[str] = []
    cell: Any = RunningCell({})
    interrupts = _installed(kernel := _Kernel(cell))
    interrupts._on_interrupt(signal.SIGINT, OUTSIDE)  # it does not await yet
    cell.task = SimpleNamespace(cancel=lambda: cancelled.append("cell"))
    interrupts._on_interrupt(signal.SIGINT, OUTSIDE)
    kernel.beside.go_on()
    assert cancelled == ["cell"]
    assert killed == []


def test_a_reaction_of_the_code_s_own_is_not_told_again(
    killed: list[int], reactions: list[Any]
) -> None:
    kernel = _Kernel(cell := RunningCell({}))
    interrupts = _installed(kernel)
    interrupts._on_interrupt(signal.SIGINT, OUTSIDE)
    reactions.append(print)
    kernel.beside.go_on()
    assert not interrupts.again(cell)
    assert killed == []
    assert kernel.beside.waiting == []


@pytest.mark.usefixtures("reactions")
def test_what_was_put_off_and_met_another_reaction_costs_no_later_cell_its_interrupt(
    killed: list[int],
) -> None:
    kernel = _Kernel(first := RunningCell({}))
    interrupts = _installed(kernel)
    assert interrupts.again(first)
    assert killed == [signal.SIGINT]
    interrupts.yields = True
    interrupts._on_interrupt(signal.SIGINT, IN_CODE)  # it only makes way
    interrupts.install()  # as whenever a cell has ended
    kernel.cell = RunningCell({})
    with pytest.raises(KeyboardInterrupt):
        interrupts._on_interrupt(signal.SIGINT, IN_CODE)
