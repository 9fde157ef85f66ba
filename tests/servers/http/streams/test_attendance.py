"""Who is connected is counted by kind, and forgotten when they leave."""

from datetime import UTC, datetime

import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.http.streams.attendance import Attendance, Kind, Present

S = SessionId("session-aaaaaa")
T = SessionId("session-bbbbbb")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def by(door: Door, name: str = "ann") -> Origin:
    return Origin(Actor.PERSON, name, door)


@pytest.mark.promise("SF-HTTP-16")
def test_connections_are_counted_by_kind_while_they_last() -> None:
    attendance = Attendance()
    doors = (Door.MCP, Door.REPL, Door.CLI, Door.TUI, Door.ACP, Door.DASHBOARD, Door.HTTP)
    leaving = [attendance.enter(S, by(door)) for door in doors]
    assert attendance.counts(S) == {"terminal": 4, "browser": 1, "program": 1, "mcp": 1}
    assert attendance.counts(T) == {"terminal": 0, "browser": 0, "program": 0, "mcp": 0}
    for leave in leaving:
        leave()
        leave()
    assert set(attendance.counts(S).values()) == {0}


def test_those_who_follow_everything_count_for_the_daemon_and_for_no_session() -> None:
    attendance = Attendance(lambda: NOON)
    attendance.enter(None, by(Door.DASHBOARD))
    attendance.enter(S, by(Door.REPL, "bea"))
    assert attendance.counts(S)["browser"] == 0
    assert attendance.counts()["browser"] == 1
    assert attendance.listed(S) == (Present(Kind.TERMINAL, Door.REPL, "bea", NOON),)
    assert [one.name for one in attendance.listed()] == ["ann", "bea"]


def test_a_client_with_many_streams_is_one_who_is_connected() -> None:
    attendance = Attendance()
    leaving = [attendance.enter(S, by(Door.REPL), "mine") for _ in range(3)]
    attendance.enter(S, by(Door.REPL), "yours")
    attendance.enter(S, by(Door.REPL))
    attendance.enter(S, by(Door.REPL))
    attendance.enter(T, by(Door.REPL), "mine")
    assert attendance.counts(S)["terminal"] == 4
    assert attendance.counts(T)["terminal"] == 1
    assert attendance.counts()["terminal"] == 4, "one that is with two sessions is still one"
    for leave in leaving:
        assert attendance.counts(S)["terminal"] == 4
        leave()
    assert attendance.counts(S)["terminal"] == 3


def test_whoever_watches_hears_of_each_who_comes_and_goes() -> None:
    attendance, heard = Attendance(), list[int]()
    stop = attendance.watch(lambda: heard.append(sum(attendance.counts(S).values())))
    leave = attendance.enter(S, by(Door.CLI))
    leave()
    leave()
    assert heard == [1, 0]
    stop()
    attendance.enter(S, by(Door.CLI))
    assert heard == [1, 0]
