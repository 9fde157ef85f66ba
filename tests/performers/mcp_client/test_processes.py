import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.performers.mcp_client.faking import ENVIRON, LIMIT, Fakes
from tests.performers.tools.shell.commanding import is_running

from hearth.performers.interpreter.spawning import spawn
from hearth.performers.mcp_client import processes
from hearth.performers.mcp_client.frames import LineReader
from hearth.performers.mcp_client.processes import (
    COMPLAINTS,
    CouldNotStart,
    Launch,
    ServerProcess,
)


def python(code: str, directory: Path, *more: str) -> Launch:
    return Launch((sys.executable, "-c", code, *more), str(directory), ENVIRON)


async def test_a_server_reads_and_writes_in_its_folder_with_its_environment(tmp_path: Path) -> None:
    code = "import os,sys; line = input(); print(line, os.getcwd(), sorted(os.environ)[:9])"
    process = await ServerProcess.begin(python(code, tmp_path))
    os.write(process.writes_to, b"hello\n")
    reader = LineReader(process.reads_from)
    said = str(await reader.line())
    reader.close()
    assert said[2:].startswith(f"hello {tmp_path}")
    assert "HEARTH" not in said
    await process.close()
    assert process.has_ended
    assert process.last_words() == "exit code 0, without a word"


@pytest.mark.promise("LK-POOL-11")
@pytest.mark.usefixtures("unhurried")
async def test_a_server_ends_when_nothing_more_comes(fakes: Fakes) -> None:
    spec = fakes.spec()
    launch = Launch((spec.command, *spec.args), spec.cwd, {**ENVIRON, **spec.env})
    process = await ServerProcess.begin(launch)
    (pid,) = await fakes.until_noted("start")
    assert process.pid == pid
    assert process.guardian != pid
    await process.close()
    assert fakes.noted("stop") == [pid], "it was not killed"
    assert not is_running(pid)


@pytest.mark.promise("LK-POOL-11")
async def test_one_that_ignores_every_wish_and_forks_away_leaves_nothing(fakes: Fakes) -> None:
    spec = fakes.spec("--deaf", "--forks")
    launch = Launch((spec.command, *spec.args), spec.cwd, {**ENVIRON, **spec.env})
    process = await ServerProcess.begin(launch)
    (pid,) = await fakes.until_noted("start")
    (fork,) = await fakes.until_noted("fork")
    async with asyncio.timeout(LIMIT):
        await process.close()
    assert not is_running(pid)
    assert not is_running(fork)


@pytest.mark.promise("LK-POOL-11")
async def test_one_that_nobody_waits_for_any_more_is_ended_with_all_that_it_started(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, may_be_known = asyncio.Event(), asyncio.Event()

    async def slow(*said: Any, **how: Any) -> asyncio.subprocess.Process:
        begun = await spawn(*said, **how)
        has_begun.set()
        await may_be_known.wait()
        return begun

    monkeypatch.setattr(processes, "spawn", slow)
    spec = fakes.spec("--deaf", "--forks")
    launch = Launch((spec.command, *spec.args), spec.cwd, {**ENVIRON, **spec.env})
    beginning = asyncio.create_task(ServerProcess.begin(launch))
    await asyncio.wait_for(has_begun.wait(), LIMIT)
    (pid,) = await fakes.until_noted("start")
    (fork,) = await fakes.until_noted("fork")
    beginning.cancel()
    may_be_known.set()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(beginning, LIMIT)
    assert not is_running(pid)
    assert not is_running(fork)


async def test_of_a_flood_of_complaints_the_last_are_kept(fakes: Fakes) -> None:
    spec = fakes.spec("--flood=3000", "--broken")
    launch = Launch((spec.command, *spec.args), spec.cwd, {**ENVIRON, **spec.env})
    process = await ServerProcess.begin(launch)
    await process.over()
    await process.close()
    assert process.last_words() == "it cannot work like this"
    assert len(process.complaints) <= COMPLAINTS
    assert len(process._complaints) <= 3 * COMPLAINTS


async def test_last_words_hide_nothing_and_are_short(tmp_path: Path) -> None:
    code = r"import sys; sys.stderr.write('\x1b[2Jbad' + 'x' * 9999)"
    process = await ServerProcess.begin(python(code, tmp_path))
    await process.over()
    await process.close()
    assert "\x1b" not in process.last_words()
    assert len(process.last_words()) == 300


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("no-such-program-anywhere",), "is not installed, or not on the PATH"),
        (("./missing",), "is no program"),
        (("sh", "a\0b"), "NUL"),
    ],
)
async def test_what_cannot_be_started_is_told(
    tmp_path: Path, argv: tuple[str, ...], why: str
) -> None:
    with pytest.raises(CouldNotStart, match=why):
        await ServerProcess.begin(Launch(argv, str(tmp_path), ENVIRON))


async def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CouldNotStart, match="is no folder"):
        await ServerProcess.begin(Launch(("sh",), str(tmp_path / "none"), ENVIRON))


@pytest.mark.promise("LK-POOL-02")
def test_what_is_started_is_shown_without_secrets() -> None:
    launch = Launch(("run", "--token=hush"), "/w", {"TOKEN": "hush"})
    assert "hush" not in repr(launch)
