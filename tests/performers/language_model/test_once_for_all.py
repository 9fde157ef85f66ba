"""What several need at once is done once, and by nobody's leave but that of whoever closes it."""

import asyncio
import gc

import pytest

from hearth.performers.language_model.once_for_all import OnceForAll

PATIENCE = 30.0


class Work:
    """Waits to be let through, and counts how often it was begun."""

    def __init__(self) -> None:
        self.begun = 0
        self.under_way = asyncio.Event()
        self.gate = asyncio.Event()
        self.trouble: Exception | None = None

    async def run(self) -> int:
        self.begun += 1
        self.under_way.set()
        await self.gate.wait()
        if self.trouble is not None:
            raise self.trouble
        return self.begun


async def test_all_who_wait_have_it_from_one_run_though_the_first_of_them_left() -> None:
    work, once = Work(), OnceForAll[int]()
    first, *others = [asyncio.create_task(once.have("a", work.run)) for _ in range(5)]
    async with asyncio.timeout(PATIENCE):
        await work.under_way.wait()
        first.cancel()
        work.gate.set()
        assert await asyncio.gather(*others) == [1, 1, 1, 1]
        assert await once.have("a", work.run) == 2, "what has ended is begun anew"
    assert first.cancelled()


async def test_other_work_is_not_waited_for() -> None:
    slow, quick, once = Work(), Work(), OnceForAll[int]()
    quick.gate.set()
    waiting = asyncio.create_task(once.have("slow", slow.run))
    async with asyncio.timeout(PATIENCE):
        await slow.under_way.wait()
        assert await once.have("quick", quick.run) == 1
        assert not waiting.done()
        await once.close()


async def test_what_went_wrong_is_told_to_all_and_not_kept() -> None:
    work, once = Work(), OnceForAll[int]()
    work.trouble = ValueError("no")
    work.gate.set()
    async with asyncio.timeout(PATIENCE):
        for _ in range(2):
            with pytest.raises(ValueError, match="no"):
                await once.have("a", work.run)
    assert work.begun == 2


async def test_trouble_that_nobody_waits_for_any_more_is_no_complaint_of_the_loop() -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
    work, once = Work(), OnceForAll[int]()
    work.trouble = ValueError("no")
    waiting = asyncio.create_task(once.have("a", work.run))
    async with asyncio.timeout(PATIENCE):
        await work.under_way.wait()
        (running,) = once._running.values()
        waiting.cancel()
        await asyncio.wait([waiting])
        work.gate.set()
        await asyncio.wait([running])
    del running
    gc.collect()
    assert complaints == []


async def test_closing_gives_up_what_is_under_way() -> None:
    work, once = Work(), OnceForAll[int]()
    waiting = asyncio.create_task(once.have("a", work.run))
    async with asyncio.timeout(PATIENCE):
        await work.under_way.wait()
        await once.close()
        await asyncio.wait([waiting])
    assert waiting.cancelled()
