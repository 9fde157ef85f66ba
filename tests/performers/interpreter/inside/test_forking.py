"""Forks that the user of a kernel does not see."""

import os
import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.performers.interpreter.inside.copies import branch, copies, drop, undo
from tests.performers.interpreter.inside.driving import Worker, runtime_folder, worker

from hearth.performers.interpreter.inside import forking


@pytest.fixture(scope="module")
def one() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as made:
        made.ready().run("import os, random, signal, sys, warnings; seen = []")
        yield made


def test_code_finds_no_child_that_it_did_not_start(one: Worker) -> None:
    ran = one.run("try: os.wait()\nexcept ChildProcessError: print('none')", copy="a")
    assert ran.text() == "none\n"
    with branch(one, one.folder.parent):
        ran = one.run("try: os.waitpid(-1, os.WNOHANG)\nexcept ChildProcessError: print('none')")
        assert ran.text() == "none\n"
    drop(one, "a")
    assert one.run("os.system('exit 3') >> 8").value == "3"


def test_reactions_to_signals_are_not_called_and_stay(one: Worker) -> None:
    one.run("signal.signal(signal.SIGCHLD, lambda *_: seen.append('child'))")
    one.run("signal.signal(signal.SIGUSR1, lambda *_: seen.append('one'))")
    one.run("signal.signal(signal.SIGUSR2, lambda *_: seen.append('two'))")
    one.run("1", copy="a")
    with branch(one, one.folder.parent) as other:
        assert other.run("seen").value == "[]"
        other.run("os.kill(os.getpid(), signal.SIGUSR1)")
        assert other.run("seen").value == "['one']"
    assert one.run("seen").value == "[]"
    undo(one, "a")
    assert one.run("seen").value == "[]"
    one.run("os.kill(os.getpid(), signal.SIGUSR1); os.kill(os.getpid(), signal.SIGUSR2)")
    assert one.run("seen").value == "['one', 'two']"
    one.run("os.system('true')")
    assert one.run("seen.count('child') >= 0").value == "True"
    one.run(
        "for one in (signal.SIGCHLD, signal.SIGUSR1, signal.SIGUSR2):"
        " signal.signal(one, signal.SIG_DFL)\nseen.clear()"
    )


def test_the_signal_mask_is_what_it_was(one: Worker) -> None:
    masked = "sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    before = one.run(masked).value
    one.run("1", copy="a")
    assert one.run(masked).value == before
    with branch(one, one.folder.parent) as other:
        assert other.run(masked).value == before
    undo(one, "a")
    assert one.run(masked).value == before


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_as_it_was_in_both(one: Worker, *, collects: bool) -> None:
    one.run(f"import gc; gc.{'enable' if collects else 'disable'}()", copy="a")
    assert one.run("gc.isenabled()", copy="b").value == str(collects)
    undo(one, "b")
    assert one.run("gc.isenabled()").value == str(collects)


def test_all_of_them_have_the_same_random_numbers_before_them(one: Worker) -> None:
    one.run("random.seed(5)")
    expected = [random.Random(5).random()]  # noqa: S311 - nothing is kept secret with it
    one.run("drawn = random.random()", copy="a")
    assert one.run("drawn").value == str(expected[0])
    undo(one, "a")
    with branch(one, one.folder.parent) as other:
        assert other.run("random.random()").value == str(expected[0])
    assert one.run("random.random()").value == str(expected[0])


def test_nobody_is_warned_of_forks_beside_threads(one: Worker) -> None:
    one.run("warnings.simplefilter('error')")
    ran = one.run("1", copy="a")
    assert ran.told["copy"]["kept"]
    assert ran.text("stderr") == ""
    undo(one, "a")
    one.run("warnings.resetwarnings()")


def test_a_user_who_forks_is_still_a_user(one: Worker) -> None:
    one.run("1", copy="a")
    undo(one, "a")
    ran = one.run(
        "child = os.fork()\nif child == 0: print('in the child', flush=True)\n"
        "else: print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert "0" in ran.text()
    assert one.run("1").value == "1"


def test_interrupts_in_the_middle_end_the_cell_and_no_copy(one: Worker) -> None:
    for at in range(8):
        sent = one.start("import time\nwhile True: time.sleep(0.01)", copy=f"c{at}")
        one.until_published("execute_input")
        while f"c{at}" not in copies(one):
            one.signal_interrupt()
        one.until_published("hearth_copy")
        one.interrupt()
        assert one.reply_to(sent)["content"]["ename"] == "KeyboardInterrupt"
    assert len(copies(one)) == 8
    undo(one, "c7")
    assert one.run("1").value == "1"
    for name in copies(one):
        drop(one, name)


def test_what_the_process_between_says_is_heard_and_it_is_taken() -> None:
    kernel = SimpleNamespace(forks=False)
    with forking.undisturbed(kernel):
        assert kernel.forks
        told, tell = os.pipe()
        between = os.fork()
        if between == 0:
            forking.answer(tell, "ä" * 5)
        os.close(tell)
        assert forking.answered(told, between) == "ä" * 5
    assert not kernel.forks
    assert not Path(f"/proc/{between}").exists()


def test_one_that_says_nothing_is_heard_as_nothing() -> None:
    told, tell = os.pipe()
    between = os.fork()
    if between == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    os.close(tell)
    assert forking.answered(told, between) == ""


def test_signals_that_come_meanwhile_come_afterwards() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        with forking.undisturbed(SimpleNamespace(forks=False)):
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
            assert seen == []
        assert seen == [signal.SIGUSR1]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_leaves_a_copy_is_no_error_that_code_could_catch() -> None:
    reborn = forking.Reborn(Path("/f"), after=3, moved=True)
    assert not isinstance(reborn, Exception)
    assert (reborn.folder, reborn.after, reborn.moved) == (Path("/f"), 3, True)
