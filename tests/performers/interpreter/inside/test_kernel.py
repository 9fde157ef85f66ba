"""A real kernel, driven as the daemon drives it."""

import contextlib
from collections.abc import Iterator
from queue import Empty

import pytest
from tests.performers.interpreter.inside.driving import (
    Message,
    Worker,
    runtime_folder,
    until,
    worker,
)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Worker]:
    with runtime_folder() as runtime, worker(runtime) as one:
        yield one.ready()


def test_a_cell_tells_what_it_bound_and_what_its_value_is(kernel: Worker) -> None:
    ran = kernel.run("import json as j\nclass Dog: pass\nx = [1, 2]\nx")
    assert ran.status == "ok"
    assert ran.value == "[1, 2]"
    assert ran.told["names"] == ["Dog", "j", "x"]
    assert ran.told["deleted"] == []
    assert ran.told["value_type"] == "list"
    assert ran.told["statements"] == 4
    assert ran.told["dropped"] == 0
    assert ran.told["known"]["x"] == "list"
    again = kernel.run("del x\nDog()")
    assert again.told["names"] == []
    assert again.told["deleted"] == ["x"]
    assert again.told["value_type"] == "Dog"
    assert "x" not in again.told["known"]
    assert kernel.run("1 + 1").told["known"] is None, "nothing changed"


def test_the_value_of_something_callable_comes_with_its_signature(kernel: Worker) -> None:
    ran = kernel.run("def f(a, b=1) -> int: ...\nf")
    assert ran.told["value_type"] == "function (a, b=1) -> int"
    assert kernel.run("print('x')").told["value_type"] == ""


def test_statements_after_the_one_that_raised_are_not_counted(kernel: Worker) -> None:
    ran = kernel.run("p = 1\n1/0\nq = 2")
    assert ran.status == "error"
    assert ran.content["ename"] == "ZeroDivisionError"
    assert ran.told["statements"] == 2
    assert ran.told["names"] == ["p"]
    assert ran.of("error")[0]["ename"] == "ZeroDivisionError"


def test_code_of_a_script_is_named_by_its_file(kernel: Worker) -> None:
    ran = kernel.run("where = __file__\n\n1/0", script="/somewhere/report.py")
    text = "\n".join(ran.content["traceback"])
    assert "/somewhere/report.py:3" in text
    assert "Cell" not in text
    assert kernel.run("where").value == "'/somewhere/report.py'"
    assert kernel.run("__file__").content["ename"] == "NameError"
    assert "Cell" in "\n".join(kernel.run("1/0").content["traceback"])


def test_questions_are_answered_beside_a_running_cell(kernel: Worker) -> None:
    subshell = kernel.request("create_subshell_request", {}, channel="control")["content"]
    beside = subshell["subshell_id"]
    sent = kernel.start("here = 41\nimport time\nwhile 'go' not in globals(): time.sleep(0.01)")
    kernel.until_published("execute_input")
    assert kernel.ask("ping", channel="control") == {"busy": True}
    done = kernel.start("go = here + 1", subshell=beside)
    assert kernel.reply_to(done)["content"]["status"] == "ok"
    assert kernel.finish(sent).status == "ok"
    assert kernel.run("go").value == "42"
    assert kernel.ask("ping", channel="control") == {"busy": False}
    names = kernel.ask("names", subshell=beside)["names"]
    assert names["here"] == "int"


def test_a_question_that_nobody_answers_is_told_so(kernel: Worker) -> None:
    with pytest.raises(RuntimeError, match="LookupError"):
        kernel.ask("no such thing")
    with pytest.raises(RuntimeError, match="LookupError"):
        kernel.ask("no such thing", channel="control")
    with pytest.raises(RuntimeError, match="there is no rung"):
        _while_running(kernel, "no such rung")


def test_a_question_in_the_main_thread_can_be_interrupted(kernel: Worker) -> None:
    stuck = kernel.folder.parent / "stuck.py"
    stuck.write_text("print('stuck', flush=True)\nimport time\ntime.sleep(1000)", "utf-8")
    args = {"directory": str(stuck.parent), "root": str(stuck.parent), "modules": ["stuck"]}
    sent = kernel.send("hearth_request", {"ask": "prepare", "args": args})
    kernel.until_said("stuck\n")
    # A module that failed may be tried again, and is then as stuck as before.
    reply = until(lambda: _reply_after_interrupt(kernel, sent), "the question was answered")
    assert reply["content"]["status"] in {"ok", "error"}
    assert kernel.run("1").value == "1"


def _reply_after_interrupt(kernel: Worker, sent: str) -> Message | None:
    kernel.interrupt()
    with contextlib.suppress(Empty):
        message: Message = kernel.client.get_shell_msg(timeout=0.2)
        return message if message["parent_header"]["msg_id"] == sent else None
    return None


def _while_running(kernel: Worker, rung: str) -> None:
    sent = kernel.start("import time\nwhile True: time.sleep(0.01)")
    kernel.until_published("execute_input")
    try:
        kernel.ask("stop_rung", channel="control", rung=rung)
    finally:
        kernel.interrupt()
        assert kernel.finish(sent).content["ename"] == "KeyboardInterrupt"


def test_the_busy_mark_is_set_while_a_cell_runs_and_only_then(kernel: Worker) -> None:
    mark = kernel.folder / "busy"
    assert mark.read_bytes() == b"0"
    ran = kernel.run(f"open({str(mark)!r}, 'rb').read()")
    assert ran.value == "b'1'"
    assert mark.read_bytes() == b"0"


def test_input_fails_clearly_where_nobody_answers(kernel: Worker) -> None:
    for code in ("input('name? ')", "import getpass; getpass.getpass()"):
        for allow in (True, False):
            ran = kernel.finish(kernel.start(code, allow_stdin=allow, may_ask=False))
            assert ran.content["evalue"] == (
                "input() needs a person to answer, and this cell was run without one"
            )


def test_input_reaches_a_person_who_can_answer(kernel: Worker) -> None:
    sent = kernel.start("input('name? ')", may_ask=True)
    question = kernel.client.get_stdin_msg(timeout=20)
    assert question["msg_type"] == "input_request"
    assert question["content"] == {"prompt": "name? ", "password": False}
    kernel.client.input("Ada")
    assert kernel.finish(sent).value == "'Ada'"


@pytest.mark.promise("SF-EVAL-02")
@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.stdout.close(); sys.stderr.close()",
        "import sys; sys.stdout = None; sys.stderr = 5",
        "import io, sys; sys.stdout = io.StringIO(); sys.stdout.close()",
        "import contextlib, io; contextlib.redirect_stdout(io.StringIO()).__enter__()",
    ],
)
def test_each_cell_begins_with_streams_that_work(kernel: Worker, code: str) -> None:
    assert kernel.run(code).status == "ok"
    ran = kernel.run("import sys; print('out'); print('err', file=sys.stderr)")
    assert ran.text() == "out\n"
    assert ran.text("stderr") == "err\n"


def test_a_print_of_ones_own_is_ones_own(kernel: Worker) -> None:
    kernel.run("import builtins; real = print; builtins.print = None")
    assert kernel.run("1/0").content["ename"] == "ZeroDivisionError"
    assert kernel.run("builtins.print = real; print('back')").text() == "back\n"


@pytest.mark.parametrize("code", ["import sys; sys.exit(3)", "exit()", "quit()", "exit"])
def test_nothing_a_cell_calls_to_exit_ends_the_session(kernel: Worker, code: str) -> None:
    before = kernel.kernel
    kept = kernel.run("kept = 1")
    assert kept.status == "ok"
    ran = kernel.run(code)
    assert ran.content["ename"] == "SystemExit"
    assert ran.text("stderr") == ""
    assert kernel.run("kept").value == "1"
    assert kernel.kernel == before


def test_a_task_left_behind_that_exits_ends_only_itself(kernel: Worker) -> None:
    kernel.run(
        "import asyncio, sys\nasync def leave(): sys.exit(1)\ntask = asyncio.create_task(leave())"
    )
    assert kernel.run("import asyncio; await asyncio.sleep(0); task.done()").value == "True"


def test_a_child_that_falls_out_of_the_cell_ends_there(kernel: Worker) -> None:
    ran = kernel.run(
        "import os\nchild = os.fork()\nif child: print(os.waitpid(child, 0)[1])\n"
        "else: print('child', flush=True)"
    )
    assert ran.status == "ok"
    assert ran.text() in {"child\n0\n", "0\nchild\n", "0\n"}
    assert len([one for one in ran.messages if one["msg_type"] == "status"]) == 2
    again = kernel.run(
        "import asyncio, os\nchild2 = os.fork()\nawait asyncio.sleep(0)\n"
        "print(os.waitpid(child2, 0)[1])"
    )
    assert again.text() == "0\n"
    assert kernel.run("1").value == "1"


def test_what_programs_print_belongs_to_the_cell_that_ran_them(kernel: Worker) -> None:
    for number in range(20):
        ran = kernel.run(f"import os; _ = os.system('echo {number}; echo {number} >&2')")
        assert ran.text() == f"{number}\n"
        assert ran.text("stderr") == f"{number}\n"
    assert "19" not in kernel.stdio


def test_a_huge_representation_is_cut_and_says_so(kernel: Worker) -> None:
    ran = kernel.run("'x' * 5_000_000")
    assert len(ran.value) < 1_100_000
    assert ran.value.endswith("more characters were not sent")
    shown = kernel.run("display('y' * 5_000_000)").of("display_data")[0]["data"]["text/plain"]
    assert len(shown) < 1_100_000
    failed = kernel.run("raise ValueError('z' * 5_000_000)")
    assert len(failed.content["evalue"]) < 70_000
    assert sum(map(len, failed.of("error")[0]["traceback"])) < 300_000


def test_an_exception_that_cannot_be_shown_is_an_error_all_the_same(kernel: Worker) -> None:
    ran = kernel.run(
        "class Bad(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise Bad()"
    )
    assert ran.content["ename"] == "Bad"
    assert "could not be made" in ran.content["evalue"]
    worse = kernel.run("class Ugly:\n    def __repr__(self): raise RuntimeError('no')\nUgly()")
    assert worse.status == "error"
    assert kernel.run("1").value == "1"


def test_a_group_of_errors_is_told_like_any_other(kernel: Worker) -> None:
    ran = kernel.run("raise ExceptionGroup('both', [ValueError('a'), TypeError('b')])")
    assert ran.content["ename"] == "ExceptionGroup"
    (told,) = ran.of("error")
    assert "TypeError: b" in "\n".join(told["traceback"])
    assert ran.content["traceback"] == told["traceback"]
    assert ran.text("stderr") == ""
