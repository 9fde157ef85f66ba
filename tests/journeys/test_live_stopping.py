"""Whatever runs can be stopped: each rung of the ladder, time limits, resets from every state."""

from pathlib import Path

import psutil
import pytest
from tests.contracts.hasty_clock import HastyClock
from tests.journeys.gates import Gate
from tests.journeys.live import (
    Live,
    S,
    T,
    comes_true,
    gone,
    living,
    processes,
    raised,
)

from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.failures import TimedOut, WorkerCrashed
from hearth.core.vocabulary.phases import PhaseName, Rung
from hearth.core.vocabulary.progress import WarmUpStep
from hearth.performers.interpreter import stopping
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import runtime_folder

LADDER = [Rung.INTERRUPT, Rung.CANCEL_AGAIN, Rung.DOUBLE_TAP, Rung.ABANDON, Rung.KILL]

BUSY = "print('begun', flush=True)\nwhile True: pass"
ASKS = "print('begun', flush=True)\ninput()"
HOLDS_THE_LOCK = """\
print('begun', flush=True)
try:
    sum(range(10**11))
finally:
    sum(range(10**11))
"""
"""Also where an interrupt comes in the moment before it holds it."""

AGAIN = """\
import asyncio
try:
    print('begun', flush=True)
    await asyncio.sleep(1000)
finally:
    await asyncio.sleep(1000)
"""
CATCHES = """\
import time
while True:
    try:
        print('begun', flush=True)
        time.sleep(1000)
    except BaseException:
        pass
"""
BLOCKS = """\
import asyncio, time
await asyncio.sleep(0)
print('begun', flush=True)
time.sleep(1000)
"""
SWALLOWS = """\
import asyncio
while True:
    try:
        print('begun', flush=True)
        await asyncio.sleep(1000)
    except (asyncio.CancelledError, KeyboardInterrupt):
        pass
"""


async def begun(live: Live, code: str, *, may_ask: bool = False) -> None:
    """Run a cell until it says that it has begun."""
    if code != HOLDS_THE_LOCK:
        await live.begin(code, may_ask=may_ask)
        await live.saw_printed("begun")
        return
    # It lets nobody tell what it printed. A pipe needs nobody.
    with Gate(live.home / "begun") as gate:
        code = code.replace("try:\n", f"try:\n    {gate.open_in_cell}\n")
        await live.begin(code, may_ask=may_ask)
        await gate.passed()


async def usable(live: Live, pid: int) -> None:
    """It is the same interpreter with the same names, and it takes cells of every kind."""
    assert await live.pid() == pid
    assert await live.value("precious") == "1"
    assert await live.value("import asyncio; await asyncio.sleep(0, 'woken')") == "'woken'"
    ended = await live.run("print('heard')")
    assert isinstance(ended, e.CellFinished)
    assert await live.printed(ended.outputs) == "heard\n"
    assert not live.of(e.SessionFaulted)


@pytest.mark.promise("SF-MCP-10")
@pytest.mark.parametrize(
    ("code", "freed_by"),
    [
        pytest.param(BUSY, Rung.INTERRUPT, id="while True"),
        pytest.param(
            "print('begun', flush=True)\nimport time; time.sleep(1000)",
            Rung.INTERRUPT,
            id="time.sleep",
        ),
        pytest.param(
            "print('begun', flush=True)\nimport asyncio; await asyncio.Event().wait()",
            Rung.INTERRUPT,
            id="await for ever",
        ),
        pytest.param(
            "print('begun', flush=True)\nimport threading; lock = threading.Lock()\n"
            "lock.acquire(); lock.acquire()",
            Rung.INTERRUPT,
            id="deadlock",
        ),
        pytest.param(
            "print('begun', flush=True)\nimport subprocess; subprocess.run(['sleep', '1000'])",
            Rung.INTERRUPT,
            id="waits for a child",
        ),
        pytest.param(AGAIN, Rung.CANCEL_AGAIN, id="awaits again in finally"),
        pytest.param(CATCHES, Rung.DOUBLE_TAP, id="catches everything"),
        pytest.param(BLOCKS, Rung.INTERRUPT, id="blocks in an async cell"),
        pytest.param(SWALLOWS, Rung.ABANDON, id="swallows its cancellation"),
    ],
)
async def test_a_cell_is_stopped_by_a_rung_that_is_logged_and_keeps_the_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, freed_by: Rung
) -> None:
    # On a busy machine the rung that helps may need longer than a person would be let wait.
    monkeypatch.setattr(stopping, "OURS", [_patient(one, freed_by) for one in stopping.OURS])
    async with living(tmp_path, Preferences(spares=0, kill_after=60.0)) as live:
        await live.create()
        await live.run("precious = 1")
        pid = await live.pid()
        await begun(live, code)
        assert isinstance(await live.settle(c.CancelCell()), e.CellCancelRequested)
        ended = await live.seen(e.CellCancelled)
        assert (await live.printed(ended.outputs)).startswith("begun\n")
        await live.catch_up()
        tried = [one.rung for one in live.of(e.CellStopTried)]
        assert tried == LADDER[: len(tried)]
        assert Rung.KILL not in tried
        if code != CATCHES:  # an interrupt between two of its attempts would free it at once
            assert freed_by in tried
        if freed_by is Rung.INTERRUPT:
            assert tried == [Rung.INTERRUPT]
        await usable(live, pid)


@pytest.mark.promise("SF-EVAL-15", "SF-SES-02")
async def test_code_that_holds_the_interpreter_costs_it_and_what_is_lost_is_said(
    tmp_path: Path,
) -> None:
    async with living(tmp_path, Preferences(spares=0, kill_after=0.5), HastyClock()) as live:
        await live.create()
        await live.run("precious = 1\nother = 2")
        pid = await live.pid()
        await begun(live, HOLDS_THE_LOCK)
        for _ in LADDER:
            # Whoever asks again is in a hurry.
            if live.of(e.SessionFaulted):
                break
            await live.engine.submit(S, c.CancelCell(), live.envelopes[0].origin)
            await live.catch_up()
        faulted = await live.seen(e.SessionFaulted)
        assert isinstance(faulted.failure, WorkerCrashed)
        assert faulted.failure.names == ("other", "precious")
        failed = await live.seen(e.CellFailed)
        assert await live.printed(failed.outputs) == "begun\n"
        assert live.of(e.CellStopTried)[-1].rung is Rung.KILL
        assert (await live.seen(e.RestartScheduled)).attempt == 0
        await live.seen(e.SessionReady, count=2)
        assert await live.pid() != pid
        assert not psutil.pid_exists(pid)
        assert await live.value("'precious' in globals()") == "False"


async def test_a_cell_that_is_cancelled_while_it_waits_never_runs(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await begun(live, BUSY)
        waiting = await live.begin("never = 1", if_busy="queue")
        await live.settle(c.CancelCell(waiting))
        assert (await live.seen(e.CellWithdrawn)).cell == waiting
        assert not live.of(e.CellStopTried)
        await live.submit(c.CancelCell())
        await live.seen(e.CellCancelled)
        assert await live.value("'never' in globals()") == "False"


@pytest.mark.promise("SF-EVAL-01", "SF-MCP-10")
async def test_what_waits_runs_after_the_cell_before_it_was_cancelled(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await begun(live, BUSY)
        await live.begin("'after'", if_busy="queue")
        await live.submit(c.CancelCell())
        assert (await live.seen(e.CellFinished)).value == "'after'"
        assert len(live.of(e.CellCancelled)) == 1


@pytest.mark.promise("SF-EVAL-15")
@pytest.mark.parametrize("code", [BUSY, CATCHES, "import asyncio; await asyncio.Event().wait()"])
async def test_a_cell_that_takes_longer_than_it_may_is_stopped_and_the_session_is_usable(
    tmp_path: Path, code: str
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.run("precious = 1")
        pid = await live.pid()
        ended = await live.run(code, time_limit=0.2)
        assert isinstance(ended, e.CellFailed)
        assert isinstance(ended.failure, TimedOut)
        assert ended.failure.limit == 0.2
        assert ended.failure.elapsed >= 0.2
        assert not live.of(e.CellCancelled)
        await usable(live, pid)


@pytest.mark.promise("SF-EVAL-15")
async def test_a_limit_that_is_not_reached_changes_nothing(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        ended = await live.run("6 * 7", time_limit=25.0)
        assert isinstance(ended, e.CellFinished)
        assert await live.value("import time; time.sleep(0.05); 1") == "1"
        assert not live.of(e.CellStopTried)


# -- resets ----------------------------------------------------------------------------------------


@pytest.mark.promise("SF-STATE-03")
async def test_a_soft_reset_empties_the_session_and_keeps_the_process(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        pid = await live.pid()
        await live.run("precious = 1\nimport json as j\nprint = None\n'value'")
        assert isinstance(await live.settle(c.ResetSession()), e.SessionReady)
        assert await live.pid() == pid
        assert await live.value("{'precious', 'j'} & set(globals())") == "set()"
        assert raised(await live.run("precious")).name == "NameError"
        ended = await live.run("print('heard')")
        assert isinstance(ended, e.CellFinished)
        assert await live.printed(ended.outputs) == "heard\n"
        listed = await live.settle(c.ListVariables())
        assert isinstance(listed, e.VariablesReturned)
        assert listed.variables == ()


@pytest.mark.promise("SF-STATE-03", "SF-STATE-04")
async def test_a_soft_reset_of_a_faulted_session_brings_another_process(tmp_path: Path) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.run("import os; os._exit(0)")
        await live.seen(e.SessionFaulted)
        assert isinstance(await live.settle(c.ResetSession()), e.SessionReady)
        assert await live.value("6 * 7") == "42"


@pytest.mark.promise("SF-STATE-04")
@pytest.mark.parametrize(
    "code",
    [BUSY, CATCHES, SWALLOWS, HOLDS_THE_LOCK, ASKS],
    ids=["busy", "catches", "swallows", "holds the lock", "asks"],
)
async def test_a_hard_reset_works_in_the_middle_of_a_cell(tmp_path: Path, code: str) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.run("precious = 1")
        old = psutil.Process(await live.pid())
        await begun(live, code, may_ask=True)
        await live.begin("waits = 1", if_busy="queue")
        assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
        await gone(old)
        assert len(live.of(e.CellWithdrawn)) == 1
        assert await live.value("{'precious', 'waits'} & set(globals())") == "set()"
        assert not live.of(e.SessionFaulted)
        assert not live.of(e.RestartScheduled)


@pytest.mark.promise("SF-STATE-04", "SF-EVAL-07")
async def test_a_hard_reset_works_in_the_middle_of_a_warm_up(tmp_path: Path) -> None:
    with Gate(tmp_path / "entered") as entered, Gate(tmp_path / "leave") as leave:
        # A person's start-up file that takes its time.
        (tmp_path / "init.py").write_text(
            f"import os\nprint(os.getpid())\n{entered.open_in_cell}\n{leave.wait_in_cell}\n"
        )
        async with living(tmp_path) as live:
            await live.submit(c.CreateSession())
            await entered.passed()
            (first,) = await live.until(lambda: _shown(live))
            seq = await live.submit(c.HardResetSession())
            await entered.passed()
            # For both: the first one may still be on its way out.
            leave.open()
            leave.open()
            await live.seen(e.SessionReady, after=seq)
            await gone(first)
            await live.catch_up()
            assert len(live.of(e.SessionWarmUpAbandoned)) == 1
            assert len(live.of(e.SessionReady)) == 1
            assert [one.generation for one in live.of(e.SessionWarmUpStarted)] == [1, 2]
            assert await live.value("6 * 7") == "42"


@pytest.mark.promise("SF-STATE-04")
async def test_a_hard_reset_works_when_faulted_stopped_ready_and_twice_at_once(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        first = await live.pid()
        assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
        assert await live.pid() != first
        await live.run("import os; os._exit(0)")
        await live.seen(e.SessionFaulted)
        assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
        assert await live.value("6 * 7") == "42"
        await live.settle(c.StopSession())
        assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
        assert await live.value("6 * 7") == "42"
        await live.submit(c.HardResetSession())
        assert isinstance(await live.settle(c.HardResetSession()), e.SessionReady)
        assert await live.value("6 * 7") == "42"
        await comes_true(lambda: len(live.folders()) == 1)
        assert not psutil.pid_exists(first)


# -- the end ---------------------------------------------------------------------------------------


@pytest.mark.promise("SF-SES-09", "SF-PERF-03")
@pytest.mark.parametrize(
    "code", ["print('begun')", BUSY, HOLDS_THE_LOCK], ids=["idle", "busy", "in C"]
)
async def test_a_session_that_is_stopped_leaves_no_process_and_no_folder(
    tmp_path: Path, code: str
) -> None:
    async with living(tmp_path) as live:
        await live.create()
        await live.create(T)
        kernel = psutil.Process(await live.pid())
        guardian = kernel.parent()
        assert guardian is not None
        (folder,) = [one for one in live.folders() if _is_of(one.record(), S)]
        await begun(live, code)
        await live.settle(c.StopSession())
        await gone(kernel)
        await gone(guardian)
        await comes_true(lambda: not folder.path.exists())
        assert await live.value("6 * 7", T) == "42"
        assert live.of(e.StateTransitioned)[-1].after is PhaseName.UNINITIALIZED
        assert not live.of(e.SessionFaulted)


@pytest.mark.promise("SF-SES-09")
async def test_when_everything_is_stopped_nothing_at_all_is_left(tmp_path: Path) -> None:
    async with living(tmp_path, Preferences(spares=1)) as live:
        await live.create()
        await live.begin("import subprocess; subprocess.Popen(['sleep', '1000'])")
        await live.seen(e.CellFinished)
        assert len(processes(tmp_path)) >= 4
        assert runtime_folder(tmp_path).exists()
    # `living` ends all as `hearth stop` does, and looks for processes, sockets and folders.
    assert processes(tmp_path) == []
    assert not runtime_folder(tmp_path).exists()


def _shown(live: Live) -> list[psutil.Process]:
    """The processes that said their numbers in their warm-up."""
    steps = [one.progress.message for one in live.shown if isinstance(one.progress, WarmUpStep)]
    return [psutil.Process(int(text)) for text in steps if text.isdigit()]


def _patient(step: stopping.Step, freed_by: Rung) -> stopping.Step:
    return step._replace(patience=25.0) if step.rung is freed_by else step


def _is_of(record: object, session: str) -> bool:
    return getattr(record, "session", None) == session
