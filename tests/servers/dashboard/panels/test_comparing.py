"""What two sessions hold otherwise is told with its moment, and what is gone is not told at all."""

import html
from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.servers.dashboard.composing.reading import seen
from tests.servers.dashboard.panels.looking_at import NOW, tame

from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.phases import PhaseName
from hearth.servers.dashboard.panels.comparing import BUSY, STOPPED, Side, compared_with
from hearth.servers.dashboard.panels.parts import MOST
from hearth.servers.dashboard.panels.variables import Known, Listed, moment_of

STATUS = replace(seen()[0], state=PhaseName.READY)
X, Y = Variable("x", "int", preview="1"), Variable("<y>", "numpy.ndarray", preview="<b>", length=2)
HOSTILE = "<img src=x>"


def side(name: str, *variables: Variable, more: int = 0, **known: object) -> Side:
    listed = Listed(variables, len(variables) + more, NOW, moment_of(STATUS))
    told = Known(listed, is_current=True, is_asked=False, problem="", number=3)
    return Side(name, STATUS, told._replace(**known))  # type: ignore[arg-type] # as they are named


def told(here: Side, there: Side) -> str:
    made = compared_with(there.name, (here, there), {"with": "b"}, NOW + timedelta(minutes=5))
    assert HOSTILE not in made
    return tame(made).text


def test_each_side_is_told_by_type_size_and_preview() -> None:
    text = told(side("This session", X), side(HOSTILE, X, Y))
    assert f"Compared with {HOSTILE}" in text
    assert "1 difference" in text
    assert "<y>" in text
    assert "ndarray" in text
    assert "2 items" in text
    assert "<b>" in text
    assert "not there" in text
    assert "as of" not in text


def test_nothing_that_differs_is_said_so() -> None:
    assert "No variable differs." in told(side("This session", X), side("other", X))


def test_what_is_not_listed_is_not_called_missing() -> None:
    text = told(side("This session", X, more=2), side("other", X, Y))
    assert "not listed" in text
    assert "not there" not in text
    assert "2 variables could not be looked at." in text
    assert "could not be looked at" in told(side("This session", X, more=2), side("other", X))


def test_a_side_that_is_busy_is_told_as_of_when() -> None:
    text = told(side("This session", X), side("other", Y, is_current=False))
    assert "other as of" in text
    assert "it is busy" in text
    assert "2 differences" in text
    assert "Ask again" not in text


def test_a_side_that_did_not_answer_can_be_asked_again() -> None:
    silent = side("other", listed=None, is_current=False, problem="it <hangs>")
    made = html.unescape(compared_with("other", (side("This session", X), silent), {}, NOW))
    assert "other does not tell its variables: it <hangs>." in made
    assert '"again":"3"' in made
    unheard = side("other", listed=None, is_current=False, is_asked=True)
    assert BUSY in told(side("This session", X), unheard)


@pytest.mark.parametrize(
    ("stands", "why"),
    [
        (replace(STATUS, stopped=True), STOPPED),
        (replace(STATUS, state=PhaseName.FAULTED), "its interpreter is gone"),
        (replace(STATUS, state=PhaseName.WARMING_UP), "its interpreter is being started"),
    ],
)
def test_what_an_interpreter_held_that_is_gone_is_not_compared(stands: object, why: str) -> None:
    gone = side("other", Y)._replace(status=stands)  # type: ignore[arg-type] # it is a status
    for here, there in ((side("This session", X), gone), (gone, side("This session", X))):
        text = told(here, there)
        assert f"other does not tell its variables: {why}" in text
        assert "difference" not in text
        assert "Ask again" not in text


def test_many_differences_are_cut() -> None:
    many = tuple(Variable(f"v{number:04}", "int") for number in range(MOST + 5))
    text = told(side("This session"), side("other", *many))
    assert f"{MOST + 5} differences" in text
    assert f"v{MOST + 1:04}" not in text
