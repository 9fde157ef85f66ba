import asyncio
import os
import resource
from pathlib import Path

import pytest
from tests.performers.tools.shell.commanding import LIMIT, bash, is_running, pids_in

from hearth.performers.tools.shell.kept_output import KeptOutput
from hearth.performers.tools.shell.program import Ended
from hearth.performers.tools.shell.running import Running


async def begun(
    command: str, limit: float | None = None, file: Path | None = None, patience: float = 20
) -> tuple[Running, "asyncio.Queue[str]"]:
    shown: asyncio.Queue[str] = asyncio.Queue()
    running = Running(command, KeptOutput(file), shown.put_nowait)
    await running.begin(bash(command), limit, patience)
    return running, shown


async def test_what_it_writes_is_shown_while_it_runs() -> None:
    async with asyncio.timeout(LIMIT):
        running, shown = await begun("echo first; sleep 300")
        assert await shown.get() == "first\n"
        assert running.ended is None
        await running.end()
    assert running.was_stopped
    assert running.timed_out_after is None
    assert running.ended == Ended(signal=15)


async def test_it_is_ended_when_its_time_is_over_also_if_it_does_not_listen(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    stubborn = f"trap '' TERM; echo $$ > {file}; while :; do sleep 0.01; done"
    async with asyncio.timeout(LIMIT):
        running, _ = await begun(stubborn, limit=1, patience=0.1)
        await running.over()
    assert running.timed_out_after == 1
    assert not running.was_stopped
    assert running.ended == Ended(signal=9)
    assert not [pid for pid in pids_in(file) if is_running(pid)]


async def test_who_stops_waiting_leaves_it_running() -> None:
    async with asyncio.timeout(LIMIT):
        running, _ = await begun("sleep 300")
        waiting = asyncio.create_task(running.over())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert running.ended is None
        await running.end()
    assert running.ended is not None


async def test_more_is_there_when_something_new_was_written_or_it_ended(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    async with asyncio.timeout(LIMIT):
        running, _ = await begun(f"echo one; read < {fifo}; exit 2")
        await running.more(LIMIT)
        assert running.new_output().text("") == "one\n"
        assert running.new_output().text("") == ""
        await asyncio.to_thread(fifo.write_text, "\n")
        await running.more(LIMIT)
        assert running.ended == Ended(code=2)
        await running.more(LIMIT)


async def test_whoever_waits_for_more_does_not_wait_for_ever() -> None:
    async with asyncio.timeout(LIMIT):
        running, _ = await begun("sleep 300")
        await running.more(0.01)
        assert running.ended is None
        assert not running.output.total
        await running.end()


@pytest.mark.slow
async def test_a_gigabyte_fills_neither_memory_nor_disk_and_stalls_nobody(tmp_path: Path) -> None:
    file = tmp_path / "s" / "k1.out"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with asyncio.timeout(100):
        running, shown = await begun("yes | head -c 1073741824; echo; echo last", 100, file)
        turns = 0
        while running.ended is None:
            turns += 1
            await asyncio.sleep(0)
    assert running.output.total == 1073741824 + 6
    assert running.ended == Ended(code=0)
    assert file.stat().st_size == 64 * 1024 * 1024
    excerpt = running.new_output()
    assert excerpt.after.endswith(b"\nlast\n")
    assert len(excerpt.before) + len(excerpt.after) == 512 * 1024
    assert turns > 1000
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert kilobytes < 64 * 1024
    told = sum(len(shown.get_nowait()) for _ in range(shown.qsize()))
    assert told < 64 * 1024 * 1024


async def test_who_never_stops_writing_ends_at_its_time_all_the_same() -> None:
    async with asyncio.timeout(LIMIT):
        running, _ = await begun("trap '' TERM; yes", limit=1, patience=0.1)
        await running.over()
    assert running.timed_out_after == 1
    assert running.output.total > 1024 * 1024
