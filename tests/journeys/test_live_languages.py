"""Nothing is Python's alone by accident: a kernel of another language lives just as well."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from tests.contracts.hasty_clock import HastyClock
from tests.journeys.live import PATIENCE, Live, T, daemon, gone, living, marked, raised

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.failures import TimedOut, WarmUpFailed, WorkerCrashed
from hearth.core.vocabulary.phases import Rung

BASH = c.SessionConfig(interpreter="bash")


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of kernel specifications with a shell in it; the home lies beside it."""
    folder = tmp_path / "jupyter" / "kernels" / "bash"
    folder.mkdir(parents=True)
    specification = {
        "argv": [sys.executable, "-m", "bash_kernel", "-f", "{connection_file}"],
        "display_name": "Bash",
        "language": "bash",
        "env": {"PS1": "$"},
    }
    (folder / "kernel.json").write_text(json.dumps(specification))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
async def live(kernels: Path) -> AsyncIterator[Live]:
    """A daemon with a session of the shell."""
    async with living(kernels, clock=HastyClock()) as made:
        assert isinstance(await made.create(config=BASH), e.SessionReady)
        yield made


async def printed(live: Live, code: str) -> str:
    """What a cell that must come to its end wrote."""
    ended = await live.run(code)
    assert isinstance(ended, e.CellFinished), ended
    return await live.printed(ended.outputs)


async def sleeping(shell: psutil.Process, count: int = 1) -> None:
    """Wait until it runs so many programs.

    A shell that has said something and is about to start a program may lose an interrupt.
    """
    async with asyncio.timeout(PATIENCE):
        while [one.name() for one in shell.children()] != ["sleep"] * count:
            await asyncio.to_thread(os.sched_yield)


async def test_its_cells_run_and_keep_what_they_set(live: Live) -> None:
    assert await printed(live, "echo hello; name=ann") == "hello\n"
    assert await printed(live, 'echo "$name"') == "ann\n"
    warmed = live.of(e.SessionWarmUpCompleted)[0]
    assert warmed.surroundings is not None
    assert warmed.surroundings.language == "bash"


async def test_it_lives_beside_python(live: Live) -> None:
    await live.create(T)
    await live.run("name='from the shell'")
    assert await live.value("name = 'from python'; name", T) == "'from python'"
    assert await printed(live, 'echo "$name"') == "from the shell\n"


@pytest.mark.promise("SF-STATE-06")
async def test_a_cell_that_fails_leaves_it_usable(live: Live) -> None:
    failed = await live.run("echo before; false")
    assert raised(failed).message == "1"
    assert isinstance(failed, e.CellFailed)
    assert (await live.printed(failed.outputs)).startswith("before\n")
    assert await printed(live, "echo after") == "after\n"


@pytest.mark.promise("SF-EVAL-01")
async def test_its_cells_wait_for_each_other(live: Live) -> None:
    for number in range(5):
        await live.submit(c.RunCell(f"echo {number}", if_busy="queue"))
    await live.seen(e.CellFinished, count=5)
    outputs = [one.outputs for one in live.of(e.CellFinished)]
    assert outputs == [(StreamText("stdout", f"{number}\n"),) for number in range(5)]


@pytest.mark.promise("SF-MCP-10")
async def test_a_cell_is_cancelled_and_what_was_set_stays(live: Live) -> None:
    await live.run("name=ann")
    shell = psutil.Process(int(await printed(live, "echo $$")))
    await live.begin("sleep 1000")
    await sleeping(shell)
    await live.submit(c.CancelCell())
    await live.seen(e.CellCancelled)
    assert [one.rung for one in live.of(e.CellStopTried)] == [Rung.INTERRUPT]
    assert await printed(live, 'echo "$name"') == "ann\n"
    assert not live.of(e.SessionFaulted)


async def test_where_a_shell_does_not_hear_the_interrupt_its_program_does(live: Live) -> None:
    shell = psutil.Process(int(await printed(live, "echo $$")))
    await live.run("name=ann; sleep 900 &")
    await live.begin("stty -isig; sleep 1000")
    await sleeping(shell, 2)
    await live.submit(c.CancelCell())
    await live.seen(e.CellCancelled)
    assert [one.rung for one in live.of(e.CellStopTried)] == [Rung.INTERRUPT, Rung.CANCEL_AGAIN]
    assert await printed(live, 'stty isig; echo "$name"') == "ann\n"
    assert [one.cmdline()[-1] for one in shell.children()] == ["900"], "what is not in front stays"
    assert not live.of(e.SessionFaulted)


@pytest.mark.promise("SF-EVAL-15")
async def test_a_cell_that_takes_longer_than_it_may_is_stopped(live: Live) -> None:
    ended = await live.run("sleep 1000", time_limit=0.2)
    assert isinstance(ended, e.CellFailed)
    assert isinstance(ended.failure, TimedOut)
    assert await printed(live, "echo after") == "after\n"


@pytest.mark.promise("SF-SES-01", "SF-SES-02")
async def test_its_end_is_noticed_and_it_is_replaced(live: Live) -> None:
    await live.run("name=ann")
    # The shell ends the process that speaks for it.
    ended = await live.run("echo begun; kill -9 $PPID; sleep 1000")
    assert isinstance(ended, e.CellFailed)
    assert isinstance(ended.failure, WorkerCrashed)
    assert "SIGKILL" in await live.text(ended.failure.message)
    await live.seen(e.SessionReady, count=2)
    assert await printed(live, 'echo "[$name]"') == "[]\n"


@pytest.mark.promise("SF-STATE-03", "SF-STATE-04")
async def test_it_is_reset_softly_and_hard(live: Live) -> None:
    await live.run("name=ann")
    assert isinstance(await live.settle(c.ResetSession()), e.SessionReady)
    assert await printed(live, 'echo "[$name]"') == "[]\n"
    shell = psutil.Process(int(await printed(live, "echo $$")))
    await live.begin("echo begun; sleep 1000")
    await live.saw_printed("begun")
    assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
    await gone(shell)
    assert await printed(live, "echo after") == "after\n"


async def test_it_completes_and_says_what_it_cannot(live: Live) -> None:
    await live.run("a_long_name=1")
    completed = await live.settle(c.CompleteCode("echo $a_long", 12))
    assert isinstance(completed, e.CompletionsReturned)
    assert any("a_long_name" in one.label for one in completed.items)
    # It has no such answers: whoever asked is told, and nothing is run for it.
    for command in (c.ListVariables(), c.ExploreModule("json"), c.CheckCode("import os")):
        told = await live.settle(command)
        assert isinstance(
            told,
            e.QuestionAbandoned
            | e.VariablesReturned
            | e.ExplorationReturned
            | e.DiagnosticsChecked,
        )
    assert await printed(live, "echo after") == "after\n"


@pytest.mark.promise("SF-SES-10")
async def test_the_next_daemon_takes_it_up(kernels: Path) -> None:
    with marked(kernels):
        async with daemon(kernels) as first:
            await first.create(config=BASH)
            await first.run("name=ann")
            shell = await printed(first, "echo $$")
        async with living(kernels) as second:
            assert await printed(second, "echo $$") == shell
            assert await printed(second, 'echo "$name"') == "ann\n"
            assert not second.of(e.SessionFaulted)


async def test_a_language_that_is_not_there_is_said_with_those_that_are(kernels: Path) -> None:
    async with living(kernels) as live:
        failed = await live.create(config=c.SessionConfig(interpreter="klingon"))
        assert isinstance(failed, e.SessionFaulted)
        assert isinstance(failed.failure, WarmUpFailed)
        told = await live.text(failed.failure.message)
        assert "klingon" in told
        assert "bash" in told
