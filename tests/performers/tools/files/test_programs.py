import asyncio
import os
import sys
from pathlib import Path

import psutil
import pytest

from hearth.performers.tools.files.opening import NotOpened
from hearth.performers.tools.files.programs import Bounds, Ran, held_folder, program, run


async def python(
    code: str, folder: Path, told: bytes | int | None = None, bounds: Bounds | None = None
) -> Ran:
    async with held_folder(str(folder)) as descriptor:
        return await run(
            [sys.executable, "-I", "-S", "-c", code], descriptor, told, bounds or Bounds()
        )


async def test_a_program_runs_in_the_folder_that_is_open_whatever_becomes_of_its_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "here" / "mine").touch()
    async with held_folder(str(tmp_path / "here")) as folder:
        (tmp_path / "here").rename(tmp_path / "moved")
        (tmp_path / "here").symlink_to(tmp_path / "other")
        command = [sys.executable, "-I", "-S", "-c", "import os; print(os.listdir())"]
        ran = await run(command, folder, None, Bounds())
    assert (ran.output, ran.code) == (b"['mine']\n", 0)


async def test_it_hears_what_it_is_told_and_is_heard_with_its_exit_code(tmp_path: Path) -> None:
    code = "import sys; print(len(sys.stdin.read())); sys.stderr.write('oh'); sys.exit(3)"
    ran = await python(code, tmp_path, b"x" * 3_000_000)
    assert (ran.output, ran.code, ran.said) == (b"3000000\n", 3, "oh")
    assert not ran.is_cut
    assert not ran.is_late


async def test_it_is_told_nothing_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "value")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", "/somewhere")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    ran = await python("import os; print(sorted(os.environ))", tmp_path)
    said = ran.output.decode()
    assert "PATH" in said
    assert not {"SECRET_KEY", "RIPGREP_CONFIG_PATH", "GIT_DIR'"} & set(said.split("'"))


async def test_one_that_says_too_much_is_ended(tmp_path: Path) -> None:
    async with asyncio.timeout(30):
        ran = await python("while True: print('x' * 1000)", tmp_path, bounds=Bounds(20, 100_000))
    assert ran.is_cut
    assert len(ran.output) == 100_000


async def test_one_that_never_ends_is_ended(tmp_path: Path) -> None:
    async with asyncio.timeout(30):
        ran = await python("while True: pass", tmp_path, bounds=Bounds(0.1))
    assert ran.is_late
    assert ran.code == -9


async def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "one = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "print(one.pid)\n"
        "while True: print('x' * 1000)"
    )
    async with asyncio.timeout(60):
        ran = await python(code, tmp_path, bounds=Bounds(30, 10_000))
    assert ran.is_cut
    try:
        child = psutil.Process(int(ran.output.split()[0]))
    except psutil.NoSuchProcess:
        return
    psutil.wait_procs([child], 20)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


async def test_one_that_nobody_waits_for_any_more_is_gone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "begun")
    code = "import os; open('begun', 'w').write(str(os.getpid()))\nwhile True: pass"
    running = asyncio.create_task(python(code, tmp_path))
    async with asyncio.timeout(30):
        pid = int(await asyncio.to_thread((tmp_path / "begun").read_text))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert not psutil.pid_exists(pid)


async def test_what_cannot_be_started_is_an_error_and_no_folder_stays_open(tmp_path: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))  # noqa: ASYNC240 - a folder of the system
    with pytest.raises(OSError, match="no-such"):
        async with held_folder(str(tmp_path)) as folder:
            await run(["/no-such-program"], folder, None, Bounds())
    with pytest.raises(NotOpened):
        async with held_folder(str(tmp_path / "missing")):
            pass
    assert len(list(Path("/dev/fd").iterdir())) == before  # noqa: ASYNC240 - a folder of the system


def test_a_program_that_a_project_brings_along_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = tmp_path / "bin", tmp_path / "project" / "bin"
    for folder in (ours, theirs):
        folder.mkdir(parents=True)
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", f"{theirs}:relative:{ours}")
    assert program("tool", str(tmp_path / "project")) == str(ours / "tool")
    assert program("tool", "") == str(theirs / "tool")
    monkeypatch.setenv("PATH", f"{theirs}")
    assert program("tool", str(tmp_path / "project")) is None
