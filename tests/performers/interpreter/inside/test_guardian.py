"""Whatever ends a kernel, its guardian tells it, and nothing that it started is left."""

import fcntl
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.inside.driving import (
    Worker,
    is_alive,
    runtime_folder,
    until,
    worker,
)

MIB = 1 << 20


@pytest.fixture(scope="module")
def runtime() -> Iterator[Path]:
    with runtime_folder() as folder, (folder / "daemon.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def _exit_of(runtime: Path, code: str, **settings: Any) -> tuple[dict[str, object], str]:
    with worker(runtime, **settings) as one:
        one.ready().start(code)
        return one.ended(), one.stdio


def test_the_guardian_names_both_processes_by_pid_and_start(runtime: Path) -> None:
    with worker(runtime) as one:
        one.ready()
        state = one.state
        assert state["state"] == "running"
        assert state["exit"] is None
        assert state["guardian"]["pid"] == one.guardian
        assert state["kernel"]["pid"] == int(one.run("import os; os.getpid()").value)
        for process in (state["guardian"], state["kernel"]):
            fields = Path(f"/proc/{process['pid']}/stat").read_text().rpartition(")")[2].split()
            assert process["start"] == int(fields[19])
        assert os.getsid(one.guardian) == one.guardian
        assert os.getsid(one.kernel) == one.kernel
        os.kill(one.guardian, signal.SIGTERM)
        ended = one.ended()
        assert (ended["signal"], ended["reason"]) == (signal.SIGKILL, "asked")
        assert one.state["kernel"] == state["kernel"]


@pytest.mark.promise("SF-SES-01")
@pytest.mark.parametrize(
    ("code", "exit_code", "signalled"),
    [
        ("import os; os._exit(7)", 7, None),
        ("import os; os.kill(os.getpid(), 9)", None, signal.SIGKILL),
        ("import ctypes; ctypes.string_at(0)", None, signal.SIGSEGV),
        (
            (
                "import sys; sys.setrecursionlimit(10**9)\n"
                "class A:\n    def __repr__(self): return repr(self)\nrepr(A())"
            ),
            None,
            signal.SIGSEGV,
        ),
    ],
)
def test_the_way_a_kernel_ended_is_told(
    runtime: Path, code: str, exit_code: int | None, signalled: int | None
) -> None:
    ended, stdio = _exit_of(runtime, code)
    assert ended == {"code": exit_code, "signal": signalled, "reason": "", "message": ""}
    assert ("Segmentation fault" in stdio) == (signalled == signal.SIGSEGV)


def test_a_shutdown_that_was_asked_for_is_a_clean_end(runtime: Path) -> None:
    with worker(runtime) as one:
        one.ready().send("shutdown_request", {"restart": False}, channel="control")
        assert one.ended() == {"code": 0, "signal": None, "reason": "", "message": ""}


def test_closing_every_descriptor_ends_the_kernel_or_costs_nothing(runtime: Path) -> None:
    with worker(runtime) as one:
        one.ready().start("import os; os.closerange(0, 10000)")
        ended = one.ended()
        assert ended["reason"] == ""


def test_nothing_that_a_cell_started_outlives_the_kernel(runtime: Path) -> None:
    daemonise = (
        "import os, signal, time\n"
        "def daemonise():\n"
        "    if os.fork(): return\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    open('pid-' + str(os.getpid()), 'w').close()\n"
        "    time.sleep(1000)\n"
        "daemonise(); daemonise()\n"
        "import subprocess; child = subprocess.Popen(['sleep', '1000'])\n"
        "print(child.pid)"
    )
    with worker(runtime) as one:
        started = [int(one.ready().run(daemonise).text())]
        until(lambda: len(list(runtime.glob("pid-*"))) == 2, "both are on their own")
        started += [int(path.name[4:]) for path in runtime.glob("pid-*")]
        assert all(map(is_alive, started))
        one.start("import os; os._exit(0)")
        one.ended()
        assert not any(map(is_alive, started)), "the guardian ended after them"
    for path in runtime.glob("pid-*"):
        path.unlink()


def test_orphans_that_end_do_not_stay_as_zombies(runtime: Path) -> None:
    with worker(runtime) as one:
        one.ready()
        ran = one.run(
            "import subprocess\n"
            "print(subprocess.run(['sh', '-c', 'sleep 0.01 & echo $!'],"
            " capture_output=True, text=True).stdout)"
        )
        taken = Path(f"/proc/{int(ran.text())}")
        assert until(lambda: not taken.exists(), "it was taken by the guardian")
        assert not one.has_ended


@pytest.mark.promise("SF-SES-01")
def test_a_hog_meets_a_memory_error_first(runtime: Path) -> None:
    with worker(runtime, memory=600 * MIB) as one:
        ran = one.ready().run("hog = []\nwhile True: hog.append(bytearray(20_000_000))")
        assert ran.content["ename"] == "MemoryError"
        assert one.run("del hog; 1").value == "1"


def test_children_count_against_the_memory_of_their_session(runtime: Path) -> None:
    hog = "x = bytearray(b'1') * 250_000_000; import time; time.sleep(1000)"
    code = (
        "import subprocess, sys, time\n"
        f"them = [subprocess.Popen([sys.executable, '-c', {hog!r}]) for _ in range(3)]\n"
        "time.sleep(1000)"
    )
    ended, _ = _exit_of(runtime, code, memory=400 * MIB)
    assert ended["reason"] == "memory"
    assert ended["signal"] == signal.SIGKILL
    assert "MiB of 400 MiB were in use" in str(ended["message"])


@pytest.mark.parametrize(
    "bomb",
    [
        # Each of them stops by itself after some thousands, should the guardian fail.
        "import os, time\nfor _ in range(11): os.fork()\ntime.sleep(30)",
        "import os, time\nfor _ in range(70):\n    if os.fork(): break\ntime.sleep(30)",
        "import os, time\nfor _ in range(11):\n    if not os.fork(): os.setsid()\ntime.sleep(30)",
        (
            "import subprocess\nsubprocess.run(['sh', '-c', "
            "'f() { [ $1 -lt 11 ] && { f $(($1+1)) | f $(($1+1)) & }; sleep 30; }; f 0'])"
        ),
    ],
)
def test_a_fork_bomb_loses(runtime: Path, bomb: str) -> None:
    ended, _ = _exit_of(runtime, bomb, processes=60)
    assert ended["reason"] == "processes"
    assert ended["message"] == "more than 60 processes were started"
    until(lambda: not _started_in(runtime), "nothing of it is left")


def _started_in(runtime: Path) -> list[str]:
    """Every process, wherever it went, that was started in this folder or for it."""
    mark = str(runtime).encode()
    return [path.name for path in Path("/proc").iterdir() if mark in _told_of(path)]


def _told_of(process: Path) -> bytes:
    if not process.name.isdecimal():
        return b""
    try:
        return (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    except OSError:
        return b""  # it has ended, or is somebody else's


def test_as_many_processes_as_allowed_are_no_bomb(runtime: Path) -> None:
    with worker(runtime, processes=20) as one:
        ran = one.ready().run(
            "import subprocess\n"
            "them = [subprocess.Popen(['sleep', '0.3']) for _ in range(18)]\n"
            "[one.wait() for one in them]; len(them)"
        )
        assert ran.value == "18"


@pytest.mark.promise("SF-SES-10")
def test_a_kernel_without_a_daemon_ends_when_it_has_nothing_to_do(runtime: Path) -> None:
    lock = runtime / "another.lock"
    with worker(runtime, lock=str(lock), orphan_after=0.1, memory=4000 * MIB) as one:
        ended = one.ended()
        assert ended["reason"] == "orphaned"


def test_a_kernel_without_a_daemon_ends_its_cell_first(runtime: Path) -> None:
    lock = runtime / "third.lock"
    with lock.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        settings: dict[str, Any] = {"lock": str(lock), "orphan_after": 0.1, "memory": 4000 * MIB}
        with worker(runtime, **settings) as one:
            one.ready()
            go = runtime / "go"
            sent = one.start(
                f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
                f"open({str(go)!r} + 'ne', 'w').close()"
            )
            one.until_published("execute_input")
            fcntl.flock(held, fcntl.LOCK_UN)
            # Long after it counts as orphaned the cell is still running.
            assert one.ask("ping", channel="control") == {"busy": True}
            assert not one.has_ended
            go.touch()
            assert sent
            assert one.ended()["reason"] == "orphaned"
            assert (runtime / "gone").exists(), "the cell came to its end"


def test_the_kernel_dies_with_its_guardian(runtime: Path) -> None:
    with worker(runtime) as one:
        kernel = one.ready().kernel
        os.kill(one.guardian, signal.SIGKILL)
        assert until(lambda: not is_alive(kernel), "the kernel ended too")


def test_what_cannot_start_says_why_in_one_line(runtime: Path) -> None:
    with worker(runtime, directory="/no/such/place") as one:
        ended = one.ended()
        assert ended["code"] == 78
        assert ended["message"] == "cannot work in /no/such/place: No such file or directory"


def test_a_kernel_of_another_language_is_guarded_alike(runtime: Path) -> None:
    argv = ["sh", "-c", "sleep 1000 & echo $! > child; wait"]
    with worker(runtime, how="foreign", argv=argv) as one:
        written = runtime / "child"
        until(lambda: written.exists() and written.read_text(), "it runs")
        child = int(written.read_text())
        os.kill(one.kernel, signal.SIGKILL)
        assert one.ended()["signal"] == signal.SIGKILL
        assert not is_alive(child)
    with worker(runtime, how="foreign", argv=["/no/such/kernel"]) as one:
        assert one.ended()["message"] == ("cannot start /no/such/kernel: No such file or directory")


def test_an_idle_guardian_costs_next_to_nothing(runtime: Path) -> None:
    with worker(runtime, memory=4000 * MIB, processes=100) as one:
        one.ready()
        before, looks = _cpu(one), _looks(one)
        until(lambda: _looks(one) >= looks + 15, "it has looked some fifteen times")
        assert _cpu(one) - before <= 0.04, "a look takes hardly more than a millisecond"


def _looks(one: Worker) -> int:
    """How often the guardian has gone to rest."""
    status = Path(f"/proc/{one.guardian}/status").read_text()
    return int(status.partition("voluntary_ctxt_switches:")[2].split()[0])


def _cpu(one: Worker) -> float:
    fields = Path(f"/proc/{one.guardian}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
