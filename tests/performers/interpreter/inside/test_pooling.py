"""What `multiprocessing` leaves beside a kernel is known, and a copy does without it."""

import multiprocessing
import os
import sys
from collections.abc import Iterator
from multiprocessing import resource_tracker, shared_memory

import pytest
from tests.performers.interpreter.inside.copies import branch, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, until, worker

from hearth.performers.interpreter.inside import pooling, processes


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        made.ready().run("import multiprocessing, os\nfrom multiprocessing import shared_memory")
        yield made


def _found(one: Worker) -> list[str]:
    found: list[str] = one.ask("obstacles", channel="control")["obstacles"]
    return found


@pytest.mark.parametrize(
    "end", ["pool.close(); pool.join()", "pool.terminate(); pool.join()", "pool.terminate()"]
)
def test_a_pool_is_in_the_way_until_it_has_ended(one: Worker, end: str) -> None:
    one.run("pool = multiprocessing.get_context('fork').Pool(1); pool.map(abs, [1])")
    assert len([what for what in _found(one) if what.startswith("a child process runs")]) == 1
    assert one.run(end).status == "ok"
    until(lambda: _found(one) == [], "its threads and its child are gone")
    ran = one.run("pool = None", copy="a")
    assert ran.told["copy"]["kept"]
    undo(one, "a")
    assert one.run("del pool").status == "ok"


def test_one_that_is_over_and_out_of_sight_is_named_with_what_helps(one: Worker) -> None:
    one.run(
        "pools = [multiprocessing.get_context('fork').Pool(1)]; pools[0].close(); pools[0].join()"
    )
    assert _found(one)
    for what in _found(one):
        assert what.startswith("a pipe is open for writing: descriptor ")
        assert what.endswith(" (both ends are here: delete the pool or queue that has them)")
    one.run("pools.clear()")
    assert _found(one) == []


def test_shared_memory_stays_and_is_tracked_anew(one: Worker) -> None:
    shared = "memory = shared_memory.SharedMemory(create=True, size=9); memory.buf[0] = 1"
    assert one.run(shared).status == "ok"
    assert _found(one) == []
    one.run("memory.buf[0] = 2", copy="a")
    undo(one, "a")
    # What is shared with others is not the interpreter's, and stays as it is.
    assert one.run("memory.buf[0]").value == "2"
    again = "more = shared_memory.SharedMemory(create=True, size=9); more.buf[0] = 3; more.buf[0]"
    assert one.run(again).value == "3"
    with branch(one, one.folder.parent) as other:
        assert other.run("more.buf[0]").value == "3"
        assert other.run("os.waitpid(-1, os.WNOHANG)").content["ename"] == "ChildProcessError"
        assert other.run(again.replace("more", "own")).value == "3"
        other.run("own.close(); own.unlink()")
    assert one.run("for one in memory, more: one.close(); one.unlink()").status == "ok"
    assert _found(one) == []


def test_who_waits_for_the_tracker_does_not_wait_for_a_copy(one: Worker) -> None:
    one.run("memory = shared_memory.SharedMemory(create=True, size=9); memory.unlink()", copy="a")
    one.run("1", copy="b")
    stop = "multiprocessing.resource_tracker._resource_tracker._stop()"
    assert one.run(f"memory.close(); {stop}; 'over'").value == "'over'"


def test_the_tracker_of_this_process_is_known_as_long_as_it_runs() -> None:
    memory = shared_memory.SharedMemory(create=True, size=1)
    known = pooling.tracker()
    assert known is not None
    assert known.fd == resource_tracker.getfd()
    assert processes.parent(known.pid) == os.getpid()
    memory.close()
    memory.unlink()


def test_without_multiprocessing_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pool", "process", "resource_tracker"):
        monkeypatch.delitem(sys.modules, f"multiprocessing.{name}", raising=False)
    assert pooling.tracker() is None
    assert pooling.unused([1, multiprocessing]) == set()
    pooling.begin_anew()


def test_the_pipes_of_a_pool_are_its_own_alone() -> None:
    ends = os.pipe()
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pooling.unused([pool]) == set()
    pool.join()
    unused = pooling.unused([pool, ends, None])
    assert len(unused) >= 4
    assert not unused & set(ends)
    for fd in ends:
        os.close(fd)
