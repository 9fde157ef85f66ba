"""The ladder: each rung frees what it is for, tells the truth, and harms nothing."""

from collections.abc import Iterator

import pytest
from tests.performers.interpreter.inside.driving import Ran, Worker, runtime_folder, until, worker


@pytest.fixture(scope="module")
def kernel() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as one:
        yield one.ready()


def _started(kernel: Worker, code: str) -> str:
    """Begin a cell and wait until its own code runs, or until it awaits for the first time."""
    begin = "print('begun', flush=True)"
    if "await" in code:
        begin = f"import asyncio\nasyncio.get_running_loop().call_soon(lambda: {begin})"
    return _begun(kernel, f"{begin}\n{code}")


def _begun(kernel: Worker, code: str) -> str:
    """Begin a cell and wait until it says so: an interrupt may end what it says that with."""
    sent = kernel.start(code)
    kernel.until_said("begun\n")
    return sent


def _works(kernel: Worker) -> None:
    """The next cells run, and can be interrupted, whether they await or not."""
    assert kernel.run("40 + 2").value == "42"
    assert kernel.run("import asyncio\nawait asyncio.sleep(0)\n43").value == "43"
    for code in ("while True: pass", "import asyncio\nawait asyncio.sleep(1000)"):
        sent = _started(kernel, code)
        kernel.interrupt()
        assert kernel.finish(sent).status == "error"


def _climb(kernel: Worker, sent: str, *rungs: str) -> tuple[Ran, list[bool]]:
    kernel.interrupt()
    done = [kernel.ask("stop_rung", channel="control", rung=rung)["done"] for rung in rungs]
    return kernel.finish(sent), done


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("while True: pass", "KeyboardInterrupt"),
        ("import time\ntime.sleep(1000)", "KeyboardInterrupt"),
        (
            "import threading\nlock = threading.Lock()\nwith lock: lock.acquire()",
            "KeyboardInterrupt",
        ),
        ("import subprocess\nsubprocess.run(['sleep', '1000'])", "KeyboardInterrupt"),
        ("while True: print('x' * 100)", "KeyboardInterrupt"),
        ("import asyncio\nawait asyncio.sleep(1000)", "CancelledError"),
        ("import asyncio\nawait asyncio.Event().wait()", "CancelledError"),
        ("import asyncio\nwhile True: await asyncio.sleep(0.001)", "CancelledError"),
        (
            # Begun once more behind the await: before it, an interrupt would cancel.
            "import asyncio, time\nawait asyncio.sleep(0)\nprint('slept')\ntime.sleep(1000)",
            "KeyboardInterrupt",
        ),
    ],
)
def test_an_interrupt_ends_a_cell_wherever_it_is(kernel: Worker, code: str, name: str) -> None:
    sent = _started(kernel, code)
    if "slept" in code:
        kernel.until_said("slept\n")
    kernel.interrupt()
    ran = kernel.finish(sent)
    # Where code of the cell runs between two awaits, an interrupt may also be raised in it.
    assert ran.content["ename"] in ({name, "KeyboardInterrupt"} if "while" in code else {name})
    assert [one["ename"] for one in ran.of("error")] == [ran.content["ename"]]
    assert kernel.run("1 + 1").value == "2"


def test_an_interrupt_ends_the_cell_also_while_other_code_runs_beside_it(kernel: Worker) -> None:
    beside = (
        "import asyncio, time\nbusy = True\ndef spin():\n"
        "    if busy: asyncio.get_running_loop().call_soon(spin)\n"
        "    for _ in range(20_000): pass\n"
        "spin()\nawait asyncio.sleep(1000)"
    )
    for _ in range(5):
        sent = _started(kernel, beside)
        kernel.interrupt()
        assert kernel.finish(sent).content["ename"] == "CancelledError"
    kernel.run("busy = False")
    hogging = "lambda: (print('hogging', flush=True), time.sleep(1000))"
    sent = kernel.start(
        f"asyncio.get_running_loop().call_soon({hogging})\nawait asyncio.sleep(1000)"
    )
    kernel.until_said("hogging\n")
    # Signals that come at once count as one; the second of two clears the way.
    until(lambda: _interrupted(kernel) and _is_idle(kernel), "the cell has ended")
    assert kernel.reply_to(sent)["content"]["ename"] == "CancelledError"
    _works(kernel)


def _interrupted(kernel: Worker) -> bool:
    kernel.interrupt()
    return True


def _is_idle(kernel: Worker) -> bool:
    return (kernel.folder / "busy").read_bytes() == b"0"


def test_an_interrupt_that_nobody_noticed_is_told_again(kernel: Worker) -> None:
    sent = _started(kernel, "import time\ntime.sleep(1000)")
    told = {"rung": "interrupt", "request": sent}
    kernel.ask("stop_rung", channel="control", **told)
    assert kernel.finish(sent).content["ename"] == "KeyboardInterrupt"
    _works(kernel)


def test_an_interrupt_that_was_noticed_is_not_told_again(kernel: Worker) -> None:
    sent = _begun(
        kernel,
        "import time\ntry:\n    print('begun', flush=True)\n    time.sleep(1000)\n"
        "except KeyboardInterrupt: time.sleep(0.2)\nprint('tidied')",
    )
    kernel.interrupt()
    ran = kernel.finish(sent)
    assert (ran.status, ran.text()) == ("ok", "tidied\n")


def test_no_rung_reaches_another_cell_than_the_one_it_is_for(kernel: Worker) -> None:
    sent = _started(kernel, "import time\ntime.sleep(1000)")
    for rung in ("interrupt", "double_tap"):
        told = {"rung": rung, "request": "cell:c99"}
        assert not kernel.ask("stop_rung", channel="control", **told)["done"]
    assert not _is_idle(kernel)
    kernel.interrupt()
    assert kernel.finish(sent).content["ename"] == "KeyboardInterrupt"


def test_an_interrupt_ends_a_cell_that_asks(kernel: Worker) -> None:
    sent = kernel.start("input()", may_ask=True)
    kernel.client.get_stdin_msg(timeout=20)
    kernel.interrupt()
    assert kernel.finish(sent).content["ename"] == "KeyboardInterrupt"


def test_an_interrupt_between_cells_changes_nothing(kernel: Worker) -> None:
    kernel.run("kept = 7")
    for _ in range(20):
        kernel.interrupt()
    assert kernel.run("kept").value == "7"


@pytest.mark.parametrize("way", ["SIG_IGN", "SIG_DFL"])
def test_a_cell_that_changes_what_an_interrupt_does_changes_it_for_itself(
    kernel: Worker, way: str
) -> None:
    ran = kernel.run(f"import signal\nsignal.signal(signal.SIGINT, signal.{way})")
    assert ran.status == "ok"
    _works(kernel)


def test_interrupts_at_any_moment_never_cost_a_reply(kernel: Worker) -> None:
    for round_ in range(60):
        sent = kernel.start(f"x = {round_}\nprint(x)\nx")
        for _ in range(round_ % 4):
            kernel.interrupt()
        ran = kernel.finish(sent)
        assert ran.status == "ok" or ran.content["ename"] == "KeyboardInterrupt"
    _works(kernel)


def test_a_second_cancel_ends_a_cell_that_awaits_once_more(kernel: Worker) -> None:
    sent = _started(
        kernel,
        "import asyncio\ntry: await asyncio.sleep(1000)\n"
        "finally:\n    print('once', flush=True)\n    await asyncio.sleep(1000)",
    )
    kernel.interrupt()
    kernel.until_said("once\n")  # two at the same time would be one
    assert kernel.ask("stop_rung", channel="control", rung="cancel_again")["done"]
    assert kernel.finish(sent).content["ename"] == "CancelledError"
    _works(kernel)


@pytest.mark.parametrize(
    "code",
    [
        (
            "while True:\n    try:\n        print('begun', flush=True)\n        while True: pass\n"
            "    except BaseException: pass"
        ),
        (
            "import time\nwhile True:\n    try:\n        print('begun', flush=True)\n"
            "        time.sleep(1)\n    except BaseException: pass"
        ),
        (
            "import asyncio, time\nawait asyncio.sleep(0)\nwhile True:\n    try:\n"
            "        print('begun', flush=True)\n        time.sleep(1)\n"
            "    except BaseException: pass"
        ),
    ],
)
def test_a_double_tap_ends_a_cell_that_swallows_every_exception(kernel: Worker, code: str) -> None:
    ran, done = _climb(kernel, _begun(kernel, code), "double_tap")
    assert done == [True]
    assert ran.content["ename"] in {"KeyboardInterrupt", "CancelledError"}
    _works(kernel)


def test_a_cell_that_swallows_every_cancel_is_left_behind(kernel: Worker) -> None:
    code = (
        "import asyncio\nstop = False\nwhile not stop:\n"
        "    try: await asyncio.sleep(0.01)\n    except BaseException: pass\nprint('late')"
    )
    sent = _started(kernel, code)
    ran, done = _climb(kernel, sent, "cancel_again", "double_tap", "abandon")
    assert done == [False, False, True]
    assert ran.content["ename"] == "CellAbandoned"
    assert [one["ename"] for one in ran.of("error")] == ["CellAbandoned"]
    _works(kernel)
    kernel.run("stop = True")
    late = kernel.until_said("late\n")
    assert late["parent_header"]["msg_id"] == ran.messages[0]["parent_header"]["msg_id"]
    assert kernel.run("5").value == "5", "the one that ended late did not take the display away"
    _works(kernel)


def test_a_cell_that_does_not_await_is_not_abandoned(kernel: Worker) -> None:
    sent = _started(kernel, "while True: pass")
    assert kernel.ask("stop_rung", channel="control", rung="abandon") == {"done": False}
    kernel.interrupt()
    assert kernel.finish(sent).content["ename"] == "KeyboardInterrupt"


@pytest.mark.parametrize("rung", ["cancel_again", "double_tap", "abandon"])
def test_no_rung_touches_an_idle_kernel(kernel: Worker, rung: str) -> None:
    before = kernel.kernel
    assert kernel.ask("stop_rung", channel="control", rung=rung) == {"done": False}
    assert kernel.kernel == before
    _works(kernel)


def test_the_journal_tells_its_position(kernel: Worker) -> None:
    first = kernel.ask("journal_position", channel="control")["number"]
    kernel.run("1")
    assert kernel.ask("journal_position", channel="control")["number"] > first + 3
