"""A kernel that was copied from another, in its place or beside it, can do all that one can."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.inside.copies import branch, copies, printed, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, until, worker
from tests.performers.interpreter.inside.telling_daemon import TellingDaemon

FIRST = """
import asyncio, os, sys, subprocess
from IPython.display import display
class Shown:
    def _repr_mimebundle_(self, **_): return {"image/png": "AAAA", "text/plain": "shown"}
kept_stdout, kept_print, shown = sys.stdout, print, Shown()
numbers = list(range(5))
def document(argument: int) -> int:
    'Document it.'
print('before')
"""


@pytest.fixture(params=["woken", "woken twice", "branch", "branch of a branch"], scope="module")
def one(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """A kernel that has been another before."""
    with runtime_folder() as runtime, worker(runtime) as first:
        first.ready().run(FIRST)
        if request.param.startswith("woken"):
            for _ in request.param.split():
                first.run("numbers.clear(); print('lost')", copy="before")
                undo(first, "before")
            yield first
        elif request.param == "branch":
            with branch(first, runtime) as second:
                yield second
        else:
            with branch(first, runtime) as second, branch(second, runtime) as third:
                yield third


def test_variables_are_what_they_were(one: Worker) -> None:
    assert one.run("numbers, document.__doc__").value == "([0, 1, 2, 3, 4], 'Document it.')"
    assert one.run("get_ipython().kernel.shell is get_ipython()").value == "True"
    assert one.run("_ih[1].strip().splitlines()[0]").value.startswith("'import asyncio")


def test_what_is_printed_is_heard_whoever_prints_it(one: Worker) -> None:
    ran = one.run(
        "print('one'); kept_print('two', file=kept_stdout, flush=True)\n"
        "print('wrong', file=sys.stderr)\n"
        "os.system('echo three'); subprocess.run(['sh', '-c', 'echo four >&2'])\n"
        "os.write(1, b'five\\n');"
    )
    assert sorted(ran.text().split()) == ["five", "one", "three", "two"]
    assert sorted(ran.text("stderr").split()) == ["four", "wrong"]
    assert "five" in printed(one)


def test_values_displays_and_errors_are_heard(one: Worker) -> None:
    ran = one.run("display(shown); 6 * 7")
    assert ran.of("display_data")[0]["data"] == {"image/png": "AAAA", "text/plain": "shown"}
    assert ran.value == "42"
    assert ran.of("execute_input")
    failed = one.run("def deep(): 1/0\ndeep()")
    assert failed.content["ename"] == "ZeroDivisionError"
    assert "deep()" in "".join(failed.of("error")[0]["traceback"])
    assert one.run("await asyncio.sleep(0); 'awaited'").value == "'awaited'"


def test_it_asks_a_person(one: Worker) -> None:
    sent = one.start("input('name? ')", allow_stdin=True, may_ask=True)
    asked = one.client.get_stdin_msg(timeout=10)
    assert asked["content"]["prompt"] == "name? "
    one.client.input("Ada")
    assert one.finish(sent).value == "'Ada'"


def test_it_completes_and_explains(one: Worker) -> None:
    completed = one.request("complete_request", {"code": "numbers.app", "cursor_pos": 11})
    assert "append" in str(completed["content"]["matches"])
    content = {"code": "document", "cursor_pos": 8, "detail_level": 0}
    assert "Document it." in str(one.request("inspect_request", content)["content"]["data"])
    assert "numbers" in str(one.ask("names"))
    beside = one.request("create_subshell_request", {}, channel="control")["content"]
    subshell = beside["subshell_id"]
    sent = one.start("import time; time.sleep(1000)")
    one.until_published("execute_input")
    assert "numbers" in str(one.ask("names", subshell=subshell))
    one.interrupt()
    assert one.finish(sent).content["ename"] == "KeyboardInterrupt"
    one.request("delete_subshell_request", {"subshell_id": subshell}, channel="control")


@pytest.mark.parametrize(
    "code", ["while True: pass", "import time; time.sleep(1000)", "await asyncio.sleep(1000)"]
)
def test_it_is_interrupted(one: Worker, code: str) -> None:
    sent = one.start(f"print('runs')\n{code}")
    one.until_said("runs")
    assert one.ask("ping", channel="control") == {"busy": True}
    one.interrupt()
    assert one.finish(sent).content["ename"] in {"KeyboardInterrupt", "CancelledError"}
    assert one.run("1").value == "1"


def test_processes_threads_and_tasks_begin_in_it(one: Worker) -> None:
    ran = one.run(
        "import threading, multiprocessing, concurrent.futures as futures\n"
        "thread = threading.Thread(target=print, args=('from a thread',))\n"
        "thread.start(); thread.join()\n"
        "with futures.ThreadPoolExecutor(2) as pool: print(list(pool.map(abs, [-1, -2])))\n"
        "process = multiprocessing.get_context('fork').Process(target=lambda: os._exit(3))\n"
        "process.start(); process.join(); print(process.exitcode)\n"
        "await asyncio.create_task(asyncio.sleep(0))"
    )
    assert (ran.status, ran.text()) == ("ok", "from a thread\n[1, 2]\n3\n")


def test_it_is_copied_and_branched_itself(one: Worker) -> None:
    ran = one.run("numbers.append(5)", copy="again")
    assert ran.told["copy"]["obstacles"] == []
    undo(one, "again")
    assert one.run("numbers").value == "[0, 1, 2, 3, 4]"
    with branch(one, one.folder.parent) as other:
        other.run("numbers.append(6)")
        assert one.run("numbers[-1]").value == "4"


def test_its_random_numbers_go_on(one: Worker) -> None:
    one.run("import random; random.seed(7); state = random.getstate()")
    one.run("first = random.random()", copy="dice")
    undo(one, "dice")
    assert one.run("random.getstate() == state").value == "True"


def test_tools_are_called_from_its_code(one: Worker) -> None:
    key = one.client.session.key.decode()
    connection = (one.folder / "connection.json").read_bytes()

    async def telling(begun: threading.Event, over: asyncio.Event, found: list[Any]) -> None:
        daemon = TellingDaemon(one.folder, key)
        (one.folder / "connection.json").write_bytes(connection)
        found += [daemon, asyncio.get_running_loop()]
        begun.set()
        await over.wait()
        daemon.listening.close()

    begun, over, found = threading.Event(), asyncio.Event(), list[Any]()
    thread = threading.Thread(target=lambda: asyncio.run(telling(begun, over, found)))
    thread.start()
    try:
        assert begun.wait(10)
        for _ in range(2):
            ran = one.run("from hearth_tools import the_mill\nprint(the_mill.turn(wheels=3))")
            assert (ran.status, ran.text()) == ("ok", "done\n"), ran.content
        assert found[0].asked[-1]["arguments"] == {"wheels": 3}
    finally:
        found[1].call_soon_threadsafe(over.set)
        thread.join()


def test_a_crash_is_described_in_its_own_folder() -> None:
    with runtime_folder() as runtime, worker(runtime) as first:
        first.ready()
        with branch(first, runtime) as other:
            other.start("import ctypes\ndef crash(): ctypes.string_at(0)\ncrash()")
            assert other.ended()["signal"] == signal.SIGSEGV
            until(lambda: "in crash" in other.stdio, "the function that crashed is named")
        assert "in crash" not in first.stdio
        first.run("1", copy="a")
        undo(first, "a")
        first.start("import ctypes\ndef crash(): ctypes.string_at(0)\ncrash()")
        assert first.ended()["signal"] == signal.SIGSEGV
        assert "in crash" in first.stdio
        assert copies(first) == {}


def test_what_code_asked_for_at_the_end_is_done_once(tmp_path: Path) -> None:
    with runtime_folder() as runtime, worker(runtime) as first:
        written = tmp_path / "written"
        first.ready().run(
            "import atexit, os\n"
            f"def write():\n    with open({str(written)!r}, 'a') as file:\n"
            "        file.write(f'{os.getpid()} ')\n"
            "atexit.register(write)"
        )
        first.run("1", copy="a")
        undo(first, "a")
        kernel = first.kernel
        first.send("shutdown_request", {"restart": False}, channel="control")
        assert first.ended()["code"] == 0
        assert written.read_text().split() == [str(kernel)]
        assert list((first.folder / "copies").iterdir()) == []


def test_a_copy_made_while_another_thread_looked_through_modules_goes_on() -> None:
    find = "import sys\nlooking = next(m.SOURCES._lock for n, m in sys.modules.items() if "
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run(f"{find} n.endswith('.sources'))")
        assert one.run("looking.acquire()").value == "True"
        one.run("looking.release()", copy="looking")
        undo(one, "looking")
        assert one.run("import colorsys; colorsys.__name__").value == "'colorsys'"
        assert one.ask("environment")["fingerprint"]


def test_it_runs_on_such_a_loop_as_it_ran_whatever_code_wished_for_since() -> None:
    kind = "type(asyncio.get_running_loop()).__name__"
    with runtime_folder() as runtime, worker(runtime) as one:
        before = one.ready().run(f"import asyncio; {kind}").value
        one.run("import uvloop; uvloop.install()")
        for _ in range(2):
            assert one.run("1", copy="a").told["copy"]["obstacles"] == []
            undo(one, "a")
            assert one.run(kind).value == before
            assert one.run("type(asyncio.get_event_loop_policy()).__module__").value == "'uvloop'"
        with branch(one, one.folder.parent) as other:
            assert other.run(kind).value == before
            assert other.run("await asyncio.sleep(0, 'slept')").value == "'slept'"
