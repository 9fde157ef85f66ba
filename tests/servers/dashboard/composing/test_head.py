"""The head of a session's page."""

import msgspec
import pytest
from msgspec.structs import replace
from tests.contracts.given import LOST, RUNNING, STOPPED
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import (
    by_id,
    enabled,
    failed,
    ids,
    read,
    retrying,
    seen,
    talked,
)

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.core.vocabulary.commands import Command, CreateSession, HardResetSession
from hearth.core.vocabulary.undoing import UndoFor
from hearth.servers.dashboard.composing.head import head
from hearth.servers.dashboard.composing.offers import others, stopping
from hearth.servers.dashboard.composing.undoing import taking_back

HOSTILE = '</h1><img src=x onerror=alert(1)> data-on:click="x" \u202egnp.exe'

STATES = [
    seen(),
    seen(*RUNNING),
    seen(*LOST),
    seen(*STOPPED),
    seen(CreateSession()),
    talked(Played().says("hi")),
    talked(Played().says("hi").answers("yes")),
    talked(retrying()),
    talked(failed()),
]


@pytest.mark.promise("SF-DASH-03")
@pytest.mark.parametrize("stands", STATES)
def test_exactly_what_is_allowed_is_enabled(stands: tuple[Status, Talk]) -> None:
    markup = head(*stands)
    every = (*stopping(*stands), *taking_back(stands[0]), *others(*stands))
    wanted = {f"do-{one.name}" for one in every if not one.why_not}
    pressed = {one for one in enabled(markup) if one.startswith("do-")}
    always = {"do-fork", "do-copy", "do-keys", "do-archive"} | {f"do-undo-{who}" for who in UndoFor}
    assert pressed - always == wanted
    for one in every:
        button = by_id(markup, f"do-{one.name}").attributes
        if one.why_not:
            assert "disabled" in button
            assert button["title"] == button["aria-description"] == one.why_not
            assert "data-command" not in button
        else:
            command: Command = msgspec.json.decode(button["data-command"], type=type(one.command))
            assert command == one.command
            assert button["data-session"] == stands[0].session


@pytest.mark.promise("SF-DASH-03")
def test_a_cell_can_be_stopped_only_while_one_runs() -> None:
    assert "do-stop-cell" in enabled(head(*seen(*RUNNING)))
    assert all("do-stop-cell" not in enabled(head(*one)) for one in STATES if not one[0].current)


def test_ids_stand_for_one_element_each() -> None:
    for stands in STATES:
        found = ids(head(*stands, models=("a:b",)))
        assert len(found) == len(set(found))
        assert "head" in found


def test_it_says_what_the_session_is_and_does() -> None:
    status, talk = seen(*RUNNING)
    told = replace(
        status,
        name="weaver",
        version="3.12.1",
        language="python",
        stale_events=3,
        waiting=2,
        notices=("two projects",),
    )
    words = by_id(head(told, talk), "head").text
    for part in (
        "weaver",
        "running c1",
        "Python 3.12.1",
        "3 stale",
        "2 cells wait",
        "two projects",
    ):
        assert part in words
    times = [one.attributes for one in read(head(told, talk)) if one.tag == "time"]
    assert [list(one) for one in times] == [["datetime", "data-since"]]


def test_what_is_not_so_is_not_shown() -> None:
    markup = head(*seen())
    assert by_id(markup, "head-state").text == "ready"
    assert not [one for one in read(markup) if "badge" in one.attributes.get("class", "")]
    assert not [one for one in read(markup) if one.tag in {"time", "meter"}]


def test_its_name_can_be_changed_where_it_stands() -> None:
    forms = [one.attributes for one in read(head(*seen())) if one.tag == "form"]
    rename = next(one for one in forms if one.get("data-fills") == "name")
    assert msgspec.json.decode(rename["data-command"])["type"] == "rename_session"
    assert "data-on:submit" in rename


def test_a_hard_reset_is_asked_about_first() -> None:
    button = by_id(head(*seen()), "do-hard-reset").attributes
    assert "All variables are lost" in button["data-confirm"]
    sent = msgspec.json.decode(button["data-command"], type=HardResetSession)
    assert sent == HardResetSession()


def test_an_opened_menu_stays_open_when_the_head_is_drawn_anew() -> None:
    menus = [one.attributes for one in read(head(*STATES[1])) if one.tag == "details"]
    assert len(menus) == 4
    assert all(one["data-preserve-attr"] == "open" and one["id"] for one in menus)


def test_what_others_wrote_is_text() -> None:
    status, talk = seen()
    bad = replace(
        status,
        name=HOSTILE,
        directory=HOSTILE,
        version=HOSTILE,
        python=HOSTILE,
        notices=(HOSTILE,) * 100,
    )
    markup = head(bad, replace(talk, model=HOSTILE, why=HOSTILE), models=(HOSTILE,))
    assert not [one for one in read(markup) if one.tag == "img"]
    assert not [name for one in read(markup) for name in one.attributes if name == "onerror"]
    assert "\u202e" not in markup
    assert len(head(replace(bad, name="x" * 10**6), talk)) < 2_100_000


def test_a_session_without_a_name_is_called_by_its_id() -> None:
    status, talk = seen()
    words = by_id(head(replace(status, name=" "), talk), "head").text
    assert status.session in words
