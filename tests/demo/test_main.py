"""`hearth demo` works where nobody watches, ends when it is told to, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from hearth.demo.main import main

WORDS = [sys.executable, "-m", "hearth", "demo", "--fast"]


def surroundings(tmp_path: Path, **more: str) -> dict[str, str]:
    """A person who has keys and settings, none of which matter here."""
    for name in ("tmp", "person"):
        (tmp_path / name).mkdir()
    (tmp_path / "person" / "hearth.jsonc").write_text('{"model": "nobody:knows"}', "utf-8")
    return {
        "PATH": "/usr/bin",
        "TMPDIR": str(tmp_path / "tmp"),
        "HOME": str(tmp_path / "person"),
        "HEARTH_HOME": str(tmp_path / "person" / "hearth"),
        "XDG_CONFIG_HOME": str(tmp_path / "person"),
        "HEARTH_MODEL": "nobody:knows",
        **more,
    }


def left_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.rglob("*") if one.is_file())


def alive(tmp_path: Path) -> list[str]:
    """The processes that were started for it and are still there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue  # it ended, or is none of ours
        if os.fsencode(tmp_path) in environment + words:
            found.append(words.replace(b"\0", b" ").decode())
    return found


@contextmanager
def playing(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """It is being played; what it shows and what it tells. It has ended when the block has."""
    with subprocess.Popen(  # noqa: S603 - our own program
        WORDS,
        env=surroundings(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        limit = threading.Timer(60, process.kill)
        limit.start()
        assert process.stdout is not None
        assert process.stderr is not None
        yield process, process.stdout, process.stderr
        process.wait()
        limit.cancel()  # if the block fails, it is still needed


@pytest.mark.slow
def test_it_leaves_the_picture_and_nothing_else(tmp_path: Path) -> None:
    env = surroundings(tmp_path, PYTHONIOENCODING="utf-8")
    done = subprocess.run(  # noqa: S603 - our own program
        WORDS, env=env, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "t1 done" in done.stdout
    assert "Nothing of this is left but the picture." in done.stdout
    (picture,) = left_in(tmp_path / "tmp")
    assert picture.endswith(".svg")
    assert picture in done.stdout
    assert left_in(tmp_path / "person") == ["hearth.jsonc"]
    assert alive(tmp_path) == []


@pytest.mark.slow
def test_a_terminal_without_bars_still_shows_the_rest(tmp_path: Path) -> None:
    env = surroundings(tmp_path, PYTHONIOENCODING="ascii")
    done = subprocess.run(  # noqa: S603 - our own program
        WORDS, env=env, capture_output=True, timeout=60, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"-- c1  scripted:demo.json (agent) --" in done.stdout
    assert b"Jun ????????" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_ended_in_the_middle(tmp_path: Path, number: signal.Signals) -> None:
    with playing(tmp_path) as (process, shown, errors):
        for line in shown:
            if b"adding" in line:
                break
        process.send_signal(number)
        process.send_signal(number)  # somebody is impatient
        shown.read()
        told = errors.read()
    assert (process.returncode, told) == (128 + number, b"stopped\n")
    assert left_in(tmp_path / "tmp") == []
    assert alive(tmp_path) == []


@pytest.mark.slow
def test_a_reader_who_goes_away_ends_it(tmp_path: Path) -> None:
    with playing(tmp_path) as (process, shown, errors):
        shown.readline()
        shown.close()
        told = errors.read()
    assert (process.returncode, told) == (141, b"")
    assert left_in(tmp_path / "tmp") == []
    assert alive(tmp_path) == []


def test_words_that_are_wrong_are_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--slow"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "no flag --slow" in told.err


def test_it_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--help"]) == 0
    assert "usage: hearth demo [FLAGS]" in capsys.readouterr().out
