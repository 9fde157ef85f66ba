"""Lines are readable without colour, and tell who, when and where."""

from datetime import UTC, datetime, timedelta

import pytest

from hearth.clients.repl.painting import (
    Paint,
    ago,
    author,
    moment,
    name_of,
    paint_for,
    seconds,
    shortened,
)
from hearth.core.vocabulary.origin import SYSTEM, Actor, Door, Origin

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_without_colour_nothing_but_words_is_left() -> None:
    plain = Paint(colour=False, drawings=False)
    texts = [plain.dim("a"), plain.strong("a"), plain.warning("a"), plain.trouble("a")]
    assert texts == ["a"] * 4
    assert plain.rule("c1") == "-- c1 --"
    assert plain.rule() == "--"
    assert (plain.dot + plain.more + plain.mark).isascii()


def test_colours_end_where_the_text_ends() -> None:
    assert Paint(colour=True).trouble("no") == "\x1b[31mno\x1b[0m"
    assert Paint(colour=True).dim("") == ""


@pytest.mark.parametrize(
    ("is_terminal", "environ", "colour"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colours_are_only_where_they_are_wanted(
    *, is_terminal: bool, environ: dict[str, str], colour: bool
) -> None:
    paint = paint_for(is_terminal=is_terminal, encoding="UTF-8", environ=environ)
    assert paint == Paint(colour=colour, drawings=True)
    assert not paint_for(is_terminal=True, encoding="ascii", environ={}).drawings


def test_authors_are_told_with_their_kind_and_door() -> None:
    assert author(Origin(Actor.AGENT, "bot", Door.MCP)) == "bot (agent, mcp)"
    assert author(Origin(Actor.PERSON, "ann", Door.REPL)) == "ann (repl)"
    assert author(Origin(Actor.PERSON, "", Door.HTTP)) == "person (http)"
    assert author(SYSTEM) == "hearth"


def test_where_there_is_little_room_an_author_is_a_name_or_a_kind() -> None:
    assert name_of(Origin(Actor.AGENT, "a\x1b[2Jb", Door.MCP)) == "ab"
    assert name_of(Origin(Actor.PERSON, "", Door.HTTP)) == "person"


def test_an_authors_name_cannot_reach_the_terminal() -> None:
    shown = author(Origin(Actor.AGENT, "a\x1b[2Jb\n" + "x" * 100, Door.MCP))
    assert "\x1b" not in shown
    assert "\n" not in shown
    assert len(shown) < 90


def test_durations_are_told_as_people_tell_them() -> None:
    told = [seconds(one) for one in (0.0042, 0.31, 9.94, 42.4, 3725)]
    assert told == ["4 ms", "0.3 s", "9.9 s", "42 s", "1:02:05"]


def test_times_are_told_from_now() -> None:
    told = [ago(NOON - timedelta(seconds=one), NOON) for one in (5, 61, 7300, 200_000)]
    assert told == ["just now", "1 minute ago", "2 hours ago", "2 days ago"]
    assert ago(None, NOON) == "never"
    assert ":" in moment(NOON, NOON)
    assert "-" not in moment(NOON, NOON)
    assert moment(NOON - timedelta(days=40), NOON).startswith("2026-03-25")
    assert moment(None, NOON) == "not yet"


def test_the_home_is_written_short() -> None:
    assert shortened("/home/ann/loom", "/home/ann") == "~/loom"
    assert shortened("/home/ann", "/home/ann") == "~"
    assert shortened("/home/anna", "/home/ann") == "/home/anna"
    assert shortened("/srv", "") == "/srv"
