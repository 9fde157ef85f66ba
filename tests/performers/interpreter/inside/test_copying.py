"""Frozen copies of real kernels: what a cell did is as if it had never been."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.copies import branch, copies, drop, printed, undo, wake
from tests.performers.interpreter.inside.driving import (
    Worker,
    is_alive,
    runtime_folder,
    until,
    worker,
)

from hearth.performers.interpreter.inside import processes

MIB = 1 << 20


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        yield made.ready()


def test_a_copy_is_told_before_the_code_runs_and_in_the_reply(one: Worker) -> None:
    ran = one.run("print('code')", copy="first")
    told = ran.told["copy"]
    assert told["name"] == "first"
    assert told["kept"] is True
    assert told["obstacles"] == []
    assert 0 < told["seconds"] < 5
    assert ran.of("hearth_copy") == [told]
    kinds = [message["msg_type"] for message in ran.messages]
    assert kinds.index("hearth_copy") < kinds.index("stream")
    process = copies(one)["first"]
    assert processes.parent(process) == one.guardian
    until(lambda: os.getsid(process) == process, "it is on its own")
    drop(one, "first")


def test_without_being_asked_none_is_made(one: Worker) -> None:
    ran = one.run("1")
    assert ran.told["copy"] is None
    assert ran.of("hearth_copy") == []
    assert copies(one) == {}


@pytest.mark.parametrize("name", ["", "../x", "a b", "x" * 65, 7, ["a"], "ä"])
def test_what_is_no_name_is_refused_and_the_cell_runs(one: Worker, name: object) -> None:
    ran = one.run("'ran'", copy=name)
    assert ran.value == "'ran'"
    assert ran.told["copy"]["kept"] is False
    assert ran.told["copy"]["obstacles"] == [f"a copy cannot be called {name!r}"]
    assert copies(one) == {}


def test_a_name_that_is_used_again_names_the_new_one(one: Worker) -> None:
    one.run("x = 1", copy="same")
    before = copies(one)["same"]
    one.run("x = 2", copy="same")
    after = copies(one)["same"]
    assert before != after
    until(lambda: not Path(f"/proc/{before}").exists(), "the first is gone, and was taken")
    undo(one, "same")
    assert one.run("x").value == "1"


def test_one_that_is_dropped_leaves_nothing(one: Worker) -> None:
    one.run("1", copy="a")
    process = copies(one)["a"]
    drop(one, "a")
    until(lambda: not Path(f"/proc/{process}").exists(), "it is gone, and was taken")
    assert one.run("1").value == "1"


BEFORE = """
import os, string, sys
class Thing: size = 1
thing, bound, numbers = Thing(), 'before', {'a': [1]}
sys.modules.pop('colorsys', None)
"""
SAME = (
    "print(bound, numbers, thing.size, Thing.size, string.capwords('a'), 'colorsys' in sys.modules,"
    " os.environ.get('MARK'), os.getcwd() == there, sys.path == paths, 'extra' in globals())"
)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("del bound, numbers, Thing, thing", "ok"),
        ("bound = 'after'; numbers['a'].append(2); thing.size = 3; extra = 1", "ok"),
        ("import colorsys; sys.path.append('/nowhere')", "ok"),
        ("Thing.size = 9; string.capwords = lambda _: 'patched'; print = None", "ok"),
        ("numbers.clear(); extra = 1; raise ValueError('half way')", "error"),
        ("os.environ['MARK'] = '1'; os.chdir('/')", "ok"),
        ("bound = 1\nimport ctypes\nnumbers.clear()\n1/0", "error"),
        ("%reset -f", "ok"),
        ("numbers = None\nawait __import__('asyncio').sleep(0)", "ok"),
        ("sys.stdout = None; sys.stderr = open(os.devnull, 'w'); os.close(1)", "ok"),
        ("import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); bound = 3", "ok"),
    ],
)
def test_what_a_cell_did_is_undone(one: Worker, code: str, status: str) -> None:
    one.run(f"{BEFORE}\nthere, paths = os.getcwd(), list(sys.path)")
    expected = "before {'a': [1]} 1 1 A False None True True False\n"
    assert one.run(SAME).text() == expected
    ran = one.run(code, copy="before")
    assert (ran.status, ran.told["copy"]["obstacles"]) == (status, [])
    undo(one, "before")
    assert one.run(SAME).text() == expected
    assert one.run("import colorsys; colorsys.__name__").value == "'colorsys'"


def test_what_was_set_in_the_context_before_is_set_in_every_copy(one: Worker) -> None:
    one.run("import contextvars, decimal; held = contextvars.ContextVar('held', default=0)")
    one.run("held.set(1); decimal.getcontext().prec = 7")
    look = "held.get(), decimal.getcontext().prec"
    one.run("held.set(2); decimal.getcontext().prec = 9", copy="a")
    assert one.run(look).value == "(2, 9)"
    with branch(one, one.folder.parent) as other:
        assert other.run(look).value == "(2, 9)"
        other.run("held.set(3)")
        assert other.run(look).value == "(3, 9)"
    for _ in range(2):
        undo(one, "a")
        assert one.run(look).value == "(1, 7)"
        one.run("held.set(2)", copy="a")


def test_the_count_of_cells_goes_back_and_what_was_said_stays(one: Worker) -> None:
    one.run("1")
    before = one.run("print('kept')").content["execution_count"]
    one.run("print('taken back')", copy="a")
    undo(one, "a")
    again = one.run("print('again')")
    assert again.content["execution_count"] == before + 1
    said = printed(one)
    assert said.index("kept") < said.index("taken back") < said.index("again")
    assert said.count("taken back") == said.count("again\n") == 1


def test_what_was_printed_before_is_not_said_twice(one: Worker) -> None:
    # Text that no newline has sent yet, in Python and in a pipe, when the copy is made.
    one.run("import os, sys; sys.stdout.write('unsent-p'); os.write(1, b'unsent-d')", copy="a")
    one.run("1", copy="b")
    undo(one, "b")
    undo(one, "a")
    one.run("1")
    assert printed(one).count("unsent-p") == printed(one).count("unsent-d") == 1


def test_one_that_cannot_be_noted_is_ended(one: Worker) -> None:
    (one.folder / "copies").mkdir(exist_ok=True)
    (one.folder / "copies").chmod(0o700)
    held = one.folder / "copies" / "blocked.json.written"
    held.mkdir()
    ran = one.run("'ran'", copy="blocked")
    assert ran.value == "'ran'"
    assert ran.told["copy"]["kept"] is False
    assert ran.told["copy"]["obstacles"] == ["it could not be noted: Is a directory"]
    held.rmdir()
    until(lambda: processes.children(one.guardian) == [one.kernel], "nothing is left of it")


FILL = """
import os, resource
before = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
held = []
try:
    while True: held.append(os.dup(0))
except OSError: pass
"""
FREE = "for fd in held: os.close(fd)\nresource.setrlimit(resource.RLIMIT_NOFILE, before)"


def test_a_cell_runs_although_nothing_can_be_opened_any_more(one: Worker) -> None:
    assert one.ask("obstacles", channel="control")["obstacles"] == []  # it is connected, too
    one.run(FILL)
    ran = one.run("'ran'", copy="full")
    asked = one.ask("copy", channel="control", name="full")
    told = one.ask("obstacles", channel="control")["obstacles"]
    one.run(FREE)
    assert (ran.status, ran.value) == ("ok", "'ran'")
    for found in (ran.told["copy"]["obstacles"], asked["obstacles"], told):
        assert len(found) == 1
        assert "Too many open files" in found[0]
    assert one.run("'ran'", copy="full").told["copy"]["kept"]
    drop(one, "full")


CLOSE = """
import os
for fd in range(3, 256):
    if os.path.exists(f'/proc/self/fd/{fd}') and os.readlink(f'/proc/self/fd/{fd}').startswith('/'):
        os.close(fd)
"""


def test_code_that_closes_files_of_the_kernel_s_is_taken_back_after_it_too() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run(f"x = 1{CLOSE}")
        # Sockets, among others, have the numbers by then that files of the kernel's had.
        one.request("create_subshell_request", {}, channel="control")
        for _ in range(2):
            one.run("x = 2", copy="a")
            undo(one, "a")
            assert one.run("x").value == "1"
            assert one.run("print('heard')").text() == "heard\n"
            assert one.run("import os; os.system('echo too')").text() == "too\n"


def test_what_code_has_opened_under_such_a_number_stays_its_own_in_a_branch() -> None:
    reopen = (
        "\nkept = [os.open('kept.txt', os.O_RDWR | os.O_CREAT | os.O_APPEND) for _ in range(9)]"
    )
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run(f"x = 1{CLOSE}{reopen}")
        with branch(one, runtime) as other:
            other.run("for fd in kept: os.write(fd, b'+')")
            assert other.run("open('kept.txt').read()").value == f"'{'+' * 9}'"
            assert other.run("print('heard')").text() == "heard\n"
        assert "+" not in other.stdio


def test_a_cell_runs_although_there_is_no_place_for_copies() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        (one.ready().folder / "copies").touch()
        ran = one.run("'ran'", copy="a")
        assert (ran.status, ran.value) == ("ok", "'ran'")
        assert ran.told["copy"]["kept"] is False
        assert "File exists" in ran.told["copy"]["obstacles"][0]


def test_a_kernel_that_cannot_speak_any_more_is_undone() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("x = 1")
        one.start("import json; json.dumps = None; x = 2", copy="a")
        until(lambda: "a" in copies(one), "there is a copy")
        until(lambda: "TypeError" in one.stdio, "it could not reply")
        assert wake(one, "a") == ""
        assert one.ready().run("x").value == "1"


def _there(pids: list[int]) -> list[int]:
    return [pid for pid in pids if is_alive(pid)]


def test_many_copies_and_wakes_leave_nothing_and_do_not_grow() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("import os; steps = []; ballast = bytearray(b'1') * (20 << 20)")
        for step in range(30):
            one.run(f"steps.append({step})", copy=f"c{step}")
        assert len(copies(one)) == 30
        for step in range(20):
            drop(one, f"c{step}")
        sizes = []
        for turn in range(20):
            one.run("steps.append('lost')", copy="again")
            undo(one, "again")
            assert one.run("len(steps)").value == "30"
            if turn in {4, 19}:
                sizes.append(_size(one))
        (fds, threads, memory), (fds_then, threads_then, memory_then) = sizes
        assert threads_then == threads
        assert fds_then <= fds + 3, "clients come back one after the other"
        assert memory_then - memory < 12 * MIB
        undo(one, "c25")
        assert one.run("len(steps)").value == "25"
        kept = [*copies(one).values(), one.kernel]
        until(
            lambda: sorted(processes.children(one.guardian)) == sorted(kept),
            "no zombie and no copy that nobody knows is left",
        )
        assert _there(kept) == kept
        os.kill(one.guardian, signal.SIGTERM)
        one.ended()
        assert _there(kept) == []


def _size(one: Worker) -> tuple[int, int, int]:
    of_kernel = Path(f"/proc/{one.kernel}")
    of_guardian = Path(f"/proc/{one.guardian}")
    fds = len(list((of_kernel / "fd").iterdir())) + len(list((of_guardian / "fd").iterdir()))
    return fds, len(list((of_kernel / "task").iterdir())), processes.resident([one.kernel])
