"""The way into every process: run by path, in a Python where hearth is not installed."""

import subprocess
import sys

from tests.performers.interpreter.inside.driving import LAUNCH, runtime_folder, worker

from hearth.performers.interpreter.inside.journal import read_after


def test_without_a_word_it_says_how_it_is_used() -> None:
    for arguments in ([], ["cold"], ["nonsense", "x"]):
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, str(LAUNCH), *arguments], capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 1
        assert b"launch.py cold <folder>" in done.stderr
        assert b"Traceback" not in done.stderr


def test_code_of_a_cell_meets_neither_hearth_nor_our_modules_by_their_plain_names() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        one.ready()
        ran = one.run("import sys; [p for p in sys.path if 'interpreter/inside' in p]")
        assert ran.value == "[]"
        ran = one.run("sorted({n.partition('.')[0] for n in sys.modules if 'hearth' in n})")
        assert ran.value == "['hearth_inside']"
        for name in ("kernel", "journal", "guardian", "shell"):
            assert one.run(f"import {name}").content["ename"] == "ModuleNotFoundError"
        own = runtime / "journal.py"
        own.write_text("mine = 1")
        assert one.run("import journal; journal.mine").value == "1"


def test_what_a_kernel_says_at_its_start_stays_out_of_the_first_cell() -> None:
    with runtime_folder() as runtime, worker(runtime) as one:
        assert one.ready().run("1").of("stream") == []
        said = b"".join(
            frame for _, _, frames in read_after(one.folder / "journal", 0) for frame in frames
        )
        assert b'"stream"' not in said, "not even to nobody"
        assert one.stdio == ""
