"""Enter, Tab, Backspace and Ctrl-C do what one expects of them."""

import asyncio

import pytest
from tests.clients.repl.controlling import Typing, typing

from hearth.clients.repl.entered import Left, Typed

ALT_ENTER, BACKSPACE, CTRL_C, LEFT, UP = "\x1b\r", "\x7f", "\x03", "\x1b[D", "\x1b[A"
CTRL_D, CTRL_T = "\x04", "\x14"


async def entered(here: Typing, keys: str) -> str:
    """What these keys enter."""
    here.keys.send_text(keys)
    async with asyncio.timeout(20):
        did = await here.terminal.read()
    assert isinstance(did, Typed), did
    return did.text


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("1+1\r", "1+1"),
        ("for i in x:\rprint(i)\r\r", "for i in x:\n    print(i)\n    "),
        ("f(\r1)\r", "f(\n    1)"),
        (
            "def f():\rif x:\rreturn 1\rreturn 2\r\r",
            "def f():\n    if x:\n        return 1\n    return 2\n",
        ),
        (".who\r", ".who"),
        ("1 +* 2\r", "1 +* 2"),
        (f"x = [{ALT_ENTER}", "x = ["),
        (f"for x in y:\r{BACKSPACE}z\r", "for x in y:\nz"),
        (f"if x:\r  {BACKSPACE}y{ALT_ENTER}", "if x:\n     y"),
        ("if x:\r\ty\r\r", "if x:\n        y\n        "),
        (f"ac{LEFT}b\r", "abc"),
        ("> what is this (\r", "> what is this ("),
        ("> one\\\rtwo\r", "> one\\\ntwo"),
        (">\rone:\rtwo\r\r", ">\none:\ntwo\n"),
        (f">\rone{ALT_ENTER}", ">\none"),
        (f"{CTRL_T}hi\r", "> hi"),
        (f"hi{CTRL_T}\r", "> hi"),
        (f"hi{CTRL_T}{CTRL_T}\r", "hi"),
        (f"> hi{CTRL_T}!\r", "hi!"),
        (f"{CTRL_T}.who\r", ".who"),
        (f"{CTRL_T}:who\r", ":who"),
        (f"{CTRL_T}a.b:c\r", "> a.b:c"),
        ("> .who\r", "> .who"),
        (".try 1 --- 2\r", ".try 1 --- 2"),
        (".try\rx = 1\r---\rx = 2\r\r", ".try\nx = 1\n---\nx = 2\n"),
    ],
)
async def test_keys_enter_what_they_should(keys: str, text: str) -> None:
    with typing() as here:
        assert await entered(here, keys) == text


async def test_enter_in_the_middle_of_several_lines_begins_a_new_one() -> None:
    with typing() as here:
        typed = await entered(here, f"if x:\ry{UP}\r#{ALT_ENTER}")
        assert typed.count("\n") == 2


async def test_another_language_is_run_line_by_line() -> None:
    with typing() as here:
        here.controls.python = False
        assert await entered(here, "for i in 1 2; do\r") == "for i in 1 2; do"
        assert await entered(here, "echo \\\rx\r") == "echo \\\nx"


async def test_what_is_pasted_comes_as_it_is() -> None:
    with typing() as here:
        code = "def f():\n\n    if x:\n        return 1"
        assert await entered(here, f"\x1b[200~{code}\x1b[201~{ALT_ENTER}") == code


async def test_ctrl_c_clears_the_line_where_nothing_runs() -> None:
    with typing() as here:
        assert await entered(here, f"rubbish{CTRL_C}1+1\r") == "1+1"
        assert here.controls.interrupts == 1


async def test_ctrl_c_keeps_the_line_while_something_runs() -> None:
    with typing() as here:
        here.controls.is_running = True
        assert await entered(here, f"1+{CTRL_C}1\r") == "1+1"
        assert here.controls.interrupts == 1


async def test_who_speaks_to_the_agent_goes_on_doing_so() -> None:
    with typing() as here:
        assert await entered(here, f"{CTRL_T}one\r") == "> one"
        assert await entered(here, "two\r") == "> two"
        assert await entered(here, f"rubbish{CTRL_C}three\r") == "> three"
        assert await entered(here, f"{CTRL_T}4\r") == "4"
        assert await entered(here, "5\r") == "5"


async def test_ctrl_d_leaves_also_while_one_speaks_to_the_agent() -> None:
    with typing() as here:
        here.keys.send_text(CTRL_T + CTRL_D)
        async with asyncio.timeout(20):
            assert await here.terminal.read() == Left()


async def test_ctrl_c_says_whether_anything_is_typed() -> None:
    with typing() as here:
        await entered(here, f"x{CTRL_C}1\r")
        assert not here.controls.was_empty
        await entered(here, f"{CTRL_C}1\r")
        assert here.controls.was_empty
        await entered(here, f"{CTRL_T}{CTRL_C}1\r")
        assert here.controls.was_empty


async def test_nothing_is_completed_in_what_is_said_to_the_agent() -> None:
    with typing() as here:
        assert await entered(here, "> pri\t!\r") != "> print!"
