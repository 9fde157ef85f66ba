"""The demo's page: whole lines everywhere, and in a terminal the one that is coming to be."""

import asyncio

from hearth.clients.repl.painting import Paint
from hearth.demo.page import CLEAR, Page


def pages(width: int | None) -> tuple[Page, list[str]]:
    written: list[str] = []
    return Page(written.append, Paint(), width=width), written


async def test_where_nobody_looks_there_are_only_whole_lines() -> None:
    page, written = pages(None)
    page.live("coming to be")
    page.remark("Something happens.", "And more.")
    await page.type("> ", "hello", 1000.0)  # nobody waits for it
    page.close()
    assert "".join(written) == "\n# Something happens.\n# And more.\n> hello\n"


def test_a_line_that_comes_to_be_is_taken_away_before_another() -> None:
    page, written = pages(80)
    page.live("half of i")
    page.show("whole")
    page.live("half of it")
    page.close()
    assert "".join(written) == (
        f"{CLEAR}half of i{CLEAR}whole\n{CLEAR}half of i{CLEAR}half of it{CLEAR}"
    )


def test_a_line_that_comes_to_be_never_needs_two() -> None:
    page, written = pages(20)
    page.live("a line that is much longer than the terminal is wide")
    assert len(written[-1].removeprefix(CLEAR)) < 20


async def test_what_is_typed_stays_below_what_happens() -> None:
    page, written = pages(80)
    typing = asyncio.create_task(page.type("> ", "hi", 1e-9))
    await asyncio.sleep(0)
    page.show("something happens")
    assert written[-2].endswith("something happens\n")
    assert written[-1] == f"{CLEAR}> "
    await typing
    assert written[-1] == f"{CLEAR}> hi\n"
