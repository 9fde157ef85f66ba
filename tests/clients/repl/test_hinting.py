"""The signature of the innermost call is shown, and asked for once."""

import asyncio

import pytest

from hearth.clients.repl.hinting import Hints, open_call, told
from hearth.core.vocabulary.answers import Inspection

F = Inspection(found=True, name="f", signature="f(a, b=2)", doc="Add.\n\nMore.")


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("f(", "f"),
        ("x = f(1, ", "x = f"),
        ("f(g(1), ", "f"),
        ("f(g(", "f(g"),
        ("f1(", "f1"),
        ("a.b_(", "a.b_"),
        ("f(')', ", "f"),
        ("f(x)", ""),
        ("f([1, ", ""),
        ("(1, ", ""),
        ("x = (", ""),
        ("", ""),
        ("'f('", ""),
    ],
)
def test_the_innermost_call_is_found(before: str, call: str) -> None:
    assert open_call(before) == call


def test_a_signature_is_told_with_the_first_line_of_what_it_does() -> None:
    assert told(F) == "f(a, b=2)  Add."
    assert told(Inspection(found=True, name="x")) == ""
    assert told(Inspection(signature="f()")) == ""
    assert "\x1b" not in told(Inspection(found=True, signature="f(\x1b[2J)"))


async def test_each_call_is_asked_about_once() -> None:
    asked: list[str] = []
    changed = asyncio.Event()

    async def ask(code: str, cursor: int) -> Inspection | None:
        assert cursor == len(code)
        asked.append(code)
        return F if code == "f" else None

    hints = Hints(ask, changed.set, pause=0)
    hints.look("f")
    hints.look("f(")
    hints.look("f(1")
    async with asyncio.timeout(20):
        await changed.wait()
    assert hints.text == "f(a, b=2)  Add."
    hints.look("f(1, 2")
    assert asked == ["f"]
    hints.look("f(1)")
    assert hints.text == ""
    hints.close()


async def test_a_call_that_is_left_before_the_answer_came_shows_nothing() -> None:
    answered = asyncio.Event()

    async def ask(code: str, cursor: int) -> Inspection | None:
        del code, cursor
        answered.set()
        return F

    hints = Hints(ask, lambda: None, pause=0)
    hints.look("f(")
    hints.look("")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert hints.text == ""
    assert not answered.is_set()
