import asyncio
import functools
import os
import select
import sys
from pathlib import Path

import pytest

from hearth.performers.interpreter.project.environments import Environment
from hearth.performers.interpreter.project.rebuilding import SyncCommand, rebuild, sync_command

OWN = Environment("/v/bin/python", "3.11.7", "/v", ".venv")
HEARTHS = Environment(sys.executable, "3.11.7", sys.prefix, "hearth")


def tool(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    return str(path)


def shell(body: str, folder: Path) -> SyncCommand:
    return SyncCommand(("/bin/sh", "-c", body), folder)


class TestTheCommand:
    def test_of_a_uv_project_is_uv_sync_into_its_environment(self, tmp_path: Path) -> None:
        uv = tool(tmp_path, "uv")
        (tmp_path / "uv.lock").write_text("", "utf-8")
        command = sync_command(tmp_path, OWN, str(tmp_path))
        assert command == SyncCommand((uv, "sync"), tmp_path, {"UV_PROJECT_ENVIRONMENT": "/v"})
        assert str(command) == "uv sync"
        assert sync_command(tmp_path, HEARTHS, str(tmp_path)) == SyncCommand((uv, "sync"), tmp_path)

    def test_of_a_poetry_project_is_poetry_install(self, tmp_path: Path) -> None:
        poetry = tool(tmp_path, "poetry")
        (tmp_path / "poetry.lock").write_text("", "utf-8")
        command = sync_command(tmp_path, OWN, str(tmp_path))
        assert command == SyncCommand((poetry, "install", "--no-interaction"), tmp_path)

    def test_of_any_other_project_is_pip_in_its_environment(self, tmp_path: Path) -> None:
        (tmp_path / "requirements.txt").write_text("", "utf-8")
        pip = (OWN.python, "-m", "pip", "install")
        command = sync_command(tmp_path, OWN)
        assert command == SyncCommand((*pip, "-r", "requirements.txt"), tmp_path)
        (tmp_path / "pyproject.toml").write_text('[project]\nname = "shop"', "utf-8")
        assert sync_command(tmp_path, OWN) == SyncCommand((*pip, "-e", "."), tmp_path)

    def test_never_installs_into_hearths_own_environment(self, tmp_path: Path) -> None:
        (tmp_path / "setup.py").write_text("", "utf-8")
        told = sync_command(tmp_path, HEARTHS)
        assert isinstance(told, str)
        assert "no environment of its own; make one" in told

    def test_is_missing_with_a_reason(self, tmp_path: Path) -> None:
        assert "does not say how it is installed" in str(sync_command(tmp_path, OWN))
        (tmp_path / "poetry.lock").write_text("", "utf-8")
        assert "install poetry" in str(sync_command(tmp_path, OWN, str(tmp_path)))

    def test_finds_the_uv_that_came_with_hearth(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "uv.lock").write_text("", "utf-8")
        (tmp_path / "bin").mkdir()
        monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
        assert "install uv" in str(sync_command(tmp_path, OWN, "/nowhere"))
        uv = tool(tmp_path / "bin", "uv")
        command = sync_command(tmp_path, OWN, "/nowhere")
        assert isinstance(command, SyncCommand)
        assert command.argv[0] == uv


class TestARebuild:
    async def test_passes_every_line_on(self, tmp_path: Path) -> None:
        lines: list[str] = []
        body = "echo one; echo two >&2; echo; printf three; pwd > here"
        assert await rebuild(shell(body, tmp_path), lines.append) == ""
        assert lines == ["one", "two", "three"]
        assert (tmp_path / "here").read_text("utf-8").strip() == str(tmp_path)

    async def test_that_fails_says_how_with_its_last_lines(self, tmp_path: Path) -> None:
        lines: list[str] = []
        body = "for n in 1 2 3 4 5 6 7; do echo line $n; done; exit 3"
        problem = await rebuild(shell(body, tmp_path), lines.append)
        assert "ended with 3:\nline 3\nline 4\nline 5\nline 6\nline 7" in problem
        assert "line 2" not in problem
        assert len(lines) == 7

    async def test_that_cannot_begin_is_a_problem(self, tmp_path: Path) -> None:
        command = SyncCommand((str(tmp_path / "gone"), "sync"), tmp_path)
        assert "gone sync cannot be run: No such file" in await rebuild(command, print)

    async def test_that_takes_too_long_is_stopped_with_all_it_started(self, tmp_path: Path) -> None:
        body = "tail -f /dev/null & echo $!; wait"
        watched: list[int] = []
        watch = functools.partial(_watch, watched)
        problem = await rebuild(shell(body, tmp_path), watch, patience=0.5)
        assert problem.endswith("took over 0.5 s and was stopped")
        assert _ends(watched)

    async def test_that_nobody_waits_for_any_more_is_stopped(self, tmp_path: Path) -> None:
        began = asyncio.Event()
        watched: list[int] = []

        def watch(line: str) -> None:
            _watch(watched, line)
            began.set()

        body = "echo $$; exec tail -f /dev/null"
        task = asyncio.ensure_future(rebuild(shell(body, tmp_path), watch))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert _ends(watched)

    async def test_bears_lines_without_end_and_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        lines: list[str] = []
        body = "head -c 300000 /dev/zero | tr '\\0' x; echo; printf '\\377\\n'"
        assert await rebuild(shell(body, tmp_path), lines.append) == ""
        assert max(map(len, lines)) == 4000
        assert lines[-1] == "\ufffd"

    async def test_does_not_see_what_is_hearths_own(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HEARTH_DATABASE_URL", "secret")
        monkeypatch.setenv("VIRTUAL_ENV", "/hearths")
        lines: list[str] = []
        command = SyncCommand(("/usr/bin/env",), tmp_path, {"EXTRA": "1"})
        await rebuild(command, lines.append)
        assert "EXTRA=1" in lines
        assert not [one for one in lines if one.startswith(("HEARTH_", "VIRTUAL_ENV="))]


def _watch(watched: list[int], pid: str) -> None:
    """Keep an eye on a process that said its id."""
    watched.append(os.pidfd_open(int(pid)))


def _ends(watched: list[int]) -> bool:
    """Whether the one process that is watched ends."""
    (descriptor,) = watched
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        return bool(poll.poll(30_000))
    finally:
        os.close(descriptor)
