"""Streams that find their daemon again."""

import threading
from pathlib import Path

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon

from hearth.clients.cli import following as followings
from hearth.clients.cli.following import BACK, GONE, Following
from hearth.clients.cli.troubles import NO_DAEMON, Trouble
from hearth.clients.cli.wire import Wire

LIMIT = 30.0


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followings, "PAUSE", 0.005)


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def first(home: Path) -> FakeDaemon:
    return FakeDaemon(home)


def test_over_a_restart_nothing_is_missed_or_repeated(
    home: Path, first: FakeDaemon, told: list[str]
) -> None:
    with first.serving():
        events = first.events("/events")
        following = Following(
            Wire(first.found, "ann"), "/events", 3, patience=LIMIT, tell=told.append
        )
        assert events.after == "after=3"
        events.row(4, {"type": "session_ready"})
        row = following.next()
        assert row is not None
        assert row.id == "4"
    second = FakeDaemon(home)
    again = second.events("/events")
    again.row(5, {"type": "session_ready"})
    missed = threading.Event()

    def come_back() -> None:
        assert missed.wait(LIMIT)
        with second.serving():
            assert again.opened.wait(LIMIT)
            done.wait(LIMIT)

    def tell(text: str) -> None:
        told.append(text)
        missed.set()

    done = threading.Event()
    following._tell = tell
    thread = threading.Thread(target=come_back, daemon=True)
    thread.start()
    try:
        row = following.next()
        assert row is not None
        assert row.id == "5"
        assert again.after == "after=4"
        assert told == [GONE, BACK]
    finally:
        done.set()
        following.close()
        thread.join(LIMIT)


def test_progress_has_no_place_to_go_back_to(first: FakeDaemon, told: list[str]) -> None:
    with first.serving():
        first.events("/events").progress({"type": "warm_up_step", "message": "m"})
        following = Following(
            Wire(first.found, "ann"), "/events", 3, patience=1.0, tell=told.append
        )
        assert following.next() is not None
        assert following.cursor == 3
        assert following.next(0) is None
        assert following.fileno() > 0
        following.close()


def test_a_daemon_that_stays_away_is_given_up(first: FakeDaemon, told: list[str]) -> None:
    with first.serving():
        first.events("/events")
        following = Following(
            Wire(first.found, "ann"), "/events", 0, patience=0.02, tell=told.append
        )
    with pytest.raises(Trouble) as caught:
        following.next()
    assert caught.value.ending == NO_DAEMON
    assert told == [GONE]
    following.close()


def test_a_session_that_the_new_daemon_does_not_know_is_told(
    home: Path, first: FakeDaemon, told: list[str]
) -> None:
    with first.serving():
        first.events("/events")
        following = Following(
            Wire(first.found, "ann"), "/events", 0, patience=LIMIT, tell=told.append
        )
    with FakeDaemon(home).serving(), pytest.raises(Trouble) as caught:
        following.next()
    assert caught.value.code == "unknown_session"
    following.close()
