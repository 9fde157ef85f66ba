"""Where an interrupt finds the main thread."""

import sys
from types import FrameType
from typing import Any

from hearth.performers.interpreter.inside import asks, journal
from hearth.performers.interpreter.inside.interrupting import place

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
