"""What stands in the way of a copy is found before anything happens, and named exactly."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.performers.interpreter.inside.copies import copies, drop, is_free
from tests.performers.interpreter.inside.copies import obstacles as in_the_way
from tests.performers.interpreter.inside.driving import (
    Worker,
    new_folder,
    runtime_folder,
    worker,
)

from hearth.performers.interpreter.inside import descriptors, obstacles


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        made.ready().run("import asyncio, os, socket, subprocess, sys, threading, time")
        yield made


def _refused(one: Worker, obstacle: str) -> None:
    """All three ways to a copy say the same, and none of them makes anything."""
    assert in_the_way(one) == [obstacle]
    before = copies(one)
    assert one.ask("copy", channel="control", name="a") == {"kept": False, "obstacles": [obstacle]}
    folder = new_folder(one.folder.parent)
    made = one.ask("branch", channel="control", folder=str(folder))
    assert made == {"branched": False, "obstacles": [obstacle], "guardian": None, "kernel": None}
    assert {path.name for path in folder.iterdir()} == {"connection.json", "launch.json"}
    ran = one.run("'ran'", copy="a")
    assert ran.told["copy"]["obstacles"] == [obstacle]
    assert not ran.told["copy"]["kept"]
    assert ran.of("hearth_copy") == [ran.told["copy"]]
    assert ran.value == "'ran'"
    assert copies(one) == before


@pytest.mark.parametrize(
    ("begin", "obstacle", "end"),
    [
        (
            (
                "go = threading.Event()\ndef wait_for_it(): go.wait()\n"
                "thread = threading.Thread(target=wait_for_it, name='waiter'); thread.start()"
            ),
            "a thread runs: 'wait_for_it' (waiter)",
            "go.set(); thread.join()",
        ),
        (
            (
                "import _thread\ngo, on = threading.Event(), threading.Event()\n"
                "def bare(): on.set(); go.wait()\n"
                "_thread.start_new_thread(bare, ()); on.wait()"
            ),
            "a thread runs: 'bare' (without a name)",
            "go.set()",
        ),
        (
            "async def drink(): await asyncio.sleep(1000)\ntask = asyncio.create_task(drink())",
            "an asyncio task runs: drink()",
            "task.cancel(); await asyncio.sleep(0)",
        ),
        (
            "def ring(): pass\nlater = asyncio.get_running_loop().call_later(1000, ring)",
            "a callback is due: ring()",
            "later.cancel()",
        ),
        (
            (
                "from tornado.ioloop import IOLoop\n"
                "later = IOLoop.current().call_later(1000, [].append, 1)"
            ),
            "a callback is due: list.append()",
            "IOLoop.current().remove_timeout(later)",
        ),
        (
            (
                "def read(): pass\nreads = os.pidfd_open(os.getppid())\n"
                "asyncio.get_running_loop().add_reader(reads, read)"
            ),
            "a callback is due: read()",
            "asyncio.get_running_loop().remove_reader(reads); os.close(reads)",
        ),
        (
            "import signal; signal.alarm(1000)",
            "a timer runs: SIGALRM is due",
            "signal.alarm(0)",
        ),
        (
            "server = socket.create_server(('127.0.0.1', 0))\nprint(server.getsockname()[1])",
            "a socket is open: 127.0.0.1:{}",
            "server.close()",
        ),
        (
            "server = socket.socket(socket.AF_UNIX); server.bind('here.sock')",
            "a socket is open: here.sock",
            "server.close(); os.unlink('here.sock')",
        ),
        (
            "server = socket.socket(socket.AF_UNIX); server.bind('\\0hidden-hearth')",
            "a socket is open: @hidden-hearth",
            "server.close()",
        ),
        (
            "child = subprocess.Popen(['sleep', '1000']); print(child.pid)",
            "a child process runs: sleep (pid {})",
            "child.kill(); child.wait()",
        ),
        (
            "ends = os.pipe(); print(ends[1])",
            "a pipe is open for writing: descriptor {}",
            "os.close(ends[0]); os.close(ends[1])",
        ),
        (
            (
                "import fcntl; lock = open('held.lock', 'w'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
                "print(os.path.realpath('held.lock'))"
            ),
            "a file is locked: {}",
            "lock.close(); os.unlink('held.lock')",
        ),
        (
            (
                "import sqlite3; db = sqlite3.connect('held.db')\n"
                "db.execute('pragma journal_mode=wal'); db.execute('create table t (x)')\n"
                "print(os.path.realpath('held.db'))"
            ),
            "SQLite has a database open in WAL mode, locked until it is closed: {}",
            "db.close(); os.unlink('held.db')",
        ),
        (
            (
                "import sqlite3; db = sqlite3.connect('held.db')\n"
                "db.execute('create table t (x)'); db.execute('insert into t values (1)')\n"
                "print(os.path.realpath('held.db'))"
            ),
            "a file is locked: {}",
            "db.rollback(); db.close(); os.unlink('held.db')",
        ),
    ],
)
def test_each_is_named_and_refused(one: Worker, begin: str, obstacle: str, end: str) -> None:
    is_free(one)
    ran = one.run(begin)
    assert ran.status == "ok"
    _refused(one, obstacle.format(ran.text().strip()))
    assert one.run(end).status == "ok"
    is_free(one)


@pytest.mark.parametrize(
    "large",
    [
        f"len({'y' * 100_000!r})",
        "print('y' * 200_000)",
        "'y' * 200_000",
        "from IPython.display import HTML, display; display(HTML('y' * 200_000))",
        "raise ValueError('y' * 200_000)",
    ],
    ids=["code", "text", "a value", "a display", "an error"],
)
def test_what_is_large_is_in_nobodys_way(one: Worker, large: str) -> None:
    one.run(large)
    assert in_the_way(one) == []


def test_a_connection_is_named_by_whom_it_leads_to(one: Worker) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        one.run(f"client = socket.create_connection(('127.0.0.1', {port}))")
        _refused(one, f"a socket is open: 127.0.0.1:{port}")
        one.run("client.close()")
    assert in_the_way(one) == []


def test_a_pair_of_sockets_is_named_by_its_descriptors(one: Worker) -> None:
    ran = one.run("pair = socket.socketpair(); print(*(end.fileno() for end in pair))")
    expected = {f"a socket is open: a pair (descriptor {fd})" for fd in ran.text().split()}
    assert set(in_the_way(one)) == expected
    one.run("for end in pair: end.close()")
    assert in_the_way(one) == []


def test_several_are_all_named(one: Worker) -> None:
    one.run("child = subprocess.Popen(['sleep', '1000'])\nends = os.pipe()")
    assert len(in_the_way(one)) == 2
    one.run("child.kill(); child.wait(); [os.close(end) for end in ends]")
    assert in_the_way(one) == []


def test_a_child_that_has_ended_and_what_it_left_is_none(one: Worker) -> None:
    one.run(
        "import multiprocessing\n"
        "process = multiprocessing.get_context('fork').Process(target=int)\n"
        "process.start(); process.join()\n"
        "child = subprocess.Popen(['true']); os.waitid(os.P_PID, child.pid,"
        " os.WEXITED | os.WNOWAIT)"
    )
    assert in_the_way(one) == []
    one.run("child.wait(); process.close()")


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_is_one_only_as_long_as_it_is_locked(one: Worker, mode: str) -> None:
    one.run(
        "import sqlite3\nwith sqlite3.connect('idle.db') as db:\n"
        f"    db.execute('pragma journal_mode={mode}'); db.execute('create table t (x)')\n"
        "db.close(); db = sqlite3.connect('idle.db')"
    )
    assert in_the_way(one) == []
    ran = one.run("db.execute('insert into t values (1)'); db.commit()", copy="idle")
    assert ran.told["copy"]["kept"]
    drop(one, "idle")
    # In WAL mode it holds what others must not take from it as soon as it was used.
    assert len(in_the_way(one)) == (mode == "wal")
    one.run("db.close(); os.unlink('idle.db')")
    assert in_the_way(one) == []


def test_a_running_cell_is_one(one: Worker) -> None:
    sent = one.start("while True: time.sleep(0.01)")
    one.until_published("execute_input")
    assert in_the_way(one) == ["a cell is running"]
    assert one.ask("copy", channel="control", name="a")["obstacles"] == ["a cell is running"]
    one.interrupt()
    one.finish(sent)
    sent = one.start("await asyncio.sleep(1000)")
    one.until_published("execute_input")
    assert in_the_way(one) == ["a cell is running"]
    one.interrupt()
    one.finish(sent)
    assert in_the_way(one) == []


def test_a_cell_in_a_subshell_is_one(one: Worker) -> None:
    created = one.request("create_subshell_request", {}, channel="control")["content"]
    subshell = created["subshell_id"]
    sent = one.start("go = threading.Event(); go.wait(); 'over'", subshell=subshell)
    one.until_published("execute_input")
    assert in_the_way(one) == ["a cell is running"]
    ran = one.run("'go' in globals()", copy="a")
    assert ran.told["copy"]["obstacles"] == ["a cell is running"]
    assert not ran.told["copy"]["kept"]
    one.run("go.set()")
    one.finish(sent)
    beside = one.run("1", subshell=subshell, copy="b")
    assert beside.told["copy"]["obstacles"] == ["a cell is running"]
    # A subshell in which nothing runs is none: it is not copied, and comes again when asked for.
    is_free(one)
    one.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")


def test_a_task_that_was_left_behind_is_one() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        sent = one.ready().start(
            "import asyncio\nprint('awaits')\nwhile True:\n    try: await asyncio.sleep(1000)\n"
            "    except asyncio.CancelledError: pass"
        )
        # Not when it is announced: until it runs there is nothing that could be left behind.
        one.until_said("awaits")
        one.ask("stop_rung", channel="control", rung="abandon")
        one.finish(sent)
        assert in_the_way(one) == ["an asyncio task runs: a cell that was left behind"]


ENDS = (
    "go.set(); thread.join()\n"
    "        while os.path.exists(f'/proc/self/task/{thread.native_id}'): pass"
)
"""To be joined is not to be gone."""


@pytest.mark.parametrize(
    ("meanwhile", "told", "looks"),
    [(ENDS, [], 1), ("pass", ["a thread runs: 'wait' (brief)"], 7)],
)
def test_a_thread_that_just_ends_is_none(
    one: Worker, meanwhile: str, told: list[str], looks: int
) -> None:
    ran = one.run(
        "name = next(name for name in sys.modules if name.endswith('.obstacles'))\n"
        "obstacles = sys.modules[name]\n"
        "go = threading.Event()\n"
        "thread = threading.Thread(target=go.wait, name='brief'); thread.start()\n"
        "class Stopped:\n"
        "    looks = 0\n"
        "    def sleep(self, seconds):\n"
        "        self.looks += 1\n"
        f"        {meanwhile}\n"
        "obstacles.time = clock = Stopped()"
    )
    assert ran.status == "ok"
    assert in_the_way(one) == told
    assert one.run("clock.looks").value == str(looks)
    # What has turned out to stay is not waited for again, before every cell.
    in_the_way(one)
    assert one.run("clock.looks").value == str(looks)
    assert one.run("go.set(); thread.join(); obstacles.time = time").status == "ok"
    is_free(one)


def test_a_contained_kernel_is_not_copied() -> None:
    assert obstacles.found(SimpleNamespace(contained=True)) == [obstacles.CONTAINED]


def _app(**given: Any) -> Any:
    return SimpleNamespace(**given)


@pytest.mark.parametrize("device", ["/dev/nvidia0", "/dev/dri/renderD128", "/dev/kfd"])
def test_a_gpu_is_one(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    monkeypatch.setattr(descriptors, "listed", lambda: iter([(9, device)]))
    assert list(obstacles._descriptors(_app())) == [f"a GPU is in use: {device}"]


def test_a_socket_of_an_unknown_family_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    told = (socket.AF_NETLINK, (0, 0), None)
    monkeypatch.setattr(descriptors, "address", lambda _: told)
    assert list(obstacles._socket(_app(folder=Path("/f")), 9)) == [
        "a socket is open: of family 16 (descriptor 9)"
    ]


@pytest.mark.parametrize(
    ("files", "count", "told"),
    [
        ("libopenblas.so.0", 3, ""),
        ("libopenblas.so.0", 4, "native threads run that cannot be copied: 1 that Python did"),
        ("libgomp.so.1", 2, "native threads run that cannot be copied: 2 of libgomp"),
        ("libc.so.6", 1, "native threads run that cannot be copied: 1 that Python did not start"),
    ],
)
def test_native_threads_are_counted_by_whose_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: str, count: int, told: str
) -> None:
    maps = tmp_path / "maps"
    maps.write_text(f"7f00-7f01 r-xp 0 0:0 1    /usr/lib/{files}\n")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    monkeypatch.setattr(obstacles, "_MAPS", str(maps), raising=False)
    found = list(obstacles._pools(count))
    assert len(found) == bool(told)
    assert "".join(found).startswith(told)


def test_an_end_that_nobody_reads_is_none() -> None:
    read, write = os.pipe()
    assert obstacles._has_reader(write)
    os.close(read)
    assert not obstacles._has_reader(write)
    os.close(write)
