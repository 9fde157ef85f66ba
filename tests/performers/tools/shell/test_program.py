import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.performers.tools.shell.commanding import (
    BASH,
    ENVIRONMENT,
    LIMIT,
    bash,
    is_running,
    pids_in,
)

from hearth.performers.sandbox.crowding import Bounds
from hearth.performers.tools.shell.program import CouldNotStart, Ended, Launch, Program


async def run(launch: Launch) -> tuple[Ended, bytes]:
    pieces: list[bytes] = []
    async with asyncio.timeout(LIMIT):
        program = await Program.begin(launch)
        ended = await program.wait(pieces.append)
    return ended, b"".join(pieces)


async def test_both_streams_come_in_the_order_in_which_they_were_written() -> None:
    ended, written = await run(
        bash("for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 4")
    )
    assert written == b"out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"
    assert ended == Ended(code=4)


async def test_it_runs_where_and_with_what_it_is_told(tmp_path: Path) -> None:
    _, written = await run(
        Launch((BASH, "-c", "pwd; env"), str(tmp_path), {"ONLY": "this", "PATH": "/bin:/usr/bin"})
    )
    first, *rest = written.decode().splitlines()
    assert first == str(tmp_path)
    assert "ONLY=this" in rest
    assert not [line for line in rest if line.startswith(("HOME=", "VIRTUAL_ENV="))]


async def test_no_descriptor_of_ours_is_there_for_it() -> None:
    _, written = await run(bash("ls -l /proc/self/fd"))
    assert b"socket:" not in written
    assert b"/dev/null" in written


async def test_a_program_that_is_not_there_could_not_start() -> None:
    ended, written = await run(Launch(("/no/such/program",), "/", ENVIRONMENT))
    assert ended == Ended(problem="/no/such/program: No such file or directory")
    assert not written


async def test_what_no_system_takes_could_not_start() -> None:
    with pytest.raises(CouldNotStart):
        await Program.begin(bash("echo \0"))
    with pytest.raises(CouldNotStart, match="too long"):
        await Program.begin(bash("x" * 1_000_000))


async def test_whoever_stops_waiting_while_it_begins_leaves_nothing_behind(
    left: Callable[[], list[int]],
) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
    beginning = asyncio.create_task(Program.begin(bash("sleep 300")))
    await asyncio.sleep(0)
    beginning.cancel()
    async with asyncio.timeout(LIMIT):
        with pytest.raises(asyncio.CancelledError):
            await beginning
    assert not left()
    assert len(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208 - names are enough


async def test_whoever_stops_waiting_for_its_end_ends_it(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    begun = asyncio.Event()

    def take(_piece: bytes) -> None:
        begun.set()

    async with asyncio.timeout(LIMIT):
        program = await Program.begin(bash(f"echo $$ > {file}; echo on; exec sleep 300"))
        waiting = asyncio.create_task(program.wait(take))
        await begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await program.kill()  # which finds that it ended by itself
    assert not [pid for pid in pids_in(file) if is_running(pid)]


async def test_a_pipe_that_somebody_keeps_does_not_keep_us(tmp_path: Path) -> None:
    """Its guardian was killed from inside, so that nobody finds who forked away."""
    file = tmp_path / "pids"
    ended, written = await run(
        bash(
            f"setsid bash -c 'echo $$ > {file}; echo away; exec sleep 300' & "
            f"while [ ! -s {file} ]; do :; done; kill -9 $PPID; sleep 300"
        )
    )
    assert "without a word" in ended.problem
    assert b"away\n" in written
    [pid] = pids_in(file)
    assert is_running(pid)
    os.kill(pid, 9)


async def test_who_takes_slowly_is_waited_for() -> None:
    taking = 0

    def take(piece: bytes) -> "asyncio.Future[None]":
        nonlocal taking
        assert not taking
        taking += len(piece)
        future = asyncio.get_running_loop().create_future()

        def took() -> None:
            nonlocal taking
            taking = 0
            future.set_result(None)

        asyncio.get_running_loop().call_soon(took)
        return future

    async with asyncio.timeout(LIMIT):
        program = await Program.begin(bash("head -c 3000000 /dev/zero"))
        assert await program.wait(take) == Ended(code=0)
    assert not taking


async def test_what_multiplies_without_end_is_ended_with_all_of_it(
    left: Callable[[], list[int]],
) -> None:
    crowd = replace(
        bash("for i in $(seq 60); do sleep 300 & done; wait"), bounds=Bounds(processes=20)
    )
    ended, _ = await run(crowd)
    assert ended.problem == "it had started more than 20 processes at once, and was ended"
    assert not left()
