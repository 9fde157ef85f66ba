"""An interpreter is brought up for a session whole, or not at all, and the reason is told."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.performer import Recorded
from tests.performers.interpreter.pretended_python import program

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.failures import ProjectNotFound, WarmUpFailed
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.planning import Planning
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.warming import Warming, WarmUpStopped
from hearth.performers.interpreter.worker import Worker

S = SessionId("session-one")


@pytest.fixture
async def launching(runtime: Runtime) -> AsyncIterator[Launching]:
    made = Launching(runtime, Preferences(spares=0, warm_up=20.0))
    yield made
    await made.close()
    assert list(runtime.workers()) == [], "nothing is left of any start"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "hearth.jsonc").write_text('{"session": {"isRoot": true}}')
    return made


@pytest.fixture
def warming(launching: Launching, home: Path) -> Warming:
    return Warming(launching, Planning(home))


def start(directory: Path | str = "", generation: int = 1, **more: Any) -> fx.StartWorker:
    return fx.StartWorker(generation, SessionConfig(directory=str(directory), **more))


async def value(worker: Worker, stage: Recorded, cell: str, code: str) -> Any:
    """The value of an expression in the session."""
    running = worker.execute(fx.ExecuteInWorker(worker.generation, CellId(cell), code), code)
    assert running is not None
    async with asyncio.timeout(20):
        await running.ended.wait()
    ended = next(
        one for one in reversed(stage.reports) if isinstance(one, r.CellEnded) and one.cell == cell
    )
    assert isinstance(ended.ending, r.Succeeded), ended
    return ended.ending.value


async def test_an_interpreter_is_started_where_it_belongs_and_emptied_without_being_replaced(
    warming: Warming, runtime: Runtime, home: Path, project: Path
) -> None:
    (home / "init.py").write_text("mine = 1\nboth = 'home'")
    (project / ".hearthrc.py").write_text("both = 'project'\nprint('hello from here')")
    stage = Recorded()
    worker, ready = await warming.start(S, start(project), stage)
    assert ready.generation == 1
    assert ready.errors == ()
    assert ready.surroundings is not None
    assert (ready.surroundings.root, ready.surroundings.language) == (str(project), "python")
    assert ready.surroundings.python == worker.record.python
    written = worker.folder.record()
    assert written is not None
    assert (written.session, written.generation, written.prepared) == (S, 1, True)
    assert await value(worker, stage, "c1", "(mine, both)") == "(1, 'project')"
    assert await value(worker, stage, "c2", "import os; os.getcwd()") == repr(str(project))
    pid = await value(worker, stage, "c3", "left = 5; os.getpid()")

    again = await warming.reset(worker, fx.ResetWorker(2, start(project).config), stage)
    assert again is not None
    assert again.generation == 2
    assert worker.generation == 2
    assert await value(worker, stage, "c4", "'left' in globals(), mine") == "(False, 1)"
    assert await value(worker, stage, "c5", "import os; os.getpid()") == pid
    assert [one.name for one in runtime.workers()] == [worker.folder.name]
    await worker.end(politely=True)


async def test_an_interpreter_that_cannot_be_emptied_is_to_be_replaced(
    warming: Warming, project: Path
) -> None:
    stage = Recorded()
    worker, _ = await warming.start(S, start(project), stage)
    other = fx.ResetWorker(2, start(project, interpreter="/another/python").config)
    assert await warming.reset(worker, other, stage) is None, "it is of another environment"
    await worker.end(politely=False)
    same = fx.ResetWorker(2, start(project).config)
    assert await warming.reset(worker, same, stage) is None, "it has ended"


async def test_a_profile_that_fails_is_told_and_the_session_is_ready_all_the_same(
    warming: Warming, home: Path, project: Path
) -> None:
    (home / "init.py").write_text("1/0")
    stage = Recorded()
    worker, ready = await warming.start(S, start(project), stage)
    (error,) = ready.errors
    assert "init.py" in error
    assert "ZeroDivisionError" in error
    assert await value(worker, stage, "c1", "1 + 1") == "2"
    await worker.end(politely=False)


async def test_one_that_ends_in_its_preparation_is_told_with_how_it_ended(
    warming: Warming, home: Path, project: Path
) -> None:
    (home / "init.py").write_text("import os; os._exit(7)")
    stage = Recorded()
    with pytest.raises(WarmUpStopped) as stopped:
        await warming.start(S, start(project), stage)
    assert isinstance(stopped.value.failure, WarmUpFailed)
    assert "ended during its preparation" in str(stopped.value.failure.message)
    assert "exit code 7" in str(stopped.value.failure.message)


async def test_a_preparation_that_takes_too_long_is_ended(
    runtime: Runtime, home: Path, project: Path
) -> None:
    (home / "init.py").write_text("while True: pass")
    launching = Launching(runtime, Preferences(spares=0, warm_up=0.2))
    with pytest.raises(WarmUpStopped) as stopped:
        await Warming(launching, Planning(home)).start(S, start(project), Recorded())
    assert isinstance(stopped.value.failure, WarmUpFailed)
    assert "over 0.2 s" in str(stopped.value.failure.message)
    assert list(runtime.workers()) == []
    await launching.close()


async def test_a_start_that_is_cancelled_in_its_preparation_leaves_nothing(
    warming: Warming, runtime: Runtime, home: Path, project: Path
) -> None:
    (home / "init.py").write_text("print('on', flush=True)\nwhile True: pass")
    stage = Recorded()
    starting = asyncio.create_task(warming.start(S, start(project), stage))
    await stage.seen()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert list(runtime.workers()) == []
    assert stage.reports == []


# -- where nothing can be started ------------------------------------------------------------------


async def test_a_place_that_is_not_there_is_told_before_anything_is_started(
    warming: Warming, runtime: Runtime, tmp_path: Path
) -> None:
    with pytest.raises(WarmUpStopped) as stopped:
        await warming.start(S, start(tmp_path / "nowhere"), Recorded())
    assert stopped.value.failure == ProjectNotFound(str(tmp_path / "nowhere"))
    assert list(runtime.workers()) == []


@pytest.mark.parametrize(
    ("interpreter", "words"),
    [("/nonexistent/python", "cannot be run"), ("no-such-kernel", "no interpreter named")],
)
async def test_an_interpreter_that_is_not_there_is_told_by_its_name(
    warming: Warming, project: Path, interpreter: str, words: str
) -> None:
    with pytest.raises(WarmUpStopped) as stopped:
        await warming.start(S, start(project, interpreter=interpreter), Recorded())
    assert isinstance(stopped.value.failure, WarmUpFailed)
    assert interpreter in str(stopped.value.failure.message)
    assert words in str(stopped.value.failure.message)


async def test_a_program_that_is_no_python_is_told_by_its_path(
    warming: Warming, project: Path, tmp_path: Path
) -> None:
    python = program(tmp_path, "exit 0")
    with pytest.raises(WarmUpStopped) as stopped:
        await warming.start(S, start(project, interpreter=python), Recorded())
    assert isinstance(stopped.value.failure, WarmUpFailed)
    assert python in str(stopped.value.failure.message)


async def test_a_runtime_folder_that_is_gone_is_told(
    warming: Warming, runtime: Runtime, project: Path
) -> None:
    runtime.lock_path.unlink()
    runtime.folder.rmdir()
    with pytest.raises(WarmUpStopped) as stopped:
        await warming.start(S, start(project, interpreter=sys.executable), Recorded())
    assert isinstance(stopped.value.failure, WarmUpFailed)
    assert "No such file" in str(stopped.value.failure.message)
    runtime.folder.mkdir()  # the fixture takes it away
