"""The page of all sessions."""

import pytest
from tests.servers.dashboard.sidebar.showing import EVIL, line, looked

from hearth.servers.dashboard.sidebar.home_page import home
from hearth.servers.dashboard.sidebar.lines import State


@pytest.mark.promise("DP-BG-08")
def test_with_nothing_stored_one_fresh_session_is_offered() -> None:
    shown = home(looked())
    assert 'id="home"' in shown
    assert shown.count("Begin session") == 1
    assert "Light the hearth" in shown
    assert "Needs you" not in shown
    assert "Light the hearth" not in home(looked(line("a")))


def test_what_needs_a_person_stands_first_and_what_is_broken_next() -> None:
    lines = [
        line("calm"),
        line("broken", State.FAULTED),
        line("asks", State.NEEDS, needs=1),
        line("over", State.STOPPED),
    ]
    shown = home(looked(*lines))
    places = [shown.index(f"/dashboard/s/{one}") for one in ("asks", "broken", "calm", "over")]
    assert places == sorted(places)
    assert "3 open sessions, 1 of them waiting for you" in shown


@pytest.mark.promise("DP-BG-06")
def test_trouble_is_said_and_nothing_that_somebody_wrote_is_markup() -> None:
    shown = home(looked(line("a", name=EVIL, preview=EVIL), trouble="the disk is gone"))
    assert "This may be old: the disk is gone" in shown
    assert "<img" not in shown
    assert "the disk is gone" in home(looked(trouble="the disk is gone"))
