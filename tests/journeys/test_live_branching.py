"""Sessions that go on from others with live copies of their interpreters: real kernels."""

import asyncio
import itertools
from pathlib import Path
from typing import Final

import psutil
import pytest
from tests.contracts.hasty_clock import HastyClock
from tests.contracts.scenes import ANN
from tests.journeys.gates import Gate
from tests.journeys.live import PLAIN, Live, S, assert_nothing_left, end_all, gone, marked
from tests.journeys.whole import whole

from hearth import app
from hearth.api import Settled, settle
from hearth.core.rules.forking import WAYS_OUT
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import ForkHow
from hearth.performers.interpreter.live import LiveInterpreter

FORK: Final = SessionId("fork")
DEPTH: Final = 8
PATIENCE: Final = 60.0

THREAD: Final = """
import threading
held = threading.Event()
pump = threading.Thread(target=held.wait, name="pump")
pump.start()
"""
JOINED: Final = """
import os
held.set()
pump.join()
while os.path.exists(f"/proc/self/task/{pump.native_id}"): pass
"""
"""To be joined is not to be gone."""
TASK: Final = """
import asyncio
async def rest():
    await asyncio.Event().wait()
task = asyncio.create_task(rest())
"""
SOCKET: Final = """
import socket
door = socket.create_server(("127.0.0.1", 0))
door.getsockname()[1]
"""
CHILD: Final = """
import subprocess
child = subprocess.Popen(["sleep", "1000"])
child.pid
"""


async def fork(
    live: Live, to: SessionId = FORK, session: SessionId = S, how: ForkHow | None = None
) -> e.SessionForked:
    """A fork that must come to be."""
    event = await live.settle(c.ForkSession(to, how=how), session)
    assert isinstance(event, e.SessionForked), event
    return event


async def obstacles(live: Live, to: SessionId = FORK) -> tuple[str, ...]:
    """Why there is no fork, of which nothing may be left."""
    event = await live.settle(c.ForkSession(to, how=ForkHow.COPY))
    assert isinstance(event, e.ForkFailed), event
    assert event.to == to
    assert event.why == f"its interpreter cannot be copied: {'; '.join(event.obstacles)}"
    assert not live.events(to)
    return event.obstacles


async def test_a_fork_has_everything_and_both_go_on_by_themselves(tmp_path: Path) -> None:
    async with whole(tmp_path) as live:
        await live.create()
        await live.run("xs = [1]; import math; late = lambda: (xs, math.pi)")
        pid = await live.pid()

        forked = await fork(live, how=ForkHow.COPY)

        assert (forked.how, forked.notice) == (ForkHow.COPY, "")
        assert await live.value("late()", FORK) == "([1], 3.141592653589793)"
        assert await live.pid(FORK) != pid
        await live.run("xs.append(2); mine = 1", FORK)
        await live.run("xs.append(3); del math")
        assert await live.value("xs, 'mine' in globals()") == "([1, 3], False)"
        assert await live.value("late(), mine", FORK) == "(([1, 2], 3.141592653589793), 1)"
        assert await live.pid() == pid
        # Each prints for itself, and each is stopped for itself.
        ended = await live.run("print('of the fork')", FORK)
        assert isinstance(ended, e.CellFinished)
        assert await live.printed(ended.outputs) == "of the fork\n"
        assert "of the fork" not in live.printed_live()
        await live.settle(c.StopSession())
        assert await live.value("late()[0]", FORK) == "[1, 2]"


@pytest.mark.timeout(240)
async def test_of_eight_forks_in_each_other_any_may_be_killed(tmp_path: Path) -> None:
    async with whole(tmp_path, HastyClock()) as live:
        await live.create()
        line = [S, *(SessionId(f"fork-{depth}") for depth in range(1, DEPTH + 1))]
        await live.run("way = [0]")
        for depth, (parent, child) in enumerate(itertools.pairwise(line), 1):
            assert (await fork(live, child, parent)).how is ForkHow.COPY
            await live.run(f"way.append({depth})", child)
        pids = {one: await live.pid(one) for one in line}
        assert len(set(pids.values())) == DEPTH + 1

        # One in the middle, the first of them all, the last.
        lost: set[SessionId] = set()
        for victim in (line[4], line[0], line[-1]):
            kernel = psutil.Process(pids[victim])
            kernel.kill()
            await gone(kernel)
            await live.seen(e.SessionFaulted, victim)
            await live.seen(e.SessionReady, victim, count=2)
            lost.add(victim)
            for depth, one in enumerate(line):
                if one not in lost:
                    assert await live.value("way", one) == str([*range(depth + 1)])
                    assert await live.pid(one) == pids[one]
        assert [one for one in line if live.of(e.SessionFaulted, one)] == [
            line[0],
            line[4],
            line[8],
        ]
        assert await live.value("'way' in globals()", line[4]) == "False"
        assert await live.value("6 * 7", line[4]) == "42"
        # Those that are left can be forked as ever.
        await fork(live, FORK, line[7])
        assert await live.value("way", FORK) == str([*range(8)])


@pytest.mark.timeout(240)
async def test_forks_are_made_while_others_ask_without_a_pause(tmp_path: Path) -> None:
    async with whole(tmp_path) as live:
        await live.create()
        await live.run("class Held:\n    apple = 1\n    apricot = 2\nheld = Held()")
        enough = asyncio.Event()
        answered = dict.fromkeys(("completed", "inspected", "listed"), 0)

        async def flood(what: str, command: c.Command, wanted: type[e.Event]) -> None:
            while not enough.is_set():
                async with asyncio.timeout(PATIENCE):
                    got = await settle(live.engine, S, command, ANN)
                assert isinstance(got, Settled), got
                assert isinstance(got.outcome.event, wanted), got
                answered[what] += 1

        async with asyncio.TaskGroup() as clients:
            for _ in range(2):
                clients.create_task(
                    flood("completed", c.CompleteCode("held.ap", 7), e.CompletionsReturned)
                )
                clients.create_task(
                    flood("inspected", c.InspectCode("held", 4), e.InspectionReturned)
                )
                clients.create_task(flood("listed", c.ListVariables(), e.VariablesReturned))
            for number in range(3):
                before = dict(answered)
                to = SessionId(f"fork-{number}")
                assert (await fork(live, to)).how is ForkHow.COPY
                assert await live.value("held.apple", to) == "1"
                # Whoever asked goes on being answered.
                await live.until(lambda: all(answered[one] > before[one] for one in before))  # noqa: B023 - waited for here
            enough.set()
        assert await live.value("held.apricot") == "2"


async def test_what_runs_while_a_fork_is_asked_for_is_in_it_and_in_its_replay_or_in_neither(
    tmp_path: Path,
) -> None:
    async with whole(tmp_path, HastyClock()) as live:
        await live.create()
        await live.run("xs = [0]")
        wished = asyncio.create_task(settle(live.engine, S, c.ForkSession(FORK), ANN))
        await live.seen(e.ForkRequested)
        await live.run("xs.append(1)")  # it may be before the copy or after it, never in the midst
        forked = await wished
        assert isinstance(forked, Settled)
        if not isinstance(forked.outcome.event, e.SessionForked):
            await fork(live)  # the cell was in the way
        held = await live.value("xs", FORK)
        assert held in {"[0]", "[0, 1]"}
        # Rebuilt, it has what it had, and not a cell more or less.
        again = SessionId("again")
        await fork(live, again, FORK, ForkHow.REPLAY)
        assert await live.value("xs", again) == held


async def test_a_fork_that_a_daemon_did_not_get_to_is_made_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = asyncio.Event()

    async def stuck(*_: object) -> None:
        await never.wait()

    with marked(tmp_path):
        try:
            with monkeypatch.context() as patch:
                patch.setattr(LiveInterpreter, "branch", stuck)
                async with app.living(tmp_path, preferences=PLAIN, watch=False) as made:
                    live = Live(made.engine, tmp_path)
                    await live.create()
                    await live.run("x = 41")
                    await live.submit(c.ForkSession(FORK))
                    await live.seen(e.ForkRequested)
                    await live.close()
            async with app.living(tmp_path, preferences=PLAIN, watch=False) as made:
                live = Live(made.engine, tmp_path)
                forked = await live.seen(e.SessionForked)
                assert (forked.to, forked.how) == (FORK, ForkHow.COPY)
                assert await live.value("x + 1", FORK) == "42"
                assert len(live.of(e.SessionForked)) == 1
                assert not live.of(e.ForkFailed)
                await live.close()
        finally:
            await end_all(tmp_path)
        assert_nothing_left(tmp_path)


# -- what is in the way ---------------------------------------------------------------------------


async def test_each_obstacle_is_named_exactly_and_once_it_is_gone_the_fork_is_made(
    tmp_path: Path,
) -> None:
    async with whole(tmp_path) as live:
        await live.create()
        await live.run("x = 41")
        await live.run(THREAD)
        assert await obstacles(live) == ("a thread runs: 'wait' (pump)",)
        await live.run(JOINED)
        await live.run(TASK)
        assert await obstacles(live) == ("an asyncio task runs: rest()",)
        await live.run("task.cancel(); await asyncio.sleep(0)")
        port = await live.value(SOCKET)
        assert await obstacles(live) == (f"a socket is open: 127.0.0.1:{port}",)
        await live.run("door.close()")
        pid = await live.value(CHILD)
        assert await obstacles(live) == (f"a child process runs: sleep (pid {pid})",)
        await live.run("child.kill(); child.wait()")
        # None of that has hurt the session, and none of it is in the way any more.
        await fork(live)
        assert await live.value("x + 1", FORK) == await live.value("x + 1") == "42"


async def test_several_obstacles_are_named_at_once_and_a_replay_is_the_way_out(
    tmp_path: Path,
) -> None:
    async with whole(tmp_path) as live:
        await live.create()
        await live.run("x = [1]")
        await live.run(THREAD)
        await live.run("import os; ours, theirs = __import__('socket').socketpair(); x.append(2)")

        found = await obstacles(live)

        assert found[0] == "a thread runs: 'wait' (pump)"
        assert len(found) == 3
        assert all(one.startswith("a socket is open: a pair (descriptor ") for one in found[1:])
        forked = await fork(live, how=ForkHow.REPLAY)
        assert (forked.how, forked.notice) == (ForkHow.REPLAY, "")
        assert await live.value("x, pump.is_alive(), held.is_set()", FORK) == (
            "([1, 2], True, False)"
        )
        assert await live.pid(FORK) != await live.pid()
        await live.run("held.set()", FORK)
        assert await live.value("held.is_set()") == "False"
        # An empty one is the other way out.
        assert (await fork(live, SessionId("empty"), how=ForkHow.NEW)).how is ForkHow.NEW
        assert await live.value("'x' in globals()", SessionId("empty")) == "False"
        await live.run("held.set()")


async def test_while_a_cell_runs_a_copy_is_refused_and_a_replay_is_made(tmp_path: Path) -> None:
    async with whole(tmp_path) as live:
        with Gate(tmp_path / "gate") as gate:
            await live.create()
            await live.run("x = 1")
            await live.submit(c.RunCell(f"x = 2; print('begun'); {gate.wait_in_cell}; x = 3"))
            await live.saw_printed("begun")

            refused = await settle(live.engine, S, c.ForkSession(FORK, how=ForkHow.COPY), ANN)

            assert isinstance(refused, Refused)
            assert refused.why == "it cannot be copied: the interpreter is running a cell"
            assert refused.remedy == WAYS_OUT
            assert not live.events(FORK)
            forked = await fork(live, how=ForkHow.REPLAY)
            assert forked.how is ForkHow.REPLAY
            assert await live.value("x", FORK) == "1"
            gate.open()
            await live.seen(e.CellFinished, count=2)
            assert await live.value("x") == "3"
            await fork(live, SessionId("after"))
            assert await live.value("x", SessionId("after")) == "3"
