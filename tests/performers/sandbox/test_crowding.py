"""What multiplies or takes all the memory is ended."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.performers.sandbox.trying import LIMIT, Machine

from hearth.performers.sandbox.crowding import Bounds, bounded


@contextmanager
def _begun(here: Machine, *argv: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = here.sandbox.wrapped(argv, directory=str(here.root), root=str(here.root))
    process = subprocess.Popen(  # noqa: S603 - the very thing that is tested
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=LIMIT)


async def test_a_program_that_multiplies_is_ended_with_all_of_them(here: Machine) -> None:
    # Not without an end, should this test fail: it multiplies three hundred times.
    script = "for i in $(seq 300); do (setsid sleep 1000 &) ; done; echo all; sleep 1000"
    with _begun(here, "/bin/bash", "-c", script) as process:
        async with asyncio.timeout(LIMIT):
            why = await bounded(process.pid, Bounds(processes=40), every=0)
            assert "more than 40 processes" in why
            assert process.stdout is not None
            # It is open until the last of them is gone.
            await asyncio.to_thread(process.stdout.read)


async def test_a_program_that_takes_too_much_memory_is_ended(here: Machine) -> None:
    script = "x = bytearray(120 << 20); print(flush=True); input()"
    with _begun(here, "python3", "-c", script) as process:
        async with asyncio.timeout(LIMIT):
            why = await bounded(process.pid, Bounds(memory=60 << 20), every=0)
            assert "of 60 MiB" in why
            assert await asyncio.to_thread(process.wait) != 0


async def test_a_program_within_its_bounds_is_left_alone(here: Machine) -> None:
    with _begun(here, "/bin/cat") as process:
        async with asyncio.timeout(LIMIT):
            watching = asyncio.create_task(
                bounded(process.pid, Bounds(processes=40, memory=1 << 30), every=0)
            )
            assert process.stdin is not None
            process.stdin.close()
            process.stdin = None
            await asyncio.to_thread(process.wait)
            assert await watching == ""
            assert process.returncode == 0


async def test_a_program_that_is_gone_is_not_looked_for(here: Machine) -> None:
    with _begun(here, "/bin/true") as process:
        async with asyncio.timeout(LIMIT):
            await asyncio.to_thread(process.wait)
            assert await bounded(process.pid, Bounds(processes=0)) == ""
