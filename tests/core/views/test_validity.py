"""Which results still hold, as it is shown."""

import pytest
from hypothesis import given as whenever
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import READY, comes_back, given, in_place

from hearth.core.rules.validity import Standing
from hearth.core.views.validity import CellValidity, Environment, Validity, environment, validity
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId

C1, C2, C3, C4 = map(CellId, ("c1", "c2", "c3", "c4"))
SEEN = r.EnvironmentSeen(1, "f1", {"loom": "1", "yarn": "1"})
RUN = c.RunCell("x = 1")


def ended(cell: CellId, ending: r.Ending, *used: str) -> r.CellEnded:
    return r.CellEnded(1, cell, ending, 0.1, uses=dict.fromkeys(used, "1"))


@pytest.mark.promise("SF-EPI-03")
def test_every_cell_says_how_it_stands_and_because_of_what() -> None:
    script = given(*READY, RUN, ended(C1, r.Succeeded(), "loom"), SEEN)
    script.happened(RUN, ended(C2, r.Stopped()))
    script.happened(RUN, ended(C3, r.Raised(f.CodeRaised("E", "m")), "loom"))
    script.happened(RUN, ended(C4, r.Succeeded(), "loom", "yarn"))
    script.happened(r.EnvironmentSeen(1, "f2", {"loom": "2"}))
    view = validity(script.state, script.envelopes())
    assert (view.fingerprint, view.stale) == ("f2", 2)
    assert [(one.cell, one.standing, one.changed, one.missing) for one in view.cells] == [
        (C1, Standing.UNKNOWN, (), ()),
        (C2, Standing.VALID, (), ()),
        (C3, Standing.STALE, ("loom",), ()),
        (C4, Standing.INVALID, ("loom",), ("yarn",)),
    ]
    closed = {x.version for x in script.envelopes() if "uses" in x.event.__struct_fields__}
    assert {one.version for one in view.cells} == closed


def test_a_cell_that_runs_has_no_result_yet() -> None:
    script = given(*READY, RUN)
    assert validity(script.state, script.envelopes()) == Validity()


@pytest.mark.promise("SF-EPI-01")
def test_what_is_loaded_is_shown_with_its_fingerprint() -> None:
    assert environment(given(*READY).state) == Environment()
    view = environment(given(*READY, SEEN).state)
    assert view == Environment("f1", {"loom": "1", "yarn": "1"})
    assert comes_back(view)


@whenever(lines())
def test_whatever_happened_can_be_shown(script: list[Line]) -> None:
    played = play(script)
    view = validity(played.state, in_place(played.facts))
    assert comes_back(view)
    assert all(isinstance(one, CellValidity) for one in view.cells)
    for one in view.cells:
        explained = bool(one.changed or one.missing)
        assert explained is (one.standing in {Standing.STALE, Standing.INVALID})
