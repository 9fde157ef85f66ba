"""Every interpreter is somebody's, or it is ended: none is left over."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.inside.processes import start_time
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.worker_folder import (
    GuardianRecord,
    ProcessId,
    WorkerFolder,
    WorkerRecord,
)
from hearth.performers.interpreter.workers import Workers

Process: TypeAlias = "subprocess.Popen[bytes]"
S, T = SessionId("session-one"), SessionId("session-two")


@pytest.fixture
async def runtime(tmp_path: Path) -> AsyncIterator[Runtime]:
    made = Runtime(tmp_path / "run")
    await asyncio.to_thread(made.open)
    yield made
    made.close()


@pytest.fixture
async def workers(runtime: Runtime) -> AsyncIterator[Workers]:
    launching = Launching(runtime, Preferences())
    made = Workers(runtime, launching)
    yield made
    await made.ended()
    made.let_go()
    await launching.close()


def left(
    runtime: Runtime, session: SessionId, generation: int = 1, *, prepared: bool = True
) -> Process:
    """A folder as an earlier daemon left it, with a guardian that waits."""
    process = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    folder = runtime.new()
    folder.write_connection()
    record = WorkerRecord(
        name=folder.name, session=session, generation=generation, prepared=prepared
    )
    folder.write_record(record)
    guardian = ProcessId(process.pid, start_time(process.pid))
    told = GuardianRecord(guardian, guardian, "running")
    (folder.path / "guardian.json").write_bytes(msgspec.json.encode(told))
    return process


def names(runtime: Runtime) -> list[str]:
    return [folder.name for folder in runtime.workers()]


def ended(process: Process) -> bool:
    return process.wait(30) == -signal.SIGTERM


async def test_what_another_daemon_left_is_found_by_session_and_generation(
    runtime: Runtime, workers: Workers
) -> None:
    process = left(runtime, S, 3)
    assert workers.left_by_another(T, 3) is None
    worker = workers.left_by_another(S, 3)
    assert worker is not None
    assert worker.generation == 3
    workers.add(S, worker)
    assert workers.current(S, 3) is worker
    assert workers.current(S, 2) is None
    assert workers.of(T) is None
    await workers.end(S, 3)
    assert ended(process)
    assert names(runtime) == []
    assert workers.of(S) is None


@pytest.mark.parametrize(("generation", "prepared"), [(2, True), (3, False)])
async def test_one_of_another_time_or_half_prepared_is_ended_instead(
    runtime: Runtime, workers: Workers, generation: int, *, prepared: bool
) -> None:
    process = left(runtime, S, generation, prepared=prepared)
    assert workers.left_by_another(S, 3) is None
    await workers.ended()
    assert ended(process)
    assert names(runtime) == []


async def test_a_folder_whose_process_is_gone_is_removed(
    runtime: Runtime, workers: Workers
) -> None:
    process = left(runtime, S)
    process.send_signal(signal.SIGTERM)
    assert ended(process)
    assert workers.left_by_another(S, 1) is None
    await workers.ended()
    assert names(runtime) == []


async def test_a_damaged_folder_is_removed_and_its_process_is_left_to_its_guardian(
    runtime: Runtime, workers: Workers
) -> None:
    process = left(runtime, S)
    (folder,) = runtime.workers()
    (folder.path / "connection.json").write_text("[]")
    assert workers.left_by_another(S, 1) is None
    await workers.ended()
    assert names(runtime) == []
    process.send_signal(signal.SIGTERM)
    assert ended(process)


async def test_ending_all_ends_every_session_and_spares_the_spares(
    runtime: Runtime, workers: Workers
) -> None:
    first, second = left(runtime, S), left(runtime, T)
    worker = workers.left_by_another(S, 1)
    assert worker is not None
    workers.add(S, worker)
    spare = runtime.new()
    spare.write_record(WorkerRecord(name=spare.name))
    await workers.end_all()
    assert ended(first)
    assert ended(second)
    assert names(runtime) == [spare.name]
    WorkerFolder(spare.path).remove()
