"""Which sessions stand where."""

import pytest
from tests.servers.dashboard.sidebar.showing import BOT, before, line, looked

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.sidebar.arrangement import MOST_OPEN, arranged
from hearth.servers.dashboard.sidebar.desks import Desk
from hearth.servers.dashboard.sidebar.lines import State


def names(lines: object) -> list[str]:
    return [one.session for one in lines]  # type: ignore[attr-defined] # lines of the sidebar


@pytest.mark.promise("DP-BG-02", "DP-UI-08")
def test_what_was_moved_keeps_its_place_and_what_is_new_stands_on_top() -> None:
    lines = [line(one, began=before(hours=hours)) for one, hours in (("a", 3), ("b", 2), ("c", 1))]
    assert names(arranged(lines, Desk()).open) == ["c", "b", "a"]
    desk = Desk(order=("gone", "b", "a"))
    assert names(arranged(lines, desk).open) == ["c", "b", "a"]
    desk = Desk(order=("a", "c", "gone", "b"))
    assert names(arranged(reversed(lines), desk).open) == ["a", "c", "b"]


def test_what_happens_in_a_session_does_not_move_it() -> None:
    lines = [line("a", began=before(hours=1)), line("b", began=before(hours=2), at=before())]
    assert names(arranged(lines, Desk()).open) == ["a", "b"]


@pytest.mark.promise("DP-BG-03")
def test_stopped_and_archived_sessions_are_earlier_ones() -> None:
    lines = [
        line("open"),
        line("stopped", State.STOPPED, at=before(hours=2)),
        line("archived", at=before(hours=1)),
        line("aside", State.SET_ASIDE, trouble="broken"),
    ]
    listed = arranged(lines, Desk(archived=("archived",)))
    assert names(listed.open) == ["aside", "open"]
    assert names(listed.earlier) == ["archived", "stopped"]


def test_lists_are_bounded_and_say_so() -> None:
    many = [line(f"s{number}") for number in range(MOST_OPEN + 5)]
    old = [line(f"e{number}", State.STOPPED) for number in range(30)]
    listed = arranged([*many, *old], Desk())
    assert (len(listed.open), listed.unlisted) == (MOST_OPEN, 5)
    assert (len(listed.earlier), listed.older) == (20, 10)
    assert arranged(old, Desk(earlier=40)).older == 0


def test_what_somebody_looks_at_is_not_new_to_them() -> None:
    one = line("a", authors=(BOT,))
    assert looked(one).is_unread(one)
    assert not looked(one, looking=frozenset({SessionId("a")})).is_unread(one)
    assert not looked(one, desk=Desk(archived=("a",))).is_unread(one)
    assert not looked(one, desk=Desk(seen={"a": before().timestamp()})).is_unread(one)
