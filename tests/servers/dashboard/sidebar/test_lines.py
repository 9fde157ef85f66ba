"""Sessions as lines."""

from datetime import timedelta

import pytest
from tests.servers.dashboard.sidebar.showing import ANN, BOT, NOW, before, line

from hearth.core.views.activity import AuthorActivity
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import SYSTEM, Actor, Door, Origin
from hearth.core.vocabulary.phases import PhaseName
from hearth.servers.dashboard.sidebar.lines import (
    DOTS,
    MOST_AUTHORS,
    Beside,
    State,
    authors_of,
    is_unread,
    line_of,
)

A = SessionId("a")


def row(state: PhaseName = PhaseName.READY, **more: object) -> SessionRow:
    fields = {"session": A, "name": "one", "directory": "/p", "state": state, **more}
    return SessionRow(**fields)  # type: ignore[arg-type] # fields of a row


WORKS = Beside(working=frozenset({A}))
ASKS = Beside(needs={A: 2}, working=frozenset({A}))


@pytest.mark.parametrize(
    ("shown", "beside", "state"),
    [
        (row(), Beside(), State.READY),
        (row(PhaseName.EVALUATING), Beside(), State.RUNNING),
        (row(PhaseName.EVALUATING), WORKS, State.WORKING),
        (row(), WORKS, State.WORKING),
        (row(), ASKS, State.NEEDS),
        (row(PhaseName.FAULTED), WORKS, State.FAULTED),
        (row(PhaseName.WARMING_UP), Beside(), State.STARTING),
        (row(PhaseName.UNINITIALIZED), Beside(), State.ASLEEP),
        (row(resuming=True), ASKS, State.RESUMING),
        (row(stopped=True), ASKS, State.STOPPED),
        (row(trouble="broken", stopped=True), ASKS, State.SET_ASIDE),
    ],
)
def test_a_state_is_told_in_words_and_has_a_dot(
    shown: SessionRow, beside: Beside, state: State
) -> None:
    assert line_of(shown, beside).state is state
    assert DOTS[state]


def test_a_line_has_what_lists_show() -> None:
    made = line_of(row(model="scripted:quick", preview="hello"), ASKS)
    assert (made.name, made.model, made.preview, made.needs) == ("one", "quick", "hello", 2)
    assert line_of(row(stopped=True), ASKS).needs == 0
    assert line_of(row(name="x" * 1000), ASKS).name == "x" * 200
    assert line_of(row(name=""), ASKS).name == "a"


def test_authors_are_told_once_whichever_door_they_used() -> None:
    people = [
        AuthorActivity(Origin(Actor.PERSON, "ann", door), 1, 0, (A,), NOW)
        for door in (Door.CLI, Door.DASHBOARD)
    ]
    many = [
        AuthorActivity(Origin(Actor.AGENT, f"bot{number}"), 1, 0, (A,), NOW) for number in range(20)
    ]
    found = authors_of([*people, AuthorActivity(SYSTEM, 1, 0, (A,), NOW), *many])[A]
    assert [one.name for one in found][:2] == ["ann", "bot0"]
    assert len(found) == MOST_AUTHORS


def test_what_somebody_else_did_since_a_person_looked_is_new_to_them() -> None:
    seen = before(minutes=3).timestamp()
    both = line("a", authors=(BOT, ANN))
    assert is_unread(both, "ann", seen)
    assert not is_unread(both, "ann", NOW.timestamp())
    mine = line("a", authors=(ANN,))
    assert not is_unread(mine, "ann", 0.0)
    assert is_unread(mine, "ben", 0.0)
    # The other one did nothing since.
    assert not is_unread(both, "ann", (before(minutes=1) + timedelta(seconds=1)).timestamp())
    assert not is_unread(line("a", at=None, authors=(BOT,)), "ann", 0.0)
