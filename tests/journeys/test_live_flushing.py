"""What a cell has flushed is shown at once, whatever the cell does next."""

from pathlib import Path

import pytest
from tests.journeys.live import living

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e


@pytest.mark.promise("SF-EVAL-02")
async def test_what_was_flushed_is_shown_although_the_code_then_lets_nobody_else_run(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        # Whether it is told in time would be a matter of luck: so more than once.
        for number in range(8):
            await live.begin(f"print('flushed {number}', flush=True)\nsum(range(10**11))")
            await live.saw_printed(f"flushed {number}")
            assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
