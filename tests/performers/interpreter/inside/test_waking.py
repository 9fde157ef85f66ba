"""Whom a guardian wakes, and what it leaves alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.performers.interpreter.inside.copies import (
    ask_to_wake,
    copies,
    drop,
    undo,
    wake,
)
from tests.performers.interpreter.inside.driving import is_alive, runtime_folder, until, worker

from hearth.performers.interpreter.inside import ending, guardian, journal, processes, waking


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"copy": "a"}', '{"request": "", "copy": "a"}', "\xff"]
)
def test_what_cannot_be_read_is_no_request(tmp_path: Path, content: str) -> None:
    (tmp_path / waking.FILE).write_text(content, encoding="latin-1")
    assert waking.requested(tmp_path) is None
    assert waking.recorded(tmp_path / waking.FILE) is None


def test_a_request_names_a_copy(tmp_path: Path) -> None:
    assert waking.requested(tmp_path) is None
    waking.write(tmp_path / waking.FILE, {"copy": "a", "request": "r", "number": 3})
    assert waking.requested(tmp_path) == waking.Request("r", "a")
    assert [path.name for path in tmp_path.iterdir()] == [waking.FILE]


def test_a_process_that_only_has_the_number_of_another_is_not_killed() -> None:
    child = os.fork()
    if child == 0:
        os.read(os.pipe()[0], 1)
        os._exit(0)
    start = processes.start_time(child)
    assert start is not None
    waking.end(child, start + 1)
    assert is_alive(child)
    waking.end(child, start)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -9
    waking.end(child, start)


def test_only_a_child_that_is_recorded_sleeps(tmp_path: Path) -> None:
    (tmp_path / waking.FOLDER).mkdir()
    spared = waking.Spared(tmp_path)
    assert spared.sleeper("a") == (0, "there is no copy 'a'")
    path = tmp_path / waking.FOLDER / "a.json"
    waking.note(str(path), "a", 1)
    assert json.loads(path.read_bytes())["name"] == "a"
    assert sorted(tmp_path.rglob("*.written")) == []
    assert spared.sleeper("a") == (0, "the copy 'a' has ended")
    waking.write(tmp_path / "out.json", {"pid": 1, "start": processes.start_time(1)})
    assert spared.sleeper("../out") == (0, "there is no copy '../out'")
    spared.use_up("a")
    assert not path.exists()
    spared.use_up("a")


def test_a_copy_that_gets_another_name_meanwhile_is_still_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / waking.FOLDER
    made.mkdir()
    copy = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    waking.note(str(made / "ahead.json"), "ahead", copy.pid)
    read = waking.recorded

    def taken_meanwhile(path: Path) -> tuple[int, int] | None:
        if path.name == "ahead.json":
            path.rename(made / "c5.json")
        return read(path)

    monkeypatch.setattr(waking, "recorded", taken_meanwhile)
    copies_there, _ = waking.Spared(tmp_path).look(kernel=0)
    copy.kill()
    copy.wait()
    assert copy.pid in copies_there


def test_names_that_never_rest_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / waking.FOLDER
    made.mkdir()
    (made / "1.json").write_text("{}")

    def restless(path: Path) -> None:
        path.rename(path.with_name(f"{int(path.stem) + 1}.json"))

    monkeypatch.setattr(waking, "recorded", restless)
    assert waking.Spared(tmp_path)._recorded() == set()


def test_nothing_is_killed_for_a_copy_that_is_not_there() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        kernel = one.ready().kernel
        one.run("x = 1", copy="a")
        assert wake(one, "b") == "there is no copy 'b'"
        os.kill(copies(one)["a"], 9)
        until(lambda: not is_alive(copies(one)["a"]), "it has ended")
        assert wake(one, "a") == "the copy 'a' has ended"
        assert one.kernel == kernel
        assert one.run("x").value == "1"


def test_nothing_is_killed_where_nobody_could_be_told_of_it() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        kernel = one.ready().kernel
        one.run("x = 1", copy="a")
        full = one.folder / ".guardian.json"
        full.mkdir()
        ask_to_wake(one, "a")
        until(lambda: _is_done_with_signals(one.guardian), "it has looked")
        assert one.run("x").value == "1"
        full.rmdir()
        assert one.kernel == kernel
        assert wake(one, "a") == ""
        assert one.ready().run("'x' in dir()").value == "False"


def _is_done_with_signals(process: int) -> bool:
    """Whether none waits for it, and it waits for the next."""
    about = Path(f"/proc/{process}/status").read_text()
    pending = next(line for line in about.splitlines() if line.startswith("ShdPnd:"))
    return int(pending.split()[1], 16) == 0 and "State:\tS" in about


def test_a_copy_that_is_killed_before_it_wakes_is_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    (tmp_path / "copies").mkdir()
    recorded = {"pid": sleeper.pid, "start": processes.start_time(sleeper.pid)}
    waking.write(tmp_path / "copies" / "a.json", recorded)
    waking.write(tmp_path / waking.FILE, {"copy": "a", "request": "r"})

    def end_all(*_: object) -> None:
        sleeper.kill()
        sleeper.wait()

    monkeypatch.setattr(ending, "end_all", end_all)
    watch = guardian._Watch(tmp_path, {}, os.getpid())
    watch._wake_copy()
    assert watch._has_ended, "nobody else would notice, as long as there are other copies"
    assert json.loads((tmp_path / "guardian.json").read_text())["woken"] == "r"


def test_a_request_is_carried_out_once() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("x = 1", copy="a")
        request = ask_to_wake(one, "a")
        until(lambda: one.state.get("woken") == request, "it was woken")
        kernel = one.ready().kernel
        one.run("y = 1", copy="a")
        ask_to_wake(one, "a", request)
        assert wake(one, "none") == "there is no copy 'none'"
        assert one.kernel == kernel
        assert is_alive(copies(one)["a"])
        assert one.run("y").value == "1"


def test_a_copy_is_used_up_and_those_before_it_can_be_woken_after_it() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("steps = []")
        for step in range(5):
            one.run(f"steps.append({step})", copy=f"before-{step}")
        undo(one, "before-4")
        assert set(copies(one)) == {f"before-{step}" for step in range(4)}
        assert one.run("steps").value == "[0, 1, 2, 3]"
        undo(one, "before-3")
        drop(one, "before-2")
        undo(one, "before-1")
        assert one.run("steps").value == "[0]"
        assert set(copies(one)) == {"before-0"}
        undo(one, "before-0")
        assert one.run("steps").value == "[]"
        assert copies(one) == {}


def test_what_is_undone_can_be_done_again_by_a_copy_of_it() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("x = 1")
        one.run("x = 2", copy="before")
        assert one.ask("copy", channel="control", name="after") == {"kept": True, "obstacles": []}
        undo(one, "before")
        assert one.run("x").value == "1"
        undo(one, "after")
        assert one.run("x").value == "2"


def test_numbers_go_on_behind_the_last_that_was_said() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("print('kept')")
        one.run("for _ in range(20): print('undone', flush=True)", copy="a")
        before = one.ask("journal_position", channel="control")["number"]
        undo(one, "a")
        one.run("print('after')")
        numbers = [number for number, _, _ in journal.read_after(one.folder / "journal", 0)]
        assert numbers == sorted(set(numbers))
        assert numbers[-1] > before
        # The daemon may have taken away what it has: then the number is all there is.
        one.run("1", copy="b")
        last = one.ask("journal_position", channel="control")["number"]
        for _, path in journal.segments(one.folder / "journal"):
            path.unlink()
        assert wake(one, "b", number=last + 100) == ""
        one.ready()
        first, _, _ = next(journal.read_after(one.folder / "journal", 0))
        assert first == last + 101


def test_a_running_cell_ends_with_the_kernel_that_it_ran_in() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().request("create_subshell_request", {}, channel="control")
        sent = one.start(
            "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
            "print('pid', child.pid, flush=True)\nwhile True: pass",
            copy="a",
        )
        message = one.until_said("pid")
        child = int(message["content"]["text"].split()[1])
        assert sent
        assert wake(one, "a") == ""
        assert not is_alive(child)
        one.ready()
        listed = one.request("list_subshell_request", {}, channel="control")["content"]
        assert listed["subshell_id"] == []
        assert one.run("'child' in globals()").value == "False"
        assert json.loads((one.folder / "busy").read_text()) == 0


def _until_ended(pids: list[int]) -> None:
    until(lambda: not any(map(is_alive, pids)), "all of them have ended")


def test_copies_end_with_their_guardian_however_that_ends() -> None:
    for end in (9, 15):
        with runtime_folder() as runtime, worker(runtime) as one:
            one.ready().run("x = 1", copy="a")
            one.run("x = 2", copy="b")
            pids = [*copies(one).values(), one.kernel]
            os.kill(one.guardian, end)
            _until_ended(pids)
            assert len(pids) == 3


def test_copies_end_with_a_kernel_that_ends_by_itself() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().run("x = 1", copy="a")
        copy = copies(one)["a"]
        one.start("import os; os._exit(7)")
        assert one.ended()["code"] == 7
        assert not is_alive(copy)
        assert copies(one) == {}
