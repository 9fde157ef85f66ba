import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.mcp.test_exchange import _found

from hearth.clients.mcp.errand import Errand, How
from hearth.clients.mcp.exchange import Connections, connected
from hearth.clients.mcp.traffic import Traffic

PATIENCE = 10_000


class Heard:
    """What was told of errands."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def came(self, errand: Errand, text: str) -> None:
        self.told.append((errand.method, text))

    def finished(self, errand: Errand) -> None:
        self._over(errand, "finished")

    def broke(self, errand: Errand, why: str) -> None:
        self._over(errand, f"broke: {why}")

    def _over(self, errand: Errand, how: str) -> None:
        self.told.append((errand.method, how))
        assert errand.exchange is not None
        errand.exchange.close()


class Scene:
    """Somebody who listens, and traffic to them."""

    def __init__(self, folder: Path) -> None:
        path = str(folder / "s")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(path)
        self.listening.listen()
        self.connections = Connections(_found(path), connected)
        self.poll = select.poll()
        self.traffic = Traffic(self.poll, How("", "", may_start=False))
        self.heard = Heard()

    def begin(self, method: str) -> tuple[Errand, socket.socket]:
        errand = Errand(method)
        self.traffic.begin(errand, self.connections, {})
        theirs, _ = self.listening.accept()
        theirs.settimeout(10)
        assert theirs.recv(4096).startswith(method.encode())
        return errand, theirs

    def turn(self) -> None:
        for descriptor, what in self.poll.poll(PATIENCE):
            assert self.traffic.knows(descriptor)
            self.traffic.go_on(descriptor, what, self.heard)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    one = Scene(tmp_path)
    yield one
    one.traffic.close()
    one.listening.close()


def test_errands_run_beside_each_other_and_end_each_for_itself(scene: Scene) -> None:
    _, slow = scene.begin("POST")
    _, quick = scene.begin("DELETE")
    with slow, quick:
        quick.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        scene.turn()
        assert scene.heard.told == [("DELETE", "finished")]
        slow.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {}\n\n")
        scene.turn()
        assert scene.heard.told[1:] == [("POST", "{}")]
    scene.turn()
    assert scene.heard.told[2:] == [("POST", "finished")]


def test_what_breaks_off_is_told_once(scene: Scene) -> None:
    _, theirs = scene.begin("POST")
    theirs.close()
    scene.turn()
    assert scene.heard.told == [("POST", "broke: no answer came")]
    assert scene.poll.poll(0) == []


def test_whoever_is_dropped_hears_that_we_hung_up(scene: Scene) -> None:
    errand, theirs = scene.begin("POST")
    with theirs:
        scene.traffic.drop(errand)
        assert theirs.recv(1) == b""
    assert scene.poll.poll(0) == []
    assert scene.heard.told == []


def test_nothing_is_read_while_it_is_paused(scene: Scene) -> None:
    _, theirs = scene.begin("POST")
    with theirs:
        scene.traffic.pause()
        theirs.sendall(b"HTTP/1.1 202 Taken\r\nContent-Length: 0\r\n\r\n")
        assert scene.poll.poll(0) == []
        scene.traffic.resume()
        scene.turn()
    assert scene.heard.told == [("POST", "finished")]
