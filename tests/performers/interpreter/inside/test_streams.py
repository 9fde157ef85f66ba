"""What is printed belongs to the cell that caused it, and no cell prints without bound."""

from collections.abc import Iterator

import pytest
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, until, worker

from hearth.performers.interpreter.inside import processes
from hearth.performers.interpreter.inside.streams import Account, Accounts

MIB = 1 << 20


@pytest.fixture(scope="module")
def kernel() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as one:
        yield one.ready()


def test_an_account_takes_what_fits_and_counts_the_rest() -> None:
    account = Account({}, 5)
    assert account.take("abc") == "abc"
    assert account.take("defg") == "de"
    assert account.take("h") == ""
    assert account.dropped == 3


def test_an_account_never_cuts_a_character_in_two() -> None:
    account = Account({}, 4)
    assert account.take("äää") == "ää"
    assert account.dropped == 2
    odd = Account({}, 3)
    assert odd.take("ää") == "ä"
    assert odd.dropped == 2
    assert odd.take("x") == ""


def test_an_account_without_a_limit_takes_everything() -> None:
    account = Account({}, None)
    assert account.take("x" * 10_000) == "x" * 10_000
    assert account.dropped == 0


def test_accounts_of_old_cells_are_forgotten_and_what_they_print_is_bounded() -> None:
    accounts = Accounts()
    for number in range(1000):
        accounts.open({"msg_id": str(number)}, None)
    assert accounts.of({"msg_id": "999"}).left is None
    assert accounts.of({"msg_id": "1"}).left == MIB


def test_a_cell_prints_up_to_its_limit_and_the_rest_is_counted(kernel: Worker) -> None:
    ran = kernel.run("for _ in range(1000): print('x' * 99)", output_limit=5000)
    assert ran.text() == ("x" * 99 + "\n") * 50
    assert ran.told["dropped"] == 95_000
    both = kernel.run(
        "import sys\nprint('a' * 99, flush=True)\nprint('b' * 99, file=sys.stderr, flush=True)",
        output_limit=150,
    )
    assert len(both.text() + both.text("stderr")) == 150, "both streams count together"
    assert both.told["dropped"] == 50
    assert kernel.run("print('y')", output_limit=5000).text() == "y\n"


def test_what_programs_print_counts_too(kernel: Worker) -> None:
    ran = kernel.run(
        "import os\n_ = os.system('head -c 100000 /dev/zero | tr \\\\0 y')", output_limit=1000
    )
    assert len(ran.text()) == 1000
    assert ran.told["dropped"] == 99_000


@pytest.mark.parametrize("limit", [MIB, None])
def test_a_flood_does_not_fill_the_memory(kernel: Worker, limit: int | None) -> None:
    before = processes.resident([kernel.kernel])
    told = {} if limit is None else {"output_limit": limit}
    ran = kernel.run("for _ in range(50): print('x' * 999_999)", **told)
    assert len(ran.text()) == (limit or 50_000_000)
    assert ran.told["dropped"] == 50_000_000 - len(ran.text())
    assert max(len(one["text"]) for one in ran.of("stream")) <= MIB
    assert processes.resident([kernel.kernel]) - before < 150 * MIB


def test_many_small_prints_come_whole_and_in_order(kernel: Worker) -> None:
    ran = kernel.run("for n in range(100_000): print(n)", output_limit=100 * MIB)
    assert ran.text().splitlines() == [str(n) for n in range(100_000)]


def test_a_thread_prints_for_the_cell_that_started_it(kernel: Worker) -> None:
    first = kernel.start(
        "import threading\ngo, gone = threading.Event(), threading.Event()\n"
        "def later():\n    go.wait()\n    print('from the thread')\n    gone.set()\n"
        "threading.Thread(target=later).start()"
    )
    assert kernel.finish(first).text() == ""
    second = kernel.start("print('mine')\ngo.set()\n_ = gone.wait()\nprint('mine too')")
    texts: dict[str, str] = {first: "", second: ""}
    for message in kernel.listen():
        if message["msg_type"] == "stream":
            texts[message["parent_header"]["msg_id"]] += message["content"]["text"]
        if texts[first] and "too" in texts[second]:
            break
    assert texts == {first: "from the thread\n", second: "mine\nmine too\n"}
    assert kernel.reply_to(second)["content"]["status"] == "ok"


def test_a_thread_of_a_thread_prints_for_the_same_cell(kernel: Worker) -> None:
    first = kernel.start(
        "import threading\ngo = threading.Event()\n"
        "def inner(): go.wait(); print('inner')\n"
        "def outer(): threading.Thread(target=inner).start()\n"
        "threading.Thread(target=outer).start()"
    )
    kernel.finish(first)
    kernel.start("go.set()")
    said = kernel.until_said("inner\n")
    assert said["parent_header"]["msg_id"] == first


def test_a_task_left_behind_prints_for_the_cell_that_made_it(kernel: Worker) -> None:
    first = kernel.start(
        "import asyncio\nwake = asyncio.Event()\n"
        "async def later(): await wake.wait(); print('from the task')\n"
        "task = asyncio.create_task(later())"
    )
    kernel.finish(first)
    second = kernel.start("wake.set()\nawait task\nprint('mine')")
    texts: dict[str, str] = {first: "", second: ""}
    for message in kernel.listen():
        if message["msg_type"] == "stream":
            texts[message["parent_header"]["msg_id"]] += message["content"]["text"]
        if all(texts.values()):
            break
    assert texts == {first: "from the task\n", second: "mine\n"}


def test_what_a_thread_prints_counts_against_its_own_cell(kernel: Worker) -> None:
    first = kernel.start(
        "done = threading.Event()\ngo = threading.Event()\n"
        "def flood():\n    go.wait()\n    for _ in range(1000): print('z' * 99)\n    done.set()\n"
        "threading.Thread(target=flood).start()\nprint('begin')",
        output_limit=1006,
    )
    assert kernel.finish(first).told["dropped"] == 0
    second = kernel.start("go.set(); _ = done.wait(); print('mine')", output_limit=1006)
    heard = ""
    for message in kernel.listen():
        if message["msg_type"] == "stream" and message["parent_header"]["msg_id"] == first:
            heard += message["content"]["text"]
        if message["content"].get("execution_state") == "idle":
            break
    assert len(heard) == 1000
    told = kernel.reply_to(second)["content"]["hearth"]
    assert told["dropped"] == 0


def test_a_question_beside_a_cell_does_not_take_its_output(kernel: Worker) -> None:
    made = kernel.request("create_subshell_request", {}, channel="control")["content"]
    sent = kernel.start(
        # Both write at the same time as the other asks or ends.
        "import os, time\nwhile 'ask' not in globals(): time.sleep(0.001)\n"
        "for _ in range(50): _ = os.system('echo mine')"
    )
    kernel.until_published("execute_input")
    for _ in range(20):
        kernel.start("ask = 1", subshell=made["subshell_id"])
    assert kernel.finish(sent).text() == "mine\n" * 50


def test_output_of_a_forked_child_is_seen(kernel: Worker) -> None:
    ran = kernel.run(
        "import multiprocessing\n"
        "child = multiprocessing.get_context('fork').Process(target=print, args=('child',))\n"
        "child.start(); child.join(); child.exitcode"
    )
    assert ran.value == "0"
    said = ran.text()
    until(lambda: "child" in said or kernel.until_said("child\n"), "it is seen")


INTERRUPTING = """
import os, signal, sys, threading
def step(frame, event, what):
    if event != moment or frame.f_code.co_filename != threading.__file__:
        return
    if frame.f_code.co_name == function:
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)
"""
FLUSHING = f"""
function, moment = {{function!r}}, {{moment!r}}
exec(compile({INTERRUPTING!r}, "/not/a/cell.py", "exec"))
held = threading.Lock()
held.acquire()
sys.stdout.pub_thread.schedule(lambda: held.acquire(timeout=0.02))
print("x", end="")
sys.setprofile(step)
sys.stdout.flush()
sys.setprofile(None)
"""


@pytest.mark.parametrize("function", ["__enter__", "__exit__", "wait", "_acquire_restore"])
@pytest.mark.parametrize("moment", ["call", "return"])
def test_an_interrupt_of_a_flush_leaves_the_streams_working(
    kernel: Worker, function: str, moment: str
) -> None:
    # Raised where a lock is held and not yet guarded, it would be held for ever, and the thread
    # that publishes would wait for it: neither output nor the end of any cell would come again.
    kernel.run(FLUSHING.format(function=function, moment=moment))
    assert kernel.run("print('on', flush=True)").text() == "on\n"
