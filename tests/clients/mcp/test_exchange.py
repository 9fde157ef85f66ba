import socket
from pathlib import Path

import pytest

from hearth.clients.mcp.exchange import Connections, Exchange, Lost, connected
from hearth.daemon.discovery import Found

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _pair() -> tuple[socket.socket, socket.socket]:
    ours, theirs = socket.socketpair()
    ours.settimeout(0)
    theirs.settimeout(10)
    return ours, theirs


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def test_a_stream_gives_its_messages_as_they_come() -> None:
    ours, theirs = _pair()
    with ours, theirs:
        exchange = Exchange(ours, b"POST")
        exchange.write()
        assert not exchange.wants_to_write
        assert theirs.recv(10) == b"POST"
        assert exchange.read() == []
        theirs.sendall(HEAD + _chunk(b": ping\r\n\r\nevent: message\r\ndata: {}\r\n"))
        assert exchange.read() == []
        theirs.sendall(_chunk(b"\r\ndata: []\r\n\r\nevent: other\r\ndata: no\r\n\r\n"))
        assert exchange.read() == ["{}", "[]"]
        assert exchange.is_stream
        assert not exchange.is_done
        theirs.sendall(b"0\r\n\r\n")
        assert exchange.read() == []
        assert exchange.is_done
        assert exchange.is_reusable


def test_a_body_is_kept_and_who_closes_is_not_asked_again() -> None:
    ours, theirs = _pair()
    with ours, theirs:
        exchange = Exchange(ours, b"")
        theirs.sendall(b"HTTP/1.1 400 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
        exchange.read()
        assert (exchange.status, exchange.body, exchange.is_done) == (400, b"{}", True)
        assert not exchange.is_reusable


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", b"what?\r\n\r\n"]
)
def test_what_breaks_off_is_lost(said: bytes) -> None:
    ours, theirs = _pair()
    with ours:
        with theirs:
            theirs.sendall(said)
        exchange = Exchange(ours, b"")
        with pytest.raises(Lost):
            [exchange.read() for _ in range(3)]


def test_a_large_request_goes_as_the_other_side_takes_it() -> None:
    ours, theirs = _pair()
    with ours, theirs:
        exchange = Exchange(ours, b"x" * 5_000_000)
        exchange.write()
        assert exchange.wants_to_write
        got = 0
        while got < 5_000_000:
            got += len(theirs.recv(1 << 20))
            exchange.write()
        assert not exchange.wants_to_write


def test_whoever_refuses_a_large_request_is_heard_all_the_same() -> None:
    ours, theirs = _pair()
    with ours:
        exchange = Exchange(ours, b"x" * 5_000_000)
        exchange.write()
        with theirs:
            theirs.sendall(b"HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n")
            theirs.shutdown(socket.SHUT_WR)
            exchange.read()
        exchange.write()
        assert not exchange.wants_to_write
        assert exchange.status == 413


def test_a_connection_is_used_again_unless_the_other_side_hung_up(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        connections = Connections(_found(path), connected)
        first = connections.take()
        theirs, _ = listening.accept()
        connections.give_back(first)
        assert connections.take() is first
        connections.give_back(first)
        theirs.close()
        second = connections.take()
        assert second is not first
        connections.give_back(second)
        connections.close()
        listening.accept()[0].close()


def test_where_there_is_no_socket_the_port_is_tried(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        line = connected(_found(str(tmp_path / "none"), listening.getsockname()[1]))
        listening.accept()[0].close()
        line.close()
    with pytest.raises(OSError, match="refused"):
        connected(_found(str(tmp_path / "none"), 1))


def _found(path: str, port: int = 1) -> Found:
    return Found(pid=1, port=port, socket=path, token="t", started_at="", version="1")  # noqa: S106 - none
