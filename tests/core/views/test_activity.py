"""Who does what, over all sessions."""

import pytest
from tests.contracts.given import ANNA, BOT, after, comes_back, given, said

from hearth.core.views.activity import Activity, AuthorActivity, activity
from hearth.core.views.tally import AuthorTally, Tally, count
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin

LOOM, MILL = SessionId("loom"), SessionId("mill")
CLAUDE = Origin(Actor.AGENT, "claude", Door.MCP)
RAISED = r.Raised(f.CodeRaised("E", "m"))


def lived(session: SessionId, *cells: tuple[Origin, float, r.Ending]) -> tuple[AuthorTally, ...]:
    """The authors of a session in which these ran cells at these times, with these endings."""
    script = given(c.CreateSession(), r.WorkerReady(1, 0.1), session=session)
    for number, (by, at, ending) in enumerate(cells, start=1):
        ended = r.CellEnded(1, CellId(f"c{number}"), ending, 0.1)
        script.happened(said(c.RunCell("1"), by=by, at=at), said(ended, at=at))
    tally = Tally()
    for fact in script.facts:
        tally = count(tally, fact)
    return tally.authors


@pytest.mark.promise("SF-PROJ-03")
def test_two_agents_over_two_sessions() -> None:
    ok = r.Succeeded()
    loom = lived(LOOM, (BOT, 10, ok), (BOT, 20, RAISED), (CLAUDE, 30, ok))
    mill = lived(MILL, (BOT, 40, ok), (CLAUDE, 25, RAISED), (CLAUDE, 26, r.Stopped()))
    found = activity([(LOOM, loom), (MILL, mill)])
    assert [one for one in found.authors if one.author.actor is Actor.AGENT] == [
        AuthorActivity(BOT, 2, 1, (LOOM, MILL), after(40)),
        AuthorActivity(CLAUDE, 1, 1, (LOOM, MILL), after(30)),
    ]
    assert comes_back(found)


@pytest.mark.promise("SF-PROJ-03")
def test_the_order_of_the_sessions_does_not_matter_for_the_counts() -> None:
    loom, mill = lived(LOOM, (BOT, 10, RAISED)), lived(MILL, (BOT, 5, r.Succeeded()))
    one = activity([(LOOM, loom), (MILL, mill)])
    other = activity([(MILL, mill), (LOOM, loom)])
    assert one.authors[0] == AuthorActivity(BOT, 1, 1, (LOOM, MILL), after(10))
    assert other.authors[0] == AuthorActivity(BOT, 1, 1, (MILL, LOOM), after(10))


def test_the_same_name_through_another_door_is_another_author() -> None:
    by_http = Origin(Actor.AGENT, "bot", Door.HTTP)
    found = activity([(LOOM, lived(LOOM, (BOT, 10, RAISED), (by_http, 20, RAISED)))])
    assert [one.author for one in found.authors] == [by_http, BOT, ANNA]


def test_whoever_was_active_at_the_same_time_is_in_a_steady_order() -> None:
    silent = AuthorTally(CLAUDE)
    both = (AuthorTally(BOT, last_active=after(5)), AuthorTally(ANNA, last_active=after(5)))
    for authors in ((silent, *both), (*reversed(both), silent)):
        found = activity([(LOOM, authors)])
        assert [one.author for one in found.authors] == [BOT, ANNA, CLAUDE]
        assert found.authors[-1].last_active is None


def test_whoever_never_did_anything_anywhere_was_never_active() -> None:
    silent = (AuthorTally(CLAUDE),)
    found = activity([(LOOM, silent), (MILL, silent)])
    assert found.authors == (AuthorActivity(CLAUDE, 0, 0, (LOOM, MILL), None),)


def test_where_nobody_is_nobody_is_active() -> None:
    assert activity([]) == activity([(LOOM, ())]) == Activity()
