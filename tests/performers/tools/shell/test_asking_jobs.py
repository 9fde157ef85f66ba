import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.performers.tools.shell.commanding import LIMIT, bash

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.tools.arguments import NotValid, parsed
from hearth.performers.tools.shell.asking_jobs import ShellKill, ShellOutput
from hearth.performers.tools.shell.jobs import Jobs, Order
from hearth.performers.tools.tool import Scene, Wanted

SCENE = Scene(SessionId("one"), "/")
OTHER = Scene(SessionId("other"), "/")


def order(command: str) -> Order:
    return Order(command, bash(command), None, lambda _: None)


@pytest.fixture
async def jobs(tmp_path: Path, left: Callable[[], list[int]]) -> AsyncIterator[Jobs]:
    one = Jobs(tmp_path / "results")
    yield one
    async with asyncio.timeout(LIMIT):
        await one.close()
    assert not left()


async def test_what_a_job_wrote_is_told_when_it_is_asked_for(jobs: Jobs, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    tool = ShellOutput(jobs)
    async with asyncio.timeout(LIMIT):
        await jobs.start(SCENE.session, order(f"echo first; read < {fifo}; echo second; exit 4"))
        told = await tool.run({"job": "j1", "wait": LIMIT}, SCENE)
        assert told.text == "first\n\nJob j1 runs."
        told = await tool.run({"job": "j1"}, SCENE)
        assert told.text == "(no new output)\n\nJob j1 runs."
        await asyncio.to_thread(fifo.write_text, "\n")
        [(_, running)] = jobs.listed(SCENE.session)
        await running.over()
        told = await tool.run({"job": "j1", "wait": LIMIT}, SCENE)
        assert told.text == "second\n\nJob j1 has ended. Exit code 4."
        assert not told.is_error


async def test_a_job_is_ended_with_all_that_it_started(
    jobs: Jobs, left: Callable[[], list[int]]
) -> None:
    async with asyncio.timeout(LIMIT):
        _, running = await jobs.start(SCENE.session, order("echo on; setsid sleep 300 & wait"))
        await running.more(LIMIT)
        told = await ShellKill(jobs).run({"job": "j1"}, SCENE)
    assert told.text.startswith("on\n\nJob j1 has ended. It was stopped")
    assert not told.is_error
    assert not left()


async def test_jobs_are_listed(jobs: Jobs) -> None:
    tool = ShellOutput(jobs)
    assert (await tool.run({}, SCENE)).text == "This session has no jobs."
    async with asyncio.timeout(LIMIT):
        await jobs.start(SCENE.session, order("sleep 300"))
        _, running = await jobs.start(SCENE.session, order("exit 3"))
        await running.over()
    listed = await tool.run({}, SCENE)
    assert listed.text == "j1: runs: sleep 300\nj2: Exit code 3: exit 3"
    assert (await tool.run({}, OTHER)).text == "This session has no jobs."


@pytest.mark.parametrize("kind", [ShellOutput, ShellKill])
async def test_nobody_reaches_the_jobs_of_another_session(
    jobs: Jobs, kind: type[ShellOutput] | type[ShellKill]
) -> None:
    async with asyncio.timeout(LIMIT):
        _, running = await jobs.start(OTHER.session, order("sleep 300"))
        told = await kind(jobs).run({"job": "j1"}, SCENE)
    assert told.is_error
    assert told.text == "This session has no job j1. There are: none."
    assert running.ended is None


async def test_a_job_of_an_earlier_daemon_is_told_as_ended_with_it(tmp_path: Path) -> None:
    earlier = Jobs(tmp_path / "results")
    async with asyncio.timeout(LIMIT):
        await earlier.start(SCENE.session, order("sleep 300"))
        await earlier.close()
    told = await ShellOutput(Jobs(tmp_path / "results")).run({"job": "j1"}, SCENE)
    assert told.is_error
    assert "j1 (sleep 300) does not run any more: jobs end with the daemon" in told.text


def test_neither_needs_permission_and_no_two_calls_share_a_result() -> None:
    for tool in (ShellOutput(Jobs()), ShellKill(Jobs())):
        assert tool.wants({"job": "j1"}, SCENE) == Wanted()
        assert tool.is_offered(SCENE)
        assert not tool.read_only


def test_what_is_no_wait_is_not_taken() -> None:
    for wrong in ('{"wait": -1}', '{"wait": 601}', '{"job": ""}', '{"other": 1}'):
        with pytest.raises(NotValid):
            parsed(wrong, ShellOutput.input_schema)
    with pytest.raises(NotValid):
        parsed("{}", ShellKill.input_schema)
