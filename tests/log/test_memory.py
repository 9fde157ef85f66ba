"""What is particular to the log in memory; the contract runs in test_event_log."""

import asyncio

import pytest
from tests.contracts.event_log import Heard
from tests.contracts.facts import new_session, some

from hearth.log.event_log import StoreDown
from hearth.log.memory import MemoryLog, MemoryStore


async def test_each_log_has_a_store_of_its_own_unless_told() -> None:
    store = MemoryStore()
    alone, one, two = MemoryLog(), MemoryLog(store), MemoryLog(store)
    for log in (alone, one, two):
        await log.open()
        await log.open()
    rows = await one.append(new_session(), 0, some(2))
    assert list(await two.read()) == list(rows)
    assert await alone.read() == []
    assert "memory" in one.name


async def test_it_must_be_opened() -> None:
    with pytest.raises(StoreDown, match="not open"):
        await MemoryLog().append(new_session(), 0, some(1))


async def test_a_listener_that_fails_harms_nobody() -> None:
    log = MemoryLog()
    await log.open()
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: told.append(what["message"]))

    def fail(_: object) -> None:
        raise ValueError

    heard = Heard()
    log.listen(fail)
    log.listen(heard)
    rows = await log.append(new_session(), 0, some(1))
    assert heard.rows == list(rows)
    assert told == ["a commit listener failed"]
