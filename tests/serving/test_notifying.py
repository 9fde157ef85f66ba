"""systemd hears that the daemon is ready, and nobody else may say so."""

import socket
from pathlib import Path

from hearth.serving.notifying import Notifying


def test_systemd_hears_when_the_daemon_is_ready_and_when_it_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hearing:
        hearing.bind(path)
        hearing.settimeout(20)
        notifying = Notifying({"NOTIFY_SOCKET": path})
        notifying.ready()
        assert hearing.recv(100) == b"READY=1"
        notifying.stopping()
        assert hearing.recv(100) == b"STOPPING=1"


def test_an_address_that_is_no_file_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hearing:
        hearing.bind("\0hearth-test-of-notifying")
        hearing.settimeout(20)
        Notifying({"NOTIFY_SOCKET": "@hearth-test-of-notifying"}).ready()
        assert hearing.recv(100) == b"READY=1"


def test_no_process_that_the_daemon_starts_can_speak_for_it() -> None:
    environ = {"NOTIFY_SOCKET": "/nowhere", "PATH": "/bin"}
    Notifying(environ).ready()  # and nobody is there, which is no trouble
    assert environ == {"PATH": "/bin"}
    Notifying({}).ready()
