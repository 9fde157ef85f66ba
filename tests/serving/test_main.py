"""What a daemon says when it cannot be: one sentence and a hint each, and nothing left behind."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.serving.processes import Place, comes_true, free_port, gone, place, talking

from hearth.daemon.locking import take
from hearth.daemon.starting import NotStarted
from hearth.serving.main import main

pytestmark = pytest.mark.slow


def server(*words: str, **more: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
        [sys.executable, "-m", "hearth", "--server", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **more},
    )


def told(*words: str, **more: str) -> tuple[int, str, str]:
    """The exit code, the sentence and the hint of a daemon that cannot be."""
    with server(*words, **more) as process:
        out, err = process.communicate(timeout=60)
    assert out == ""
    assert "Traceback" not in err
    (what, hint) = err.splitlines()
    assert what.startswith("error: ")
    assert hint.startswith("hint: ")
    return process.returncode, what.removeprefix("error: "), hint.removeprefix("hint: ")


def nothing_runs(here: Place) -> None:
    comes_true(lambda: here.processes() == [])
    assert not (here.home / "daemon.json").exists()


@pytest.mark.promise("SF-DMN-07")
def test_a_port_that_is_taken_is_said_at_once(tmp_path: Path) -> None:
    with place(tmp_path) as here, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, what, hint = told("--port", str(port))
        assert code == 1
        assert what == f"port {port} is in use on 127.0.0.1"
        assert "--port" in hint
        nothing_runs(here)
        with pytest.raises(NotStarted) as refused:
            here.start(port=port)
        assert refused.value.what == what
        nothing_runs(here)


@pytest.mark.promise("SF-DMN-07")
def test_a_supervised_daemon_whose_port_is_taken_is_given_up(tmp_path: Path) -> None:
    with place(tmp_path) as here, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(NotStarted) as refused:
            here.start(port=port, supervised=True)
        assert str(port) in refused.value.what
        nothing_runs(here)


@pytest.mark.promise("SF-DMN-09")
def test_a_second_daemon_of_a_home_says_that_there_is_one(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start()
        code, what, hint = told("--port", str(free_port()))
        assert code == 2
        assert str(found.pid) in what
        assert "hearth stop" in hint
        with talking(found) as client:
            assert client.get("/health").status_code == 200


def test_a_file_in_place_of_the_home_is_said(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        here.home.write_text("a file")
        code, what, hint = told()
        assert code == 1
        assert str(here.home) in what
        assert "a file is in its place" in hint
        assert here.home.read_text() == "a file"
        here.home.unlink()


def test_a_home_in_which_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    # As root, bits of permission bind nobody; a folder of the system that takes no files does.
    with place(tmp_path):
        code, what, hint = told(HEARTH_HOME="/proc/hearth-home")
        assert code == 1
        assert "/proc/hearth-home" in what
        assert "HEARTH_HOME" in hint


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        here.home.mkdir()
        done = subprocess.run(  # noqa: S603 - strace and our own interpreter
            [
                *("strace", "-f", "-qq", "-o", str(tmp_path / "calls")),
                *("-e", "trace=mkdir", "-e", "inject=mkdir:error=ENOSPC:when=1+"),
                *(sys.executable, "-m", "hearth", "--server"),
            ],
            capture_output=True,
            check=False,
            text=True,
            timeout=100,
        )
        assert done.returncode == 1, done.stderr
        what, hint = done.stderr.splitlines()
        assert "No space left on device" in what
        assert "make room" in hint
        nothing_runs(here)


def test_a_daemon_that_cannot_announce_itself_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        (here.home / "daemon.json" / "in the way").mkdir(parents=True)
        code, what, hint = told("--port", str(free_port()))
        assert code == 1
        assert str(here.home) in what
        assert hint
        comes_true(lambda: here.processes() == [])


@pytest.mark.parametrize(
    ("words", "named"), [(["--prot", "7"], "'--prot'"), (["--port", "x"], "--port needs")]
)
def test_wrong_words_are_said_and_cost_nothing(
    tmp_path: Path, words: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with place(tmp_path) as here:
        assert main(words) == 2
        assert named in capsys.readouterr().err
        assert not here.home.exists()


def test_a_database_that_cannot_be_reached_is_said(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        secret = "pass-word"  # noqa: S105 - nobody's
        url = f"postgresql://ann:{secret}@127.0.0.1:{free_port()}/hearth"
        code, what, _ = told("--port", str(free_port()), HEARTH_DATABASE_URL=url)
        assert code == 1
        assert secret not in what
        nothing_runs(here)
        code, what, _ = told("--port", str(free_port()), HEARTH_DATABASE_URL="mysql://x")
        assert code == 1
        assert "names no store" in what
        assert secret not in (here.home / "logs" / "daemon.log").read_text()


def test_a_store_that_is_damaged_is_said(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        (here.home / "data").mkdir(parents=True)
        (here.home / "data" / "hearth.db").write_bytes(b"no database at all " * 500)
        code, what, hint = told("--port", str(free_port()))
        assert code == 1
        assert "hearth.db" in what
        assert "hearth doctor" in hint
        nothing_runs(here)


def test_broken_settings_do_not_keep_a_daemon_from_starting_and_are_told(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        (here.config / "hearth.jsonc").write_text('{"daemon": {"prot": 7}, "model": ')
        here.start()
        warned = [line for line in here.log() if line["level"] == "warning"]
        assert any("hearth.jsonc" in line["message"] for line in warned)


def test_a_broken_file_of_tokens_is_said(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        here.home.mkdir()
        (here.home / "tokens.json").write_text("{ broken")
        (here.home / "tokens.json").chmod(0o600)
        code, what, hint = told("--port", str(free_port()))
        assert code == 1
        assert "tokens.json" in what
        assert hint


def test_a_daemon_that_is_told_to_end_while_it_starts_ends_well(tmp_path: Path) -> None:
    with place(tmp_path) as here, server("--port", str(free_port())) as process:
        comes_true((here.home / "daemon.lock").exists)
        comes_true((here.home / "logs" / "daemon.log").exists)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        assert (out, err) == ("", "")
        assert process.returncode in {0, -signal.SIGTERM}
        nothing_runs(here)


def test_one_that_starts_while_another_ends_waits_for_its_turn(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        here.home.mkdir()
        lock = take(str(here.home / "daemon.lock"), 0)
        assert lock is not None
        with server("--port", str(free_port())) as process:
            comes_true(lambda: str(here.home / "daemon.lock") in _open_files(process.pid))
            os.close(lock)
            comes_true((here.home / "daemon.json").exists)
            said = json.loads((here.home / "daemon.json").read_bytes())
            assert said["pid"] == process.pid
            process.terminate()
            process.communicate(timeout=60)
            assert process.returncode == 0
        gone(process.pid)


def _open_files(pid: int) -> set[str]:
    try:
        return {str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:  # a descriptor was closed meanwhile
        return set()
