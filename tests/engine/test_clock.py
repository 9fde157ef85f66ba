"""The machine's clock tells UTC and lets time pass."""

from datetime import UTC, datetime

from hearth.engine.clock import SystemClock


async def test_the_present_is_in_utc_and_a_pause_takes_time() -> None:
    clock = SystemClock()
    before = clock.now()
    assert before.tzinfo is UTC
    assert abs((datetime.now(UTC) - before).total_seconds()) < 60
    await clock.sleep(0)
    assert clock.now() >= before
