"""How a daemon is reached and lost; sockets and daemons are told, not there."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from hearth.clients.mcp.errand import Errand
from hearth.clients.mcp.finding import NoDaemon
from hearth.clients.mcp.reaching import MOST_PROBES, Reaching


class Connections:
    """The ways to a daemon, and which of them are idle."""

    def __init__(self) -> None:
        self.found = self
        self.idle: list[object] = []
        self.is_closed = False

    def give_back(self, line: object) -> None:
        self.idle.append(line)

    def close(self) -> None:
        self.is_closed = True


class Scene:
    """A daemon that may live, and may refuse."""

    def __init__(self) -> None:
        self.connections = Connections()
        self.lives = True
        self.refuses = False
        self.sent: list[Errand] = []
        self.told: list[str] = []
        anything: Any = self
        self.reaching = Reaching(
            anything,
            anything,
            lambda _: self.told.append("noted"),
            lost=lambda: self.told.append("lost"),
            given_up=self.told.append,
        )

    # -- the daemon, and the way to it

    def reach(self) -> Connections:
        if not self.lives:
            raise NoDaemon("nobody is there")
        return self.connections

    def look(self) -> Connections | None:
        return self.connections if self.lives else None

    def is_there(self, _found: object) -> bool:
        return self.lives

    def doubt(self) -> None:
        self.told.append("doubted")

    def begin(self, errand: Errand, _connections: object, _headers: Mapping[str, str]) -> None:
        if self.refuses:
            raise ConnectionRefusedError(111, "refused")
        self.sent.append(errand)

    # -- what happens

    def sends(self) -> Errand:
        errand = Errand("POST")
        self.reaching.send(errand, {})
        return errand

    def probed(self, status: int) -> None:
        """The look whether it lives ends so; 0 without an answer."""
        probe = self.sent[-1]
        assert (probe.method, probe.path) == ("GET", "/health")
        self.reaching.broke(probe)
        answered: Any = SimpleNamespace(status=status)
        probe.exchange = answered
        assert probe.then is not None
        probe.then(None)


@pytest.fixture
def scene() -> Scene:
    one = Scene()
    one.reaching.reach()
    return one


def test_the_first_one_that_is_found_is_spoken_with_at_once(scene: Scene) -> None:
    assert scene.reaching.is_ready
    assert scene.sent == []
    errand = scene.sends()
    scene.reaching.reach()
    scene.reaching.look()
    assert scene.sent == [errand]
    assert scene.told == []


def test_who_is_not_there_is_told_and_looked_for_in_vain() -> None:
    scene = Scene()
    scene.lives = False
    scene.reaching.look()
    with pytest.raises(NoDaemon, match="nobody"):
        scene.reaching.reach()
    assert not scene.reaching.is_reached
    with pytest.raises(ConnectionRefusedError, match="gone"):
        scene.sends()
    assert scene.sent == []


def test_one_that_takes_nothing_is_doubted_and_lost(scene: Scene) -> None:
    scene.refuses = True
    with pytest.raises(ConnectionRefusedError, match="refused"):
        scene.sends()
    assert not scene.reaching.is_reached
    assert scene.connections.is_closed
    assert scene.told == ["doubted", "noted", "lost"]


def test_after_a_loss_the_next_one_has_to_answer_before_it_gets_anything(scene: Scene) -> None:
    errand = scene.sends()
    scene.lives = False
    scene.reaching.broke(errand)
    assert scene.told == ["noted", "lost"]
    scene.lives = True
    scene.reaching.look()
    assert scene.reaching.is_reached
    assert not scene.reaching.is_ready
    scene.probed(401)
    assert scene.reaching.is_ready
    scene.reaching.broke(errand)
    assert scene.told == ["noted", "lost"]


def test_a_connection_that_breaks_off_alone_has_the_daemon_asked_once(scene: Scene) -> None:
    errands = [scene.sends(), scene.sends()]
    for errand in errands:
        scene.reaching.broke(errand)
    assert len(scene.sent) == 3
    assert scene.reaching.is_reached
    assert not scene.reaching.is_ready
    scene.probed(200)
    assert scene.reaching.is_ready
    assert scene.told == []


def test_one_that_answers_nothing_is_noted_once_and_given_up_in_the_end(scene: Scene) -> None:
    scene.reaching.broke(scene.sends())
    for _ in range(MOST_PROBES - 1):
        scene.probed(0)
        assert not scene.reaching.is_reached
        scene.reaching.reach()
    assert set(scene.told) == {"noted", "lost"}
    scene.probed(0)
    assert "answers nothing" in scene.told[-1]
    assert scene.told.count("noted") == 1


def test_one_that_cannot_even_be_asked_is_lost_at_once(scene: Scene) -> None:
    errand = scene.sends()
    scene.refuses = True
    scene.reaching.broke(errand)
    assert not scene.reaching.is_reached
    assert "doubted" in scene.told
    scene.refuses = False
    scene.reaching.reach()
    scene.probed(200)
    assert scene.reaching.is_ready


@pytest.mark.parametrize(
    ("is_reusable", "is_reached"), [(True, True), (False, True), (True, False)]
)
def test_a_connection_is_kept_only_if_it_can_be_used_again(
    *, is_reusable: bool, is_reached: bool
) -> None:
    scene, closed = Scene(), []
    if is_reached:
        scene.reaching.reach()
    exchange: Any = SimpleNamespace(
        is_reusable=is_reusable, line="line", close=lambda: closed.append("line")
    )
    scene.reaching.take_back(exchange)
    is_kept = is_reusable and is_reached
    assert scene.connections.idle == (["line"] if is_kept else [])
    assert closed == ([] if is_kept else ["line"])
