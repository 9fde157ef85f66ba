"""The command `hearth` finds the part that its words need, and never shows a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hearth import __main__ as command


class Parts:
    """Stand-ins for the parts of hearth, which note what they were called with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: list[tuple[str, Any]] = []
        for name, entry in (
            ("hearth.serving.main", "main"),
            ("hearth.daemon.supervising", "supervise"),
            ("hearth.offline.config", "main"),
            ("hearth.offline.doctor", "main"),
            ("hearth.offline.log", "main"),
            ("hearth.offline.permissions", "main"),
            ("hearth.demo.main", "main"),
            ("hearth.clients.cli", "main"),
        ):
            module = ModuleType(name)
            setattr(module, entry, self._part(name))
            monkeypatch.setitem(sys.modules, name, module)

    def _part(self, name: str) -> Any:
        def called(*arguments: Any) -> int:
            self.called.append((name.removeprefix("hearth."), arguments[-1]))
            return 7

        return called


@pytest.mark.promise("SF-CLI-05")
@pytest.mark.parametrize(
    ("words", "part", "given"),
    [
        ([], "clients.cli", []),
        (["status", "--json"], "clients.cli", ["status", "--json"]),
        (["run", "--server"], "clients.cli", ["run", "--server"]),
        (["--server", "--port", "7"], "serving.main", ["--port", "7"]),
        (["--supervised", "--no-watch"], "daemon.supervising", ["--no-watch"]),
        (["--no-watch", "--supervised"], "daemon.supervising", ["--no-watch"]),
        (["-d", "--supervised"], "clients.cli", ["-d", "--supervised"]),
        (["--supervised", "--daemon"], "clients.cli", ["--supervised", "--daemon"]),
        (["log", "check"], "offline.log", ["check"]),
        (["log", "export", "log", "file"], "offline.log", ["export", "log", "file"]),
        (["--json", "log", "check"], "offline.log", ["--json", "check"]),
        (["config", "explain", "model"], "offline.config", ["explain", "model"]),
        (["doctor", "--json"], "offline.doctor", ["--json"]),
        (["permissions", "explain", "log"], "offline.permissions", ["explain", "log"]),
        (["demo", "--fast"], "demo.main", ["demo", "--fast"]),
        (["logs"], "clients.cli", ["logs"]),
    ],
)
def test_words_reach_the_part_they_are_for(
    words: list[str], part: str, given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = Parts(monkeypatch)
    assert command.main(words) == 7
    assert parts.called == [(part, given)]


def raising(error: BaseException) -> Any:
    def run(_: list[str]) -> int:
        raise error

    return run


def test_an_interruption_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "_run", raising(KeyboardInterrupt()))
    assert command.main([]) == 130
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")


def test_a_defect_is_told_without_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("HEARTH_HOME", str(tmp_path))
    monkeypatch.setattr(command, "_run", raising(ZeroDivisionError("a defect")))
    assert command.main([]) == 70
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "\nhint: " in told
    assert "Traceback" not in told


def test_a_reader_that_goes_away_is_no_trouble(tmp_path: Path) -> None:
    code = (
        "import sys; from hearth import __main__ as command\n"
        "def run(words):\n"
        "    for _ in range(10**6): print('x' * 100)\n"
        "    return 0\n"
        "command._run = run\n"
        "sys.exit(command.main([]))\n"
    )
    with subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "HEARTH_HOME": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait(30) == 141
    assert told == b""


def test_the_command_itself_loads_next_to_nothing() -> None:
    code = "import sys; import hearth.__main__; print(*sorted(sys.modules))"
    done = subprocess.run(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    ours = {name for name in done.stdout.split() if name.startswith("hearth")}
    assert ours == {"hearth", "hearth.__main__"}
    assert "typing" not in done.stdout.split()
