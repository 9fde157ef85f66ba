"""A template is forked, and whatever becomes of it, nobody gets somebody else's interpreter."""

import asyncio
import os
import select
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.performers.interpreter.pretended_python import PATIENCE, READY, is_running, program, says

from hearth.performers.interpreter import template as templates
from hearth.performers.interpreter.launcher import environment_of
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.process_watch import ProcessWatch
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.starting import CannotStart, make_folder
from hearth.performers.interpreter.template import Template, start_template
from hearth.performers.interpreter.worker_folder import ProcessId, WorkerFolder, WorkerRecord


@pytest.fixture
async def real() -> AsyncIterator[Template]:
    made = await start_template(sys.executable)
    yield made
    await made.close()


async def pretended(folder: Path, *script: str) -> Template:
    return await start_template(program(folder, "\n".join((READY, *script))))


# -- a real one -----------------------------------------------------------------------------------


async def test_a_real_template_is_forked_again_and_again_and_its_copies_outlive_it(
    runtime: Runtime, real: Template
) -> None:
    watches = []
    for _ in range(2):
        launch = {"environment": environment_of(sys.executable)}
        folder = make_folder(runtime, WorkerRecord(name=""), Preferences(), launch)
        watch = ProcessWatch(folder, lambda: None)
        assert watch.begin(await real.fork(folder))
        watches.append(watch)
    assert real.is_alive
    await real.close()
    assert not real.is_alive
    for watch in watches:
        assert not watch.is_over
        await watch.end()
        assert watch.is_over


async def test_a_template_that_was_killed_says_so_and_forks_no_more(
    real: Template, tmp_path: Path
) -> None:
    real._process.kill()
    with pytest.raises(CannotStart, match="has ended"):
        await real.fork(WorkerFolder(tmp_path))
    await real._process.wait()
    assert not real.is_alive
    await real.close()
    await real.close()


# -- what may go wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["/nonexistent/python", "/", "a\0b"])
async def test_what_is_no_program_is_told_by_its_name(name: str) -> None:
    with pytest.raises(CannotStart, match="cannot be run: ") as told:
        await start_template(name)
    assert repr(name) in str(told.value)


async def test_a_program_that_is_no_python_is_told_in_its_own_words(tmp_path: Path) -> None:
    python = program(tmp_path, "echo something first >&2; echo it needs Python 3.10 >&2; exit 3")
    with pytest.raises(CannotStart, match=r"^it needs Python 3\.10$"):
        await start_template(python)


@pytest.mark.parametrize(
    "script", ["exit 0", "echo garbage >&0", says({"no": 1}), says([1]), "printf '\\377\\n' >&0"]
)
async def test_one_that_ends_or_says_nonsense_instead_of_being_ready_is_no_template(
    tmp_path: Path, script: str
) -> None:
    with pytest.raises(CannotStart, match="it ended while it was prepared"):
        await start_template(program(tmp_path, script))


async def test_one_that_is_never_ready_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "STARTING", 0.05)
    with pytest.raises(CannotStart, match=r"within 0\.05 s"):
        await start_template(program(tmp_path, "exec tail -f /dev/null"))
    assert not is_running(tmp_path)


@pytest.mark.parametrize("turns", range(1, 13))
async def test_a_start_that_is_cancelled_at_any_turn_leaves_no_process(
    tmp_path: Path, turns: int
) -> None:
    os.mkfifo(tmp_path / "begun")
    begun = os.open(tmp_path / "begun", os.O_RDWR | os.O_NONBLOCK)
    python = program(tmp_path, f"echo on > {tmp_path}/begun; exec tail -f {tmp_path}/python")
    starting = asyncio.create_task(start_template(python))
    for _ in range(turns):
        await asyncio.sleep(0)
    if turns > 4:  # by then it is begun; the loop stands still until it runs
        assert select.select([begun], [], [], PATIENCE)[0]
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    os.close(begun)
    assert not is_running(tmp_path)


async def test_an_error_of_the_template_is_told(tmp_path: Path) -> None:
    path = tmp_path / "w-1"
    one = await pretended(tmp_path, "read line", says({"folder": str(path), "error": "no memory"}))
    with pytest.raises(CannotStart, match="no memory"):
        await one.fork(WorkerFolder(path))
    await one.close()


async def test_one_that_dies_while_it_forks_is_told(tmp_path: Path) -> None:
    one = await pretended(tmp_path, "read line", "exit 1")
    with pytest.raises(CannotStart, match="has ended"):
        await one.fork(WorkerFolder(tmp_path / "w-1"))
    await one.close()


async def test_garbage_between_answers_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "w-1"
    answer = says({"folder": str(path), "guardian": 4711})
    one = await pretended(tmp_path, "read line", "echo garbage >&0", says([]), answer, "read line")
    assert await one.fork(WorkerFolder(path)) == ProcessId(4711)
    await one.close()


async def test_an_answer_about_another_folder_is_nobodys_guardian(tmp_path: Path) -> None:
    first, second = WorkerFolder(tmp_path / "w-1"), WorkerFolder(tmp_path / "w-2")
    one = await pretended(
        tmp_path,
        "read line",
        "read line",
        says({"folder": str(first.path), "guardian": 1}),
        says({"folder": str(second.path), "guardian": 2}),
        "read line",
    )
    cancelled = asyncio.create_task(one.fork(first))
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.gather(cancelled, return_exceptions=True)
    assert await one.fork(second) == ProcessId(2)
    await one.close()


@pytest.mark.parametrize("guardian", ["'x'", None, 1.5])
async def test_a_guardian_that_is_no_number_is_none(tmp_path: Path, guardian: object) -> None:
    path = tmp_path / "w-1"
    one = await pretended(tmp_path, "read line", says({"folder": str(path), "guardian": guardian}))
    with pytest.raises(CannotStart):
        await one.fork(WorkerFolder(path))
    await one.close()


async def test_one_that_does_not_answer_is_ended_and_whoever_is_next_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "FORKING", 0.05)
    one = await pretended(tmp_path, "exec tail -f /dev/null")
    both = [one.fork(WorkerFolder(tmp_path / name)) for name in ("w-1", "w-2")]
    for found in await asyncio.gather(*both, return_exceptions=True):
        assert isinstance(found, CannotStart)
    assert not one.is_alive
    assert not is_running(tmp_path)


async def test_a_fork_that_fails_falls_back_to_a_start_from_nothing_in_another_folder(
    runtime: Runtime, tmp_path: Path
) -> None:
    broken = await pretended(tmp_path, "read line", "exit 1")
    launching = Launching(runtime, Preferences(spares=0))
    worker = await launching._python(sys.executable, broken)
    assert [one.name for one in runtime.workers()] == [worker.folder.name]
    await worker.end(politely=True)
    await broken.close()
    await launching.close()
    assert list(runtime.workers()) == []
