import asyncio

from hearth.engine.together import some_at_once


async def test_all_are_done_in_order_and_never_too_many_at_once() -> None:
    under_way = 0
    most = 0

    async def double(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return number * 2

    assert await some_at_once(double, range(10), most=4) == [2 * number for number in range(10)]
    assert most == 4
    assert await some_at_once(double, ()) == []
