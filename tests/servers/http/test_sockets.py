"""The sockets the daemon listens on."""

import socket
from pathlib import Path

import pytest

from hearth.servers.http.sockets import PortInUse, SocketInUse, bind


def test_a_port_is_on_loopback_alone(tmp_path: Path) -> None:
    bound = bind("127.0.0.1", 0, 0, None)
    try:
        assert bound.port > 0
        assert bound.sockets[0].getsockname() == ("127.0.0.1", bound.port)
        with socket.create_connection(("127.0.0.1", bound.port), timeout=5):
            pass
    finally:
        bound.close()
    assert list(tmp_path.iterdir()) == []


def test_a_socket_file_is_its_owners_alone_and_goes_with_the_door(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sock"
    bound = bind("127.0.0.1", 0, 0, path)
    assert path.stat().st_mode & 0o777 == 0o600
    bound.close()
    assert not path.exists()
    bound.close()


def test_the_next_free_port_is_taken() -> None:
    first = bind("127.0.0.1", 0, 0, None)
    try:
        second = bind("127.0.0.1", first.port, first.port + 20, None)
        second.close()
        assert first.port < second.port <= first.port + 20
    finally:
        first.close()


@pytest.mark.promise("SF-DMN-07")
def test_a_port_that_was_asked_for_and_is_taken_is_said_at_once() -> None:
    first = bind("127.0.0.1", 0, 0, None)
    try:
        with pytest.raises(PortInUse, match=f"port {first.port} is in use") as raised:
            bind("127.0.0.1", first.port, first.port, None)
        assert raised.value.port == first.port
    finally:
        first.close()


def test_when_all_ports_are_taken_all_are_named() -> None:
    assert "37749 to 37759" in str(PortInUse(37749, 37759))


def test_a_socket_that_somebody_answers_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sock"
    first = bind("127.0.0.1", 0, 0, path)
    try:
        with pytest.raises(SocketInUse, match=str(path)):
            bind("127.0.0.1", 0, 0, path)
        assert path.is_socket()
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(5)
            probe.connect(str(path))
    finally:
        first.close()


def test_a_socket_that_nobody_answers_any_more_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert path.is_socket()
    bound = bind("127.0.0.1", 0, 0, path)
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(5)
        probe.connect(str(path))
    bound.close()


def test_what_is_no_socket_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "hearth.sock"
    path.write_text("mine")
    with pytest.raises(OSError, match="in use"):
        bind("127.0.0.1", 0, 0, path)
    assert path.read_text() == "mine"


def test_a_path_that_cannot_be_leaves_no_port_taken(tmp_path: Path) -> None:
    free = bind("127.0.0.1", 0, 0, None)
    free.close()
    with pytest.raises(OSError, match=r"too long|No such file"):
        bind("127.0.0.1", free.port, free.port, tmp_path / "no" / "such" / "folder")
    again = bind("127.0.0.1", free.port, free.port, None)
    again.close()
