"""Small things that are drawn everywhere."""

import pytest
from tests.servers.dashboard.sidebar.showing import ANN, BOT, EVIL, NOW, before

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.servers.dashboard.sidebar.lines import Author, State
from hearth.servers.dashboard.sidebar.pieces import (
    ago,
    badge,
    dot,
    flame,
    icon,
    place_of,
    row_id,
    short,
)


@pytest.mark.parametrize(
    ("ago_", "words"),
    [
        ({"seconds": 3}, "just now"),
        ({"seconds": -30}, "just now"),
        ({"seconds": 50}, "1 min ago"),
        ({"minutes": 2}, "2 min ago"),
        ({"hours": 3}, "3 h ago"),
        ({"days": 2}, "2 d ago"),
        ({"days": 30}, "30 Jan 2026"),
    ],
)
def test_times_are_told_as_people_do(ago_: dict[str, float], words: str) -> None:
    shown = ago(before(**ago_), NOW)
    assert f">{words}</time>" in shown
    assert 'datetime="2026-' in shown
    assert ago(None, NOW) == ""


@pytest.mark.parametrize(
    ("directory", "shown"),
    [
        ("/home/ann", "~"),
        ("/home/ann/loom", "~/loom"),
        ("/home/annabel", "/home/annabel"),
        ("/home/ann/a/b/c/d", "…/c/d"),
        ("/", "/"),
        ("", ""),
        ("/srv/x/", "/srv/x"),
    ],
)
def test_a_path_is_shown_by_its_end(directory: str, shown: str) -> None:
    assert short(directory, "/home/ann") == shown


def test_addresses_hold_whatever_an_id_is() -> None:
    odd = SessionId("a b/../<x>")
    assert place_of(odd) == "/dashboard/s/a%20b%2F..%2F%3Cx%3E"
    assert place_of(SessionId("a"), 7) == "/dashboard/s/a?at=7"
    assert " " not in row_id(odd)
    assert "/" not in row_id(odd)


def test_badges_say_who_and_what_somebody_is() -> None:
    assert ">you<" in badge(ANN, "ann")
    assert ">ann<" in badge(ANN, "ben")
    agent = badge(BOT, "ann")
    assert "badge-agent" in agent
    assert ">quick<" in agent
    assert "agent scripted:quick" in agent
    nameless = badge(Author(Actor.MCP_CLIENT, "", None), "ann")
    assert ">mcp client<" in nameless
    evil = badge(Author(Actor.PERSON, EVIL, None), "ann")
    assert "<img" not in evil
    assert "\u202e" not in evil


def test_drawings_are_not_read_out() -> None:
    for drawn in (dot(State.NEEDS), flame(), icon("new")):
        assert 'aria-hidden="true"' in drawn
    assert "dot-needs" in dot(State.NEEDS)
