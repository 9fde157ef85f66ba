"""What an interpreter says at its end, and what takes its voice away, is heard all the same."""

from pathlib import Path

import pytest
from tests.contracts.hasty_clock import HastyClock
from tests.journeys.live import living
from tests.journeys.test_live_survival import EXITS, FAULTS, crashed

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import StreamText


@pytest.mark.promise("SF-SES-02")
async def test_a_crash_says_where_in_the_code_it_was(tmp_path: Path) -> None:
    async with living(tmp_path, clock=HastyClock()) as live:
        await live.create()
        lost = crashed(await live.run(FAULTS))
        assert "Segmentation fault" in await live.text(lost.traceback)
        assert "string_at" in await live.text(lost.traceback)


@pytest.mark.promise("SF-PERF-04")
async def test_what_was_printed_just_before_the_end_is_recorded(tmp_path: Path) -> None:
    async with living(tmp_path, clock=HastyClock()) as live:
        await live.create()
        ended = await live.run(f"print('last words')\n{EXITS}")
        crashed(ended)
        assert isinstance(ended, e.CellFailed)
        assert ended.outputs == (StreamText("stdout", "last words\n"),)


@pytest.mark.promise("SF-STATE-06")
async def test_code_that_takes_stdout_away_still_comes_to_its_end(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.run("import sys; del sys.stdout")
        assert await live.value("40 + 2") == "42"
