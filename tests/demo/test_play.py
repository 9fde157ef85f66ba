"""The demo plays to its end, and shows what it says it shows."""

import re
from pathlib import Path

from syrupy.assertion import SnapshotAssertion
from tests.contracts.hasty_clock import HastyClock

from hearth.demo.page import Page
from hearth.demo.play import play


async def test_the_play(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    written: list[str] = []
    await play(tmp_path, Page(written.append, colours=False, pause=0.0), HastyClock())
    text = "".join(written)
    numbers = [int(number) for number in re.findall(r"^ {2,5}(\d+)  ", text, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert text == snapshot
