"""The kernel of one folder: what it leaves alone, and what it lives through."""

import os
from pathlib import Path

from tests.performers.interpreter.inside.driving import runtime_folder, until, worker


def test_nothing_is_written_into_the_home_of_whose_session_it_is(tmp_path: Path) -> None:
    surroundings = {**os.environ, "HOME": str(tmp_path)}
    surroundings.pop("PYTEST_CURRENT_TEST", None)
    with runtime_folder() as runtime, worker(runtime, environment=surroundings) as one:
        assert one.ready().run("%history\n1/0").status == "error"
        assert list(tmp_path.iterdir()) == []


def test_a_persons_own_start_up_files_are_not_run(tmp_path: Path) -> None:
    start_up = tmp_path / ".ipython" / "profile_default" / "startup"
    start_up.mkdir(parents=True)
    (start_up / "00-mine.py").write_text("surprise = 1")
    other = tmp_path / "pythonstartup.py"
    other.write_text("surprise = 2")
    surroundings = {**os.environ, "HOME": str(tmp_path), "PYTHONSTARTUP": str(other)}
    surroundings.pop("PYTEST_CURRENT_TEST", None)
    with runtime_folder() as runtime, worker(runtime, environment=surroundings) as one:
        assert one.ready().run("surprise").content["ename"] == "NameError"


def test_the_loop_goes_on_whatever_a_callback_raises() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready()
        before = one.kernel
        for raised in ("KeyboardInterrupt", "SystemExit"):
            one.run(
                f"import asyncio\ndef fall(): raise {raised}\n"
                "asyncio.get_running_loop().call_soon(fall)"
            )
            assert one.run("await asyncio.sleep(0); 1").value == "1"
        assert one.kernel == before


def test_what_code_asked_for_at_the_end_is_done_at_a_shutdown(tmp_path: Path) -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        written = tmp_path / "written"
        one.ready().run(
            f"import atexit, pathlib\natexit.register(pathlib.Path({str(written)!r}).touch)"
        )
        # Its reply may go with it: nobody need wait for that.
        one.send("shutdown_request", {"restart": False}, channel="control")
        assert one.ended()["code"] == 0
        assert written.exists()


def test_a_crash_is_described_where_the_daemon_looks() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready().start("import ctypes\ndef crash(): ctypes.string_at(0)\ncrash()")
        one.ended()
        until(lambda: "in crash" in one.stdio, "the function that crashed is named")
        assert "Segmentation fault" in one.stdio
