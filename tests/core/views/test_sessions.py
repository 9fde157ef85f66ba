"""All sessions as a list."""

import pytest
from tests.contracts.given import (
    CREATED,
    READY,
    RUNNING,
    STOPPED,
    Said,
    Spoken,
    after,
    comes_back,
    given,
    said,
)

from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.sessions import SessionRow, Sessions, session_row, sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.undoing import ForkHow


def row(name: str, *words: Spoken | Said, trouble: str = "") -> SessionRow:
    script = given(*words, session=SessionId(name))
    view = SessionFold(SessionState(script.state.session))
    for fact in script.facts:
        view = fold(view, fact)
    return session_row(view, trouble)


def test_a_row_says_what_a_person_looks_for() -> None:
    assert row("s1", *RUNNING) == SessionRow(
        session=SessionId("s1"),
        name="loom",
        directory="/home/anna/loom",
        state=PhaseName.EVALUATING,
        projects=("loom",),
        started_at=after(1),
        last_activity=after(3),
    )


def test_a_session_that_is_stopped_or_set_aside_stays_in_the_list_and_says_so() -> None:
    assert row("s1", *STOPPED).stopped
    assert row("s1", *STOPPED).state is PhaseName.UNINITIALIZED
    assert row("s1", *READY, trouble="event 3 cannot be read").trouble == "event 3 cannot be read"
    assert row("s1", *READY).trouble == ""


@pytest.mark.promise("SF-PROJ-04")
def test_the_most_recently_used_comes_first_whatever_order_they_are_given_in() -> None:
    old = row("s-old", *CREATED)
    used = row("s-used", *READY, said(c.RunCell("1"), at=99))
    same = row("s-also-old", *CREATED)
    broken = SessionRow(
        session=SessionId("s-broken"), name="", directory="", state=PhaseName.UNINITIALIZED
    )
    rows = [broken, old, used, same]
    expected = ["s-used", "s-also-old", "s-old", "s-broken"]
    assert [one.session for one in sessions(rows).rows] == expected
    assert sessions(reversed(rows)) == sessions(rows)
    assert comes_back(sessions(rows))


def test_of_a_fork_it_says_where_it_came_from_and_what_its_interpreter_was_made_of() -> None:
    point = c.ForkPoint(SessionId("s0"), how=ForkHow.COPY, version=7)
    fork = row("s1", c.CreateSession(c.SessionConfig(forked_from=point)))
    assert (fork.forked_from, fork.forked_how) == ("s0", ForkHow.COPY)
    older = row("s1", c.CreateSession(c.SessionConfig(forked_from=c.ForkPoint(SessionId("s0")))))
    assert older.forked_how is ForkHow.NEW
    alone = row("s1", *CREATED)
    assert (alone.forked_from, alone.forked_how) == ("", None)


def test_no_sessions_is_a_list_too() -> None:
    assert sessions([]) == Sessions()
