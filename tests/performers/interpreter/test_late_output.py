"""What comes after a cell has ended is told under its name, in lumps, within its limit."""

import asyncio
from typing import Any

import pytest

from hearth.core.vocabulary.content import RichData, StreamText
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.reports import OutputCameLate
from hearth.performers.interpreter import late_output
from hearth.performers.interpreter.late_output import LateOutput

C1, C2 = CellId("c1"), CellId("c2")


def printed(text: str) -> dict[str, Any]:
    return {"name": "stdout", "text": text}


class Told:
    """Keeps what was told, and lets a test wait for it."""

    def __init__(self) -> None:
        self.reports: list[OutputCameLate] = []
        self.news = asyncio.Event()

    def __call__(self, report: OutputCameLate) -> None:
        self.reports.append(report)
        self.news.set()


async def test_pieces_that_come_soon_after_each_other_are_told_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late_output, "PAUSE", 0.01)
    told = Told()
    late = LateOutput(told, 100, 100)
    late.hear(3, C1, "stream", printed("a"))
    late.hear(3, C1, "stream", printed("b"))
    late.hear(3, C2, "stream", printed("c"))
    assert told.reports == [], "they may not be all"
    async with asyncio.timeout(10):
        await told.news.wait()
    assert told.reports == [
        OutputCameLate(3, C1, (StreamText("stdout", "ab"),)),
        OutputCameLate(3, C2, (StreamText("stdout", "c"),)),
    ]
    told.news.clear()
    late.hear(3, C1, "stream", printed("again"))
    async with asyncio.timeout(10):
        await told.news.wait()
    assert told.reports[-1] == OutputCameLate(3, C1, (StreamText("stdout", "again"),))


async def test_what_is_there_can_be_told_at_once_and_is_told_once() -> None:
    told = Told()
    late = LateOutput(told, 100, 100)
    late.hear(1, C1, "stream", printed("a"))
    late.flush(1)
    late.flush(1)
    assert [one.outputs for one in told.reports] == [(StreamText("stdout", "a"),)]


async def test_a_limit_holds_for_all_that_a_cell_still_writes() -> None:
    told = Told()
    late = LateOutput(told, 5, 100)
    for text in ("abc", "defg", "h", "i"):
        late.hear(1, C1, "stream", printed(text))
        late.flush(1)
    assert [(one.outputs, one.dropped) for one in told.reports] == [
        ((StreamText("stdout", "abc"),), 0),
        ((StreamText("stdout", "de"),), 2),
    ], "a thread that prints for ever fills no log"
    late.hear(1, C2, "stream", printed("other"))
    late.flush(1)
    assert told.reports[-1].outputs == (StreamText("stdout", "other"),), "it is each cell's own"


async def test_the_limit_of_displays_holds_for_all_of_them_too() -> None:
    told = Told()
    late = LateOutput(told, 100, 10)
    for _ in range(5):
        late.hear(1, C1, "display_data", {"data": {"image/png": "A" * 6}})
        late.flush(1)
    assert [(one.outputs, one.dropped) for one in told.reports] == [
        ((RichData({"image/png": "A" * 6}),), 0),
        ((), 6),
    ], "that it is too much is told once"


async def test_messages_that_show_nothing_are_not_told() -> None:
    told = Told()
    late = LateOutput(told, 100, 100)
    late.hear(1, C1, "stream", printed(""))
    late.hear(1, C1, "clear_output", {"wait": False})
    late.flush(1)
    assert told.reports == []


async def test_only_so_many_cells_are_remembered() -> None:
    told = Told()
    late = LateOutput(told, 5, 5)
    for number in range(late_output.MOST_CELLS * 3):
        late.hear(1, CellId(f"c{number}"), "stream", printed("12345"))
        late.flush(1)
    assert len(late._rooms) == late_output.MOST_CELLS
    assert len(told.reports) == late_output.MOST_CELLS * 3


async def test_nothing_is_told_after_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_output, "PAUSE", 0.0)
    told = Told()
    late = LateOutput(told, 100, 100)
    late.hear(1, C1, "stream", printed("a"))
    late.close()
    late.hear(1, C1, "stream", printed("b"))
    for _ in range(10):
        await asyncio.sleep(0)
    late.flush(1)
    assert told.reports == []
