"""A daemon ends when it is asked to, however far it has come."""

import asyncio
import os
import signal

import pytest

from hearth.serving.stopping import Stopping


async def test_being_asked_ends_the_waiting_and_nothing_else() -> None:
    me = asyncio.current_task()
    assert me is not None
    stopping = Stopping(me)
    stopping.serving()
    assert not stopping.asked
    stopping.ask("a test wants it", end_sessions=False)
    async with asyncio.timeout(20):
        await stopping.wait()
    assert stopping.asked
    assert not stopping.end_sessions
    assert me.cancelling() == 0


async def test_a_start_that_is_not_over_is_cut_short() -> None:
    async def start() -> None:
        await asyncio.Event().wait()

    starting = asyncio.create_task(start())
    await asyncio.sleep(0)
    stopping = Stopping(starting)
    stopping.ask("a test wants it", end_sessions=False)
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(20):
            await starting


async def test_whoever_ends_the_sessions_is_heard_even_after_another() -> None:
    me = asyncio.current_task()
    assert me is not None
    stopping = Stopping(me)
    stopping.serving()
    stopping.ask("one", end_sessions=False)
    stopping.ask("another", end_sessions=True)
    stopping.ask("a third", end_sessions=False)
    assert stopping.end_sessions


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_asks_and_leaves_the_interpreters(number: signal.Signals) -> None:
    me = asyncio.current_task()
    assert me is not None
    stopping = Stopping(me)
    stopping.serving()
    loop = asyncio.get_running_loop()
    stopping.on_signals(loop)
    try:
        os.kill(os.getpid(), number)
        async with asyncio.timeout(20):
            await stopping.wait()
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        loop.remove_signal_handler(signal.SIGINT)
    assert not stopping.end_sessions
