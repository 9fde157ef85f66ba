"""What the icon and the title follow."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import LOST, RUNNING, STOPPED
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import by_id, seen, talked

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.servers.dashboard.composing.state import state


@pytest.mark.parametrize(
    ("stands", "icon"),
    [
        (seen(), "idle"),
        (seen(*STOPPED), "idle"),
        (seen(*RUNNING), "running"),
        (seen(*LOST), "bad"),
        (talked(Played().says("hi")), "running"),
    ],
)
def test_the_icon_follows_what_is_going_on(stands: tuple[Status, Talk], icon: str) -> None:
    found = by_id(state(*stands, 0), "state").attributes
    assert found["data-state"] == icon
    assert "hidden" in found
    assert found["data-needs"] == "0"


def test_what_waits_for_a_person_is_counted_in_the_title() -> None:
    found = by_id(state(*seen(*RUNNING), 2), "state").attributes
    assert (found["data-state"], found["data-needs"]) == ("needs", "2")
    assert found["data-title"].startswith("(2) ")
    assert found["data-title"].endswith("running c1 · hearth")


def test_a_long_name_leaves_room_for_the_state() -> None:
    status, talk = seen()
    title = by_id(state(replace(status, name="x" * 999), talk, 0), "state").attributes["data-title"]
    assert len(title) < 100
    assert title.endswith("ready · hearth")


def test_a_session_without_a_name_is_called_by_its_id() -> None:
    status, talk = seen()
    title = by_id(state(replace(status, name=""), talk, 0), "state").attributes["data-title"]
    assert title == f"{status.session}: ready · hearth"
