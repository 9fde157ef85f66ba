"""What is counted about a session and its authors."""

import pytest
from tests.contracts.given import ANNA, BOT, CREATED, READY, RUNNING, SYSTEM, after, given, said

from hearth.core.views.tally import HEAD, MOST_AUTHORS, AuthorTally, Tally, count
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.ids import CellId, EventId, InputId
from hearth.core.vocabulary.origin import Actor, Origin

C1, C2 = CellId("c1"), CellId("c2")


def counted(facts: list[Fact]) -> Tally:
    tally = Tally()
    for fact in facts:
        tally = count(tally, fact)
    return tally


def fact(event: e.Event, by: Origin = ANNA, at: float = 50) -> Fact:
    return Fact(id=EventId("x.0"), at=after(at), origin=by, cause=InputId("x"), event=event)


def test_a_session_counts_from_its_beginning() -> None:
    assert Tally() == counted([])
    tally = counted(given(*CREATED).facts)
    assert (tally.started_at, tally.last_activity) == (after(1), after(1))
    assert (tally.evals, tally.errors, tally.cancelled, tally.last_code) == (0, 0, 0, "")


@pytest.mark.promise("SF-PROJ-03")
def test_each_author_is_counted_the_most_recent_first() -> None:
    script = given(*READY, said(c.RunCell("1"), by=BOT), r.CellEnded(1, C1, r.Succeeded(), 0.1))
    script.happened(c.RunCell("2"), r.CellEnded(1, C2, r.Raised(f.Interrupted("no")), 0.1))
    assert counted(script.facts).authors == (
        AuthorTally(ANNA, evals=0, errors=1, last_active=after(6)),
        AuthorTally(BOT, evals=1, errors=0, last_active=after(4)),
    )


@pytest.mark.promise("SF-PROJ-03")
def test_a_waiting_cell_is_its_authors_although_the_system_began_it() -> None:
    script = given(*RUNNING, said(c.RunCell("2", if_busy="queue"), by=BOT))
    script.happened(r.CellEnded(1, C1, r.Succeeded(), 0.1), r.CellEnded(1, C2, r.Succeeded(), 0.1))
    found = {mine.author: mine.evals for mine in counted(script.facts).authors}
    assert found == {ANNA: 1, BOT: 1}


def test_the_system_is_no_author_of_what_happens_by_itself() -> None:
    tally = counted(given(*READY).facts)
    later = count(tally, fact(e.SessionFaulted(f.WorkerCrashed("x")), SYSTEM))
    assert later == tally
    assert SYSTEM not in {mine.author for mine in tally.authors}


def test_a_record_of_a_change_is_no_activity() -> None:
    tally = counted(given(*READY).facts)
    moved = given(*READY).facts[-1].event
    assert isinstance(moved, e.StateTransitioned)
    assert count(tally, fact(moved)) == tally


def test_whatever_a_person_does_is_activity() -> None:
    tally = counted(given(*READY).facts)
    for event in (e.SessionRenamed("x"), e.CheckRequested("x"), e.CellCancelRequested(C1, 1)):
        later = count(tally, fact(event, BOT))
        assert later.last_activity == after(50)
        assert later.authors[0] == AuthorTally(BOT, last_active=after(50))
        assert (later.evals, later.errors) == (tally.evals, tally.errors)


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (e.CellStarted(C1, "x = 1"), "x = 1"),
        (e.CellStarted(C1, "y" * 1000), "y" * HEAD),
        (e.CellStarted(C1, Blob("0" * 64, 10**6, head="z" * 500)), "z" * HEAD),
        (e.CellStarted(C1, "", script="a.py"), "a.py"),
        (e.TrialStarted(C1, ("x" * 1000, "y")), "x" * HEAD),
        (e.TrialStarted(C1, ()), ""),
    ],
)
def test_the_last_code_is_shown_in_part(event: e.Event, shown: str) -> None:
    tally = count(Tally(), fact(event))
    assert tally.last_code == shown
    assert tally.last_duration is None


@pytest.mark.parametrize(
    "event",
    [
        e.CellFinished(C1, 2.5),
        e.CellFailed(C1, f.Interrupted(""), 2.5),
        e.CellCancelled(C1, 2.5),
    ],
    ids=lambda one: type(one).__name__,
)
def test_how_long_the_last_cell_took_however_it_ended(event: e.Event) -> None:
    tally = count(Tally(), fact(event))
    assert tally.last_duration == 2.5
    assert tally.evals + tally.errors + tally.cancelled == 1
    assert tally.last_activity == after(50)
    assert [(mine.author, mine.last_active) for mine in tally.authors] == [(ANNA, after(50))]


def test_of_very_many_authors_those_silent_for_longest_are_dropped() -> None:
    tally = Tally()
    for number in range(MOST_AUTHORS + 3):
        by = Origin(Actor.MCP_CLIENT, f"client {number}")
        tally = count(tally, fact(e.CellFinished(C1, 0.1), by, at=number))
    assert len(tally.authors) == MOST_AUTHORS
    assert tally.authors[0].author.name == f"client {MOST_AUTHORS + 2}"
    assert tally.authors[-1].author.name == "client 3"
    assert tally.evals == MOST_AUTHORS + 3
    again = count(tally, fact(e.CellFinished(C1, 0.1), tally.authors[-1].author))
    assert again.authors[0] == AuthorTally(tally.authors[-1].author, 2, 0, after(50))
    assert len(again.authors) == MOST_AUTHORS
