"""Interpreters outlive their daemon: the next one takes them up, and nothing is lost or doubled."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from tests.contracts.event_log import read_all
from tests.contracts.hasty_clock import HastyClock
from tests.journeys.accounts import account_of, open_cells
from tests.journeys.daemons import started
from tests.journeys.gates import Gate
from tests.journeys.live import (
    S,
    T,
    assert_nothing_left,
    comes_true,
    daemon,
    end_all,
    gone,
    living,
    marked,
    processes,
    raised,
)

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.failures import WorkerCrashed
from hearth.log.opening import open_log
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime, runtime_folder

REMEMBERS = "import os\nprecious = [1, 2, 3]\nmine = os.getpid()"


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Path]:
    """A home that several daemons use, and of which nothing is left in the end."""
    with marked(tmp_path):
        yield tmp_path
        await end_all(tmp_path)
        assert_nothing_left(tmp_path)


def _interpreter(home: Path) -> psutil.Process:
    """The one interpreter that lives there."""
    (folder,) = Runtime(runtime_folder(home)).workers()
    record = folder.guardian()
    assert record is not None
    return psutil.Process(record.kernel.pid)


async def _killed(kernel: psutil.Process) -> None:
    """Kill an interpreter, and wait until its guardian has cleared up behind it."""
    guardian = kernel.parent()
    assert guardian is not None
    kernel.kill()
    await gone(guardian)
    assert not kernel.is_running()


@pytest.mark.promise("SF-SES-10", "SF-PERF-04", "SF-STATE-06")
async def test_a_cell_that_runs_while_its_daemon_is_killed_ends_with_all_it_showed(
    home: Path,
) -> None:
    with Gate(home / "go") as go, Gate(home / "half") as half:
        code = (
            "for n in range(300):\n"
            "    print('line', n, flush=n % 3 == 0)\n"
            f"    if n == 99: {go.wait_in_cell}\n"
            f"{half.open_in_cell}\n{go.wait_in_cell}\n"
            "print('the end')\n"
            "kept = 'the value'; kept"
        )
        with started("live_daemon", home, S, REMEMBERS, code) as first:
            await asyncio.to_thread(first.hear_until, "shown line 99")
        kernel = _interpreter(home)
        # Nobody listens while the next two hundred lines are printed.
        go.open()
        await half.passed()
        async with daemon(home) as live:
            await live.saw_printed("line 299")
            assert not live.of(e.CellFailed)
            go.open()
            ended = await live.seen(e.CellFinished, where=lambda one: one.cell == "c2")
            lines = (await live.printed(ended.outputs)).splitlines()
            assert lines == [*(f"line {n}" for n in range(300)), "the end"]
            assert (ended.value, ended.value_type) == ("'the value'", "str")
            assert ended.names == ("kept", "n")
            assert await live.pid() == kernel.pid
            assert await live.value("precious, mine == os.getpid(), kept") == (
                "([1, 2, 3], True, 'the value')"
            )
            assert not live.of(e.CellOutputAdded)
            assert not live.of(e.SessionFaulted)
            assert len(live.of(e.SessionWarmUpStarted)) == 1


@pytest.mark.promise("SF-SES-10", "SF-PERF-04")
async def test_a_cell_that_ended_while_no_daemon_was_there_is_recorded_by_the_next(
    home: Path,
) -> None:
    with Gate(home / "go") as go, Gate(home / "done") as done:
        # What a thread sees from inside: when the cell is over, nobody is there to hear of it.
        watches = (
            "import glob, threading, time\n"
            "def watch():\n"
            f"    (busy,) = glob.glob({str(runtime_folder(home) / 'w-*' / 'busy')!r})\n"
            "    while open(busy, 'rb').read(1) == b'1': time.sleep(0.01)\n"
            f"    {done.open_in_cell}"
        )
        code = (
            f"print('before', flush=True)\n{go.wait_in_cell}\nprint('after')\n"
            "threading.Thread(target=watch).start()\n1/0"
        )
        with started("live_daemon", home, S, REMEMBERS, watches, code) as first:
            await asyncio.to_thread(first.hear_until, "shown before")
        go.open()
        await done.passed()
        async with daemon(home) as live:
            failed = await live.seen(e.CellFailed)
            assert raised(failed).name == "ZeroDivisionError"
            assert await live.printed(failed.outputs) == "before\nafter\n"
            assert await live.value("precious") == "[1, 2, 3]"
            await live.catch_up()
            assert len(live.of(e.CellFailed)) == 1
            assert not live.of(e.CellOutputAdded)
            assert not live.of(e.SessionFaulted)


@pytest.mark.promise("SF-SES-10", "SF-PERF-04")
async def test_a_daemon_that_is_killed_again_and_again_hears_each_line_once(home: Path) -> None:
    with Gate(home / "go") as go:
        code = (
            "for n in range(2000):\n"
            "    print('line', n, flush=True)\n"
            f"    if n % 500 == 250: {go.wait_in_cell}\n"
        )
        with started("live_daemon", home, S, REMEMBERS, code) as first:
            await asyncio.to_thread(first.hear_until, "shown line 250")
        for line in ("line 600", "line 1100"):
            go.open()
            with started("live_daemon", home, S, "never = 1") as following:
                # It is refused its own cell: the session is at the other one.
                await asyncio.to_thread(following.hear_until, f"shown {line}")
        go.open()
        go.open()
        async with daemon(home) as live:
            ended = await live.seen(e.CellFinished, where=lambda one: one.cell == "c2")
            lines = (await live.printed(ended.outputs)).splitlines()
            assert lines == [f"line {n}" for n in range(2000)]
            assert await live.value("'never' in globals()") == "False"
        log = await open_log(None, home, "the auditor")
        assert not open_cells(await account_of(log))
        await log.close()


@pytest.mark.promise("SF-SES-10", "SF-EVAL-02")
async def test_what_comes_late_is_recorded_once_whichever_daemon_hears_it(home: Path) -> None:
    with Gate(home / "go") as go, Gate(home / "said") as said:
        code = (
            "import threading\n"
            "def late():\n"
            "    for n in range(3):\n"
            f"        {go.wait_in_cell}\n"
            "        print('late', n, flush=True)\n"
            f"        {said.open_in_cell}\n"
            "threading.Thread(target=late, daemon=True).start()\n"
            "print('in time')"
        )
        with started("live_daemon", home, S, REMEMBERS, code) as first:
            await asyncio.to_thread(first.hear_until, "event CellFinished c2")
            go.open()
            await said.passed()
            await asyncio.to_thread(first.hear_until, "printed late 0")
        go.open()
        await said.passed()
        async with daemon(home) as live:
            await live.seen(e.CellOutputAdded, where=lambda one: "late 1" in repr(one))
            go.open()
            await live.seen(e.CellOutputAdded, where=lambda one: "late 2" in repr(one))
            assert await live.value("precious") == "[1, 2, 3]"
        async with daemon(home) as live:
            assert await live.value("precious") == "[1, 2, 3]"
            added = live.of(e.CellOutputAdded)
            assert {one.cell for one in added} == {"c2"}
            texts = [await live.printed(one.outputs) for one in added]
            assert "".join(texts) == "late 0\nlate 1\nlate 2\n"


@pytest.mark.promise("SF-SES-02", "SF-SES-10")
async def test_an_interpreter_that_is_killed_while_no_daemon_is_there_is_missed_loudly(
    home: Path,
) -> None:
    async with daemon(home, clock=HastyClock()) as live:
        await live.create()
        await live.create(T)
        await live.run(REMEMBERS)
        await live.run("safe = 1", T)
        kernel = psutil.Process(await live.pid())
    await _killed(kernel)
    async with daemon(home, clock=HastyClock()) as live:
        faulted = await live.seen(e.SessionFaulted)
        assert isinstance(faulted.failure, WorkerCrashed)
        assert (await live.seen(e.RestartScheduled)).attempt == 0
        await live.seen(e.SessionReady, count=2)
        assert await live.value("'precious' in globals()") == "False"
        assert await live.value("safe", T) == "1"
        assert not live.of(e.SessionFaulted, T)


@pytest.mark.promise("SF-SES-02", "SF-SES-10", "SF-PERF-04")
async def test_an_interpreter_that_is_killed_in_a_cell_while_no_daemon_is_there(
    home: Path,
) -> None:
    with started(
        "live_daemon", home, S, REMEMBERS, "print('on'); import time; time.sleep(1000)"
    ) as first:
        await asyncio.to_thread(first.hear_until, "shown on")
    await _killed(_interpreter(home))
    async with daemon(home, clock=HastyClock()) as live:
        failed = await live.seen(e.CellFailed)
        assert isinstance(failed.failure, WorkerCrashed)
        await live.seen(e.SessionFaulted)
        await live.seen(e.SessionReady, count=2)
        assert await live.value("'precious' in globals()") == "False"
        # Nothing is run again.
        assert len([one for one in live.of(e.CellStarted) if "sleep" in str(one.code)]) == 1


@pytest.mark.promise("SF-SES-10")
async def test_an_interpreter_that_nobody_comes_back_to_ends_by_itself(home: Path) -> None:
    async with daemon(home, Preferences(spares=0, orphan_after=0.3)) as live:
        await live.create()
        kernel = psutil.Process(await live.pid())
    await gone(kernel)
    async with daemon(home, clock=HastyClock()) as live:
        await live.seen(e.SessionFaulted)
        await live.seen(e.SessionReady, count=2)
        assert await live.value("6 * 7") == "42"


@pytest.mark.promise("SF-SES-10", "SF-SES-09")
async def test_a_killed_daemon_leaves_only_what_the_next_one_finds(home: Path) -> None:
    with started("live_daemon", home, S, REMEMBERS, "2") as first:
        await asyncio.to_thread(first.hear_until, "event CellFinished c2")
    kernel = _interpreter(home)
    guardian = kernel.parent()
    assert guardian is not None
    async with daemon(home) as live:
        assert await live.pid() == kernel.pid
        for other in processes(home):
            if other.pid not in {kernel.pid, guardian.pid}:
                await gone(other)  # the template, which hears that its daemon is no more
        assert {one.pid for one in processes(home)} == {kernel.pid, guardian.pid}
        await live.settle(c.StopSession())
        await gone(kernel)
        await gone(guardian)


@pytest.mark.promise("SF-SES-10", "SF-MCP-10")
async def test_a_cell_of_an_earlier_daemon_can_be_cancelled_and_asked_about(home: Path) -> None:
    with started("live_daemon", home, S, REMEMBERS, "print('on')\nwhile True: pass") as first:
        await asyncio.to_thread(first.hear_until, "shown on")
    async with daemon(home) as live:
        await live.saw_printed("on")
        completed = await live.settle(c.CompleteCode("precious.ap", 11))
        assert isinstance(completed, e.CompletionsReturned)
        assert "append" in [one.label for one in completed.items]
        await live.submit(c.CancelCell())
        ended = await live.seen(e.CellCancelled)
        assert await live.printed(ended.outputs) == "on\n"
        assert await live.value("precious") == "[1, 2, 3]"


async def test_a_question_of_an_earlier_daemon_is_still_answered(home: Path) -> None:
    async with daemon(home) as live:
        await live.create()
        await live.begin("name = input('who? ')\nname.upper()", may_ask=True)
        await live.seen(e.InputRequested)
    async with daemon(home) as live:
        await live.settle(c.AnswerInput("ann"))
        assert (await live.seen(e.CellFinished)).value == "'ANN'"


@pytest.mark.promise("SF-SES-10", "SF-SES-09")
async def test_an_interpreter_whose_daemon_was_killed_in_its_warm_up_is_replaced(
    home: Path,
) -> None:
    with Gate(home / "entered") as entered, Gate(home / "leave") as leave:
        startup = f"{entered.open_in_cell}\n{leave.wait_in_cell}\n"
        (home / "init.py").write_text(startup)
        with started("live_daemon", home, S, "1"):
            await entered.passed()
        half_ready = _interpreter(home)
        async with daemon(home, clock=HastyClock()) as live:
            await entered.passed()
            await gone(half_ready)
            leave.open()
            await live.seen(e.SessionReady)
            assert await live.pid() != half_ready.pid
            assert len(live.of(e.SessionReady)) == 1
            await comes_true(lambda: len(live.folders()) == 1)


@pytest.mark.promise("SF-SES-10")
async def test_a_daemon_that_stops_in_good_order_leaves_its_sessions_as_they_are(
    tmp_path: Path,
) -> None:
    with marked(tmp_path):
        async with daemon(tmp_path) as live:
            await live.create()
            await live.run(REMEMBERS)
            pid = await live.pid()
            before = len(live.events())
        async with living(tmp_path) as live:
            assert await live.pid() == pid
            assert await live.value("precious") == "[1, 2, 3]"
            assert not live.of(e.SessionFaulted)
            log = live.engine._around.log
            assert len(await read_all(log)) >= before
