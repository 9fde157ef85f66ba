"""Whoever stops waiting for a program to begin leaves none behind."""

import asyncio
import os
import select
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.pretended_python import PATIENCE, is_running, line_from, program

from hearth.performers.interpreter import spawning
from hearth.performers.interpreter.spawning import end, spawn


@pytest.mark.parametrize("how", [{}, {"start_new_session": True}], ids=["plain", "leader"])
@pytest.mark.parametrize("turns", range(1, 9))
async def test_a_start_that_is_cancelled_at_any_turn_leaves_no_process(
    tmp_path: Path, turns: int, how: dict[str, Any]
) -> None:
    pipe = tmp_path / "begun"
    os.mkfifo(pipe)
    begun = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    path = program(tmp_path, f"echo $$ > {pipe}; exec tail -f {tmp_path}/python")
    starting = asyncio.create_task(
        spawn(path, stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, **how)
    )
    for _ in range(turns):
        await asyncio.sleep(0)
    if turns > 1:  # by then it was begun; the loop stands still until it runs
        assert select.select([begun], [], [], PATIENCE)[0]
    starting.cancel()
    (came,) = await asyncio.gather(starting, return_exceptions=True)
    if isinstance(came, asyncio.subprocess.Process):  # it was there already: it is the caller's
        came.kill()
        await came.wait()
    os.close(begun)
    assert not is_running(tmp_path)


async def test_what_cannot_be_started_says_so() -> None:
    with pytest.raises(FileNotFoundError):
        await spawn("/nonexistent/program")


async def test_a_program_is_started_and_waited_for() -> None:
    process = await spawn("/bin/sh", "-c", "echo heard; exit 3", stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    assert (said, process.returncode) == (b"heard\n", 3)


async def test_an_end_is_made_of_a_program_that_writes_for_ever() -> None:
    process = await spawn("yes", stdout=asyncio.subprocess.PIPE)
    await end(process)
    assert process.returncode == -9
    await end(process)


async def test_a_program_that_leads_a_group_ends_with_all_of_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "begun")
    script = f"tail -f {tmp_path}/python & echo $! > {tmp_path}/begun; wait"
    path = program(tmp_path, script)
    process = await spawn(path, start_new_session=True)
    child = os.pidfd_open(int(await line_from(tmp_path / "begun")))
    await end(process)
    assert select.select([child], [], [], PATIENCE)[0], "it is killed, too"
    os.close(child)


async def test_a_pipe_that_somebody_else_keeps_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spawning, "DRAINING", 0.05)
    os.mkfifo(tmp_path / "begun")
    script = f"setsid tail -f {tmp_path}/python & echo $! > {tmp_path}/begun; wait"
    process = await spawn(program(tmp_path, script), stdout=asyncio.subprocess.PIPE)
    other = int(await line_from(tmp_path / "begun"))
    await end(process)
    assert process.returncode == -9
    os.kill(other, signal.SIGKILL)
    await end(process)  # now the pipe is at its end
