"""Interpreters are started and answer, or leave no process and no folder and say why."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.pretended_python import PATIENCE, READY, line_from, program

from hearth.performers.interpreter import launching as launchings
from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.template import start_template
from hearth.performers.interpreter.worker_folder import ProcessId


@pytest.fixture
async def launching(runtime: Runtime) -> AsyncIterator[Launching]:
    made = Launching(runtime, Preferences(spares=0))
    yield made
    await made.close()


def kernel(folder: Path, name: str, **more: Any) -> None:
    """Describe a kernel, where Jupyter looks for them."""
    place = folder / "kernels" / name
    place.mkdir(parents=True)
    about = {
        "argv": [sys.executable, "-m", "bash_kernel", "-f", "{connection_file}"],
        "display_name": name,
        "language": "bash",
        **more,
    }
    (place / "kernel.json").write_text(json.dumps(about))


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    return tmp_path


async def test_one_that_is_to_be_run_otherwise_is_not_one_of_those_that_wait(
    runtime: Runtime,
) -> None:
    launching = Launching(runtime, Preferences(spares=1))
    try:
        launching.pool.warm(sys.executable)
        await launching.pool.warmed(sys.executable)
        stricter = Preferences(spares=1, processes=7)
        worker = await launching.take(sys.executable, stricter)
        assert worker.preferences == stricter
        assert json.loads((worker.folder.path / "launch.json").read_bytes())["processes"] == 7
        # The next daemon, which finds it there, runs it in the same way.
        assert launching.worker(worker.folder, worker.record).preferences == stricter
        record = worker.folder.record()
        assert record is not None
        assert record.preferences == stricter
        plain = await launching.take(sys.executable, Preferences(spares=1))
        assert plain.preferences == Preferences(spares=1)
        for one in (worker, plain):
            await one.end(politely=True)
    finally:
        await launching.close()


async def test_an_interpreter_started_from_nothing_answers_and_leaves_nothing(
    launching: Launching, runtime: Runtime
) -> None:
    worker = await launching._python(sys.executable, None)
    told = worker.folder.guardian()
    assert told is not None
    assert (worker.language, worker.record.subshells) == ("python", True)
    assert worker.language_version == ".".join(map(str, sys.version_info[:3]))
    assert worker.record.name == worker.folder.name
    assert await worker.asking.ask("ping", {}, where="control", patience=PATIENCE)
    await worker.end(politely=True)
    assert list(runtime.workers()) == []
    assert not signalling.is_alive(told.guardian)
    assert not signalling.is_alive(told.kernel)


async def test_two_that_start_at_once_are_two(launching: Launching, runtime: Runtime) -> None:
    pair = await asyncio.gather(*(launching._python(sys.executable, None) for _ in range(2)))
    kernels = [worker.folder.guardian() for worker in pair]
    pids = {one.kernel.pid for one in kernels if one is not None}
    assert len(pids) == len({worker.folder.name for worker in pair}) == 2
    await asyncio.gather(*(worker.end(politely=False) for worker in pair))
    assert list(runtime.workers()) == []


@pytest.mark.parametrize(
    ("script", "words"),
    [("exit 0", "ended before it answered"), ("echo no >&2; exit 1", "ended before it answered")],
)
async def test_a_program_that_is_no_python_is_told_by_its_path(
    launching: Launching, runtime: Runtime, tmp_path: Path, script: str, words: str
) -> None:
    python = program(tmp_path, script)
    with pytest.raises(CannotStart, match=words) as told:
        await launching._python(python, None)
    assert python in str(told.value)
    assert list(runtime.workers()) == []


async def test_a_python_that_is_not_there_leaves_no_folder(
    launching: Launching, runtime: Runtime
) -> None:
    with pytest.raises(CannotStart, match="cannot be run"):
        await launching._python("/nonexistent/python", None)
    assert list(runtime.workers()) == []


async def test_one_that_never_answers_is_ended(
    launching: Launching, runtime: Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launchings, "READY", 0.2)
    python = program(tmp_path, f"echo $$ > {tmp_path}/pid; exec tail -f /dev/null")
    with pytest.raises(CannotStart, match=r"did not answer within 0\.2 s"):
        await launching._python(python, None)
    assert list(runtime.workers()) == []
    assert not signalling.is_alive(ProcessId(int((tmp_path / "pid").read_text())))


async def test_a_start_that_is_cancelled_while_it_is_greeted_leaves_nothing(
    launching: Launching, runtime: Runtime, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "begun")
    python = program(tmp_path, f"echo $$ > {tmp_path}/begun; exec tail -f {tmp_path}/python")
    starting = asyncio.create_task(launching._python(python, None))
    pid = int(await line_from(tmp_path / "begun"))
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert list(runtime.workers()) == []
    assert not signalling.is_alive(ProcessId(pid))


async def test_a_start_that_is_cancelled_while_it_is_forked_leaves_nothing(
    launching: Launching, runtime: Runtime, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "asked")
    # It forks when it is asked, and answers once somebody has read that it did.
    script = (
        f"read line; folder=${{line#*: }}; tail -f /dev/null & echo $! > {tmp_path}/asked; "
        'printf \'{"folder": %s, "guardian": %s}\\n\' "${folder%\\}}" $! >&0; read line'
    )
    template = await start_template(program(tmp_path, f"{READY}\n{script}"))
    starting = asyncio.create_task(launching._python(sys.executable, template))
    pid = int(await line_from(tmp_path / "asked"))
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert list(runtime.workers()) == []
    assert not signalling.is_alive(ProcessId(pid))
    await template.close()


# -- kernels of other languages -------------------------------------------------------------------


async def test_a_kernel_of_another_language_answers_and_can_be_heard(
    launching: Launching, runtime: Runtime, kernels: Path
) -> None:
    kernel(kernels, "shell", interrupt_mode="message", env={"MY_OWN": "1"})
    worker = await launching.foreign("shell", str(kernels))
    assert worker.language == "bash"
    assert (worker.record.kind, worker.record.python) == ("foreign", "shell")
    assert worker.record.interrupt_by_message
    assert not worker.asking.is_ours
    assert worker.connection.listening.is_set()
    launch = json.loads((worker.folder.path / "launch.json").read_text())
    assert launch["directory"] == str(kernels)
    assert launch["environment"]["MY_OWN"] == "1"
    assert launch["argv"][-1] == str(worker.folder.path / "connection.json")
    await worker.end(politely=True)
    assert list(runtime.workers()) == []


async def test_a_name_that_no_kernel_has_is_told_with_those_that_there_are(
    launching: Launching, runtime: Runtime, kernels: Path
) -> None:
    kernel(kernels, "shell")
    for name in ("nothing", "no such thing!", ""):
        with pytest.raises(CannotStart, match=r"known kernels: .*shell.*and python"):
            await launching.foreign(name, "")
    assert list(runtime.workers()) == []


@pytest.mark.parametrize("content", ["{", "[]", '{"argv": 3}', '{"argv": []}', "\0"])
async def test_a_kernel_that_is_described_badly_is_told_not_raised(
    launching: Launching, runtime: Runtime, kernels: Path, content: str
) -> None:
    kernel(kernels, "bad")
    (kernels / "kernels" / "bad" / "kernel.json").write_text(content)
    with pytest.raises(CannotStart, match="'bad'"):
        await launching.foreign("bad", "")
    assert list(runtime.workers()) == []


async def test_a_kernel_whose_program_is_not_there_is_told(
    launching: Launching, runtime: Runtime, kernels: Path
) -> None:
    kernel(kernels, "gone", argv=["/nonexistent/kernel", "{connection_file}"])
    with pytest.raises(CannotStart, match="cannot start /nonexistent/kernel"):
        await launching.foreign("gone", "")
    assert list(runtime.workers()) == []
