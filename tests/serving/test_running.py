"""A real daemon, from its start to its end."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.serving.processes import (
    assert_nothing_left,
    comes_true,
    create,
    free_port,
    gone,
    place,
    talking,
    value,
)

from hearth.daemon.discovery import find
from hearth.serving.options import Options
from hearth.serving.running import wanted
from hearth.settings.schema import DaemonSettings, Settings

pytestmark = pytest.mark.slow


def test_what_is_said_at_the_start_counts_before_what_is_set() -> None:
    settings = Settings(daemon=DaemonSettings(port=1, watch=True, idle_timeout=5))
    assert wanted(Options(), settings) == (1, True, 5)
    said = Options(port=2, watch=False, idle_timeout=6)
    assert wanted(said, settings) == (2, False, 6)
    assert wanted(Options(), Settings()) == (None, True, None)
    assert wanted(Options(), Settings(daemon=DaemonSettings(watch=False))).watch is False


CLIENT = """
import socket, sys
from hearth.daemon.starting import start
found = start(sys.argv[1], port=int(sys.argv[2]), patience=60)
following = socket.socket(socket.AF_UNIX)
following.connect(found.socket)
lines = ["GET /events?after=0 HTTP/1.1", "Host: hearth", f"Authorization: Bearer {found.token}"]
following.sendall("\\r\\n".join([*lines, "", ""]).encode())
print(following.recv(12).decode(), flush=True)
sys.stdin.read()
"""


@pytest.mark.promise("SF-DMN-02")
def test_a_client_that_is_killed_takes_nothing_with_it_not_even_what_it_started(
    tmp_path: Path,
) -> None:
    with place(tmp_path) as here:
        command = [sys.executable, "-c", CLIENT, str(here.home), str(free_port())]
        with subprocess.Popen(  # noqa: S603 - our own interpreter with our own words
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as client:
            assert client.stdout is not None
            assert client.stdout.readline() == "HTTP/1.1 200\n"
            found = find(str(here.home))
            assert found is not None
            with talking(found) as other:
                session = create(other, tmp_path / "work")
                assert value(other, session, "x = 7; x") == "7"
                client.kill()
                client.wait(60)
                assert value(other, session, "x") == "7"
        assert find(str(here.home)) == found


@pytest.mark.promise("SF-DMN-01", "SF-CLI-03")
def test_a_daemon_has_no_terminal_and_keeps_its_secrets(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start()
        process = psutil.Process(found.pid)
        assert process.terminal() is None
        assert os.getsid(found.pid) == found.pid
        assert not any(
            one.path.startswith(("/dev/tty", "/dev/pts")) for one in process.open_files()
        )
        with talking(found) as client:
            assert client.get("/health").json()["status"] == "ok"
            info = client.get("/api/daemon-info").json()
            assert (info["pid"], info["port"]) == (found.pid, found.port)
        assert json.loads((here.home / "daemon.json").read_bytes())["pid"] == found.pid
        assert (here.home / "daemon.json").stat().st_mode & 0o777 == 0o600
        assert not _readable_by_others(here.home)


@pytest.mark.promise("SF-DMN-01")
def test_no_terminal_library_is_in_the_process_of_a_daemon_that_works(tmp_path: Path) -> None:
    with place(tmp_path) as here, pytest.MonkeyPatch.context() as patch:
        # Python itself says on stderr what it imports.
        patch.setenv("PYTHONPROFILEIMPORTTIME", "1")
        found = here.start()
        with talking(found) as client:
            session = create(client, tmp_path / "work")
            assert value(client, session, "1+1") == "2"
        said = (here.home / "logs" / "start.log").read_text()
        loaded = {line.rpartition("|")[2].strip() for line in said.splitlines()}
        assert "hearth.serving.running" in loaded
        assert loaded & {"prompt_toolkit", "readline", "pygments", "IPython"} == set()


@pytest.mark.promise("SF-DMN-09", "SF-CLI-01")
def test_five_starts_at_once_on_a_fresh_home_end_with_one_daemon(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = []
        starts = [threading.Thread(target=lambda: found.append(here.start())) for _ in range(5)]
        for one in starts:
            one.start()
        for one in starts:
            one.join(90)
        assert len(found) == 5
        assert len({one.pid for one in found}) == 1
        daemons = [one for one in here.processes() if "--server" in one.cmdline()]
        assert [one.pid for one in daemons] == [found[0].pid]


@pytest.mark.promise("SF-HTTP-10")
def test_a_shutdown_ends_everything(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start()
        with talking(found) as client:
            session = create(client, tmp_path / "work")
            assert value(client, session, "1+1") == "2"
            assert client.post("/shutdown", json={}).status_code == 202
        gone(found.pid)
        assert find(str(here.home)) is None
        assert not (here.home / "daemon.json").exists()
        assert not Path(found.socket).exists()
        assert_nothing_left(here)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_daemon_and_leaves_interpreters_to_the_next(
    tmp_path: Path, number: signal.Signals
) -> None:
    with place(tmp_path) as here:
        first = here.start()
        with talking(first) as client:
            session = create(client, tmp_path / "work")
            pid = value(client, session, "import os; x = 7; os.getpid()")
        os.kill(first.pid, number)
        gone(first.pid)
        assert not (here.home / "daemon.json").exists()
        assert psutil.pid_exists(int(pid))
        second = here.start()
        with talking(second) as client:
            comes_true(lambda: client.get("/api/daemon-info").json()["resumed"] == 1)
            assert value(client, session, "x, os.getpid()") == f"(7, {pid})"
            client.post("/shutdown", json={})
        gone(second.pid)
        assert any("its interpreter had lived on" in one for one in here.messages())
        assert_nothing_left(here)


@pytest.mark.promise("SF-DMN-04")
def test_after_a_kill_the_next_daemon_takes_over(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        first = here.start()
        with talking(first) as client:
            session = create(client, tmp_path / "work")
            assert value(client, session, "y = 5; y") == "5"
        os.kill(first.pid, signal.SIGKILL)
        gone(first.pid)
        # Its first thread is gone; the last of them lets go of the lock a moment later.
        comes_true(lambda: find(str(here.home)) is None)
        assert not (here.home / "daemon.json").exists()
        second = here.start()
        assert second.token == first.token
        with talking(second) as client:
            comes_true(lambda: client.get("/api/daemon-info").json()["resumed"] == 1)
            assert value(client, session, "y") == "5"
            client.post("/shutdown", json={})
        gone(second.pid)
        assert_nothing_left(here)


def test_a_shutdown_that_keeps_the_sessions_leaves_their_interpreters(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start()
        with talking(found) as client:
            session = create(client, tmp_path / "work")
            pid = int(value(client, session, "__import__('os').getpid()"))
            assert client.post("/shutdown", json={"end_sessions": False}).status_code == 202
        gone(found.pid)
        assert psutil.pid_exists(pid)


@pytest.mark.promise("SF-DMN-05", "SF-CLI-05", "SF-ISO-11")
def test_a_supervised_daemon_that_is_killed_comes_back_with_its_sessions(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        first = here.start(supervised=True)
        (supervisor,) = [one for one in here.processes() if "--supervised" in one.cmdline()]
        with talking(first) as client:
            session = create(client, tmp_path / "work")
            assert value(client, session, "x = 7; x") == "7"
        os.kill(first.pid, signal.SIGKILL)
        comes_true(lambda: (now := find(str(here.home))) is not None and now.pid != first.pid)
        second = find(str(here.home))
        assert second is not None
        with talking(second) as client:
            comes_true(lambda: client.get("/api/daemon-info").json()["resumed"] == 1)
            assert value(client, session, "x") == "7"
            assert client.post("/shutdown", json={}).status_code == 202
        gone(second.pid)
        gone(supervisor.pid)
        assert_nothing_left(here)


def test_a_daemon_that_nobody_uses_ends_with_its_interpreters(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start(idle_timeout=1)
        gone(found.pid)
        assert any("nobody was there" in one for one in here.messages())
        assert not (here.home / "daemon.json").exists()
        assert_nothing_left(here)


def test_changed_settings_are_taken_up_and_recorded(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start()
        here.set(model="another", interpreter={"spares": 0})
        with talking(found) as client:
            comes_true(
                lambda: any("changed: " in one and "model" in one for one in here.messages())
            )
            shown = client.get("/config", params={"directory": str(tmp_path)})
            assert shown.json()["values"]["model"] == "another", shown.text
            (here.config / "hearth.jsonc").write_text("{ broken")
            os.kill(found.pid, signal.SIGHUP)
            comes_true(lambda: any("still holds" in line for line in here.messages()))
            shown = client.get("/config", params={"directory": str(tmp_path)})
            assert shown.json()["values"]["model"] == "another"
            assert shown.json()["warnings"]


def test_a_session_that_comes_up_is_logged_with_its_ids(tmp_path: Path) -> None:
    with place(tmp_path) as here:
        found = here.start()
        with talking(found) as client:
            create(client, tmp_path / "work")

        def asked() -> list[dict[str, Any]]:
            return [line for line in here.log() if line.get("path") == "/sessions"]

        comes_true(asked)
        assert all(line["request"] and line["origin"].startswith("person:") for line in asked())


def test_a_home_with_a_long_path_is_reached_all_the_same(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    with place(deep) as here:
        found = here.start()
        assert len(found.socket) <= 100
        assert Path(found.socket).parent.stat().st_mode & 0o777 == 0o700
        with talking(found) as client:
            assert client.get("/health").status_code == 200
            client.post("/shutdown", json={})
        gone(found.pid)
        assert not Path(found.socket).parent.exists()


def _readable_by_others(folder: Path) -> list[Path]:
    """Secrets that are not their owner's alone."""
    secrets = [folder, folder / "daemon.json", folder / "tokens.json", folder / "hearth.sock"]
    return [one for one in secrets if one.stat().st_mode & 0o077]
