"""Kernels that are copies of one process: quick to have, and strangers to each other."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.inside.driving import (
    LAUNCH,
    Worker,
    is_alive,
    new_folder,
    runtime_folder,
    until,
)

from hearth.performers.interpreter.inside import processes


class Template:
    """A template process and the line to it."""

    def __init__(self, runtime: Path) -> None:
        ours, theirs = socket.socketpair()
        self.runtime = runtime
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, str(LAUNCH), "template"],
            stdin=theirs.fileno(),
            stderr=subprocess.DEVNULL,
        )
        theirs.close()
        ours.settimeout(30)
        self.socket = ours
        self.lines = ours.makefile("rb")
        self.greeting = json.loads(self.lines.readline())

    def say(self, line: bytes) -> Any:
        self.socket.sendall(line + b"\n")
        return json.loads(self.lines.readline())

    @contextmanager
    def copy(self, **settings: Any) -> Iterator[Worker]:
        folder = new_folder(self.runtime, **settings)
        answer = self.say(json.dumps({"folder": str(folder)}).encode())
        assert answer["folder"] == str(folder)
        until((folder / "s-1").exists, "its socket is there")
        one = Worker(folder, answer["guardian"])
        try:
            yield one.ready()
        finally:
            one.close()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()
        assert self.process.wait(30) == 0


@pytest.fixture(scope="module")
def template() -> Iterator[Template]:
    with runtime_folder() as runtime:
        one = Template(runtime)
        yield one
        one.close()


def test_a_template_says_who_it_is(template: Template) -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    pid = template.process.pid
    assert template.greeting == {"ready": True, "pid": pid, "python": version}


def test_a_copy_is_a_kernel_under_a_guardian_of_its_own(template: Template) -> None:
    with template.copy() as one:
        assert one.run("6 * 7").value == "42"
        state = one.state
        assert state["guardian"]["pid"] == one.guardian
        assert int(one.run("import os; os.getpid()").value) == state["kernel"]["pid"]
        assert int(one.run("os.getppid()").value) == one.guardian
        assert os.getsid(one.kernel) == one.kernel
        one.start("os._exit(3)")
        assert one.ended()["code"] == 3


def test_each_copy_has_surroundings_of_its_own(template: Template) -> None:
    with (
        template.copy(environment={"WHO": "first", "TZ": "Asia/Tokyo"}, directory="/") as first,
        template.copy(environment={"WHO": "second", "JPY_PARENT_PID": "1"}) as second,
    ):
        ask = "import os, random, time; (os.environ.get('WHO'), os.getcwd(), time.tzname[0])"
        assert first.run(ask).value == "('first', '/', 'JST')"
        assert second.run(ask).value == f"('second', '{template.runtime}', 'UTC')"
        assert second.run("'JPY_PARENT_PID' in os.environ").value == "False"
        numbers = [one.run("random.random()").value for one in (first, second)]
        assert numbers[0] != numbers[1], "each rolls its own dice"


def test_a_copy_has_neither_the_line_to_the_template_nor_the_files_of_another(
    template: Template,
) -> None:
    with template.copy() as first, template.copy() as second:
        listing = "import os; sorted(os.readlink(f'/proc/self/fd/{n}') for n in range(3))"
        assert first.run(listing).value.count("pipe:") == 2
        assert "/dev/null" in first.run(listing).value
        inode = os.fstat(template.socket.fileno()).st_ino
        for one in (first, second):
            for pid in (one.guardian, one.kernel):
                held = [_target(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
                assert f"socket:[{inode + 1}]" not in held
                assert not any(str(first.folder) in name for name in held if one is second)


def _target(path: Path) -> str:
    try:
        return str(path.readlink())
    except FileNotFoundError:
        return ""


def test_a_copy_can_do_what_a_kernel_can(template: Template) -> None:
    with template.copy() as one:
        assert one.run("import asyncio\nawait asyncio.sleep(0)\n1").value == "1"
        sent = one.start("print('begun', flush=True)\nwhile True: pass")
        one.until_said("begun\n")
        one.interrupt()
        assert one.finish(sent).content["ename"] == "KeyboardInterrupt"
        assert one.run("import os; _ = os.system('echo out')").text() == "out\n"
        assert one.run("1/0").content["ename"] == "ZeroDivisionError"
        made = one.request("create_subshell_request", {}, channel="control")["content"]
        assert one.ask("names", subshell=made["subshell_id"])
        home = "os.path.exists(os.path.expanduser('~/.ipython/profile_default/history.sqlite'))"
        before = Path("~/.ipython/profile_default/history.sqlite").expanduser().exists()
        assert one.run(home).value == str(before), "nobody's history was begun"


def test_the_memory_of_what_was_imported_is_shared(template: Template) -> None:
    with template.copy() as one, template.copy() as other:
        pids = [one.kernel, other.kernel]
        alone = [processes.proportional([pid]) for pid in pids]
        assert sum(alone) < 0.8 * processes.resident(pids)


def test_ended_copies_leave_no_zombies(template: Template) -> None:
    guardians = []
    for _ in range(2):
        with template.copy() as one:
            guardians.append(one.guardian)
    for pid in guardians:
        until(partial(_is_gone, pid), "it is gone without a trace")


def _is_gone(pid: int) -> bool:
    return processes.start_time(pid) is None


def test_a_line_that_makes_no_sense_is_answered_and_forgotten(template: Template) -> None:
    for line in (b"nonsense", b"[]", b"{}", b"null"):
        assert "error" in template.say(line)
    with template.copy() as one:
        assert one.run("1").value == "1"


def test_a_folder_that_is_not_there_ends_only_its_guardian(template: Template) -> None:
    answer = template.say(b'{"folder": "/no/such/folder"}')
    until(lambda: not is_alive(answer["guardian"]), "it gave up")
    with template.copy() as one:
        assert one.run("1").value == "1"


def test_copies_live_on_when_their_template_ends() -> None:
    with runtime_folder() as runtime:
        one = Template(runtime)
        with one.copy() as worker:
            worker.run("kept = 5")
            one.close()
            assert worker.run("kept").value == "5"


def test_a_rehearsal_leaves_neither_code_nor_threads_behind() -> None:
    code = (
        "import linecache, sys, threading\n"
        "from hearth.performers.interpreter.inside import template\n"
        "template._import_all(); template._rehearse(); template._show_an_error()\n"
        "print([one for one in linecache.cache if 'rehearsal' in one], threading.active_count())\n"
        "print('stack_data' in sys.modules)\n"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["[] 1", "True"]
