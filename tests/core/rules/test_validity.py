"""Whether a recorded result still holds: a truth table, and a count that history does not slow."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.given import READY, Script, given

from hearth.core.rules.state import Held
from hearth.core.rules.validity import (
    MOST_HELD,
    Standing,
    holding,
    missing,
    others,
    stale_cells,
    standing,
    with_changes,
)
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import cell_id

PARTS = st.dictionaries(st.sampled_from("abc"), st.sampled_from(["", "1", "2"]))
SEEN = r.EnvironmentSeen(1, "f1", {"loom": "1", "yarn": "1"})
EDITED = r.EnvironmentSeen(1, "f2", {"loom": "2", "yarn": "1"})


@pytest.mark.promise("SF-EPI-02")
class TestStanding:
    @pytest.mark.parametrize(
        ("uses", "now", "stands"),
        [
            ({}, {"loom": "1"}, Standing.VALID),
            ({"loom": "1"}, {"loom": "1"}, Standing.VALID),
            ({"loom": "1"}, {"loom": "1", "yarn": "1"}, Standing.VALID),
            ({"loom": ""}, {}, Standing.VALID),
            ({"loom": "1"}, {"loom": "2"}, Standing.STALE),
            ({"loom": ""}, {"loom": "1"}, Standing.STALE),
            ({"loom": "1"}, {}, Standing.INVALID),
            ({"loom": "1"}, {"loom": ""}, Standing.INVALID),
            ({"loom": "1", "yarn": "1"}, {"yarn": "2"}, Standing.INVALID),
        ],
        ids=[
            "nothing used", "unchanged", "another part added", "absent on both sides", "changed",
            "added", "removed", "removed, said", "one changed and one removed",
        ],
    )  # fmt: skip
    def test_by_what_was_used_and_what_is_there(
        self, uses: dict[str, str], now: dict[str, str], stands: Standing
    ) -> None:
        assert standing(uses, "f1", now, "f2") is stands

    @pytest.mark.parametrize(("then", "now"), [(None, "f1"), ("", "f1"), ("f1", ""), (None, "")])
    def test_nobody_knows_without_a_fingerprint(self, then: str | None, now: str) -> None:
        assert standing({}, then, {}, now) is Standing.UNKNOWN
        assert standing({"loom": "1"}, then, {}, now) is Standing.UNKNOWN

    @whenever(PARTS, PARTS)
    def test_where_the_fingerprint_is_the_same_everything_holds(
        self, uses: dict[str, str], environment: dict[str, str]
    ) -> None:
        assert standing(uses, "f1", environment, "f1") is Standing.VALID

    @whenever(PARTS, PARTS)
    def test_what_is_missing_or_other_says_why(
        self, uses: dict[str, str], environment: dict[str, str]
    ) -> None:
        stands = standing(uses, "f1", environment, "f2")
        gone, changed = missing(uses, environment), others(uses, environment)
        assert set(gone) | set(changed) <= set(uses)
        assert not set(gone) & set(changed)
        assert bool(gone) is (stands is Standing.INVALID)
        assert bool(gone or changed) is (stands is not Standing.VALID)

    def test_a_part_that_is_gone_is_no_part(self) -> None:
        assert with_changes({"a": "1", "b": "1"}, {"a": "", "c": "1"}) == {"b": "1", "c": "1"}


class TestCounting:
    def test_cells_that_used_the_same_are_counted_together(self) -> None:
        held = holding((), {"a": "1"})
        held = holding(holding(held, {"b": "1"}), {"a": "1"})
        assert held == (Held({"a": "1"}, 2), Held({"b": "1"}, 1))
        assert stale_cells(held, {"a": "1", "b": "1"}) == 0
        assert stale_cells(held, {"a": "2", "b": "1"}) == 2
        assert stale_cells(held, {"a": "2"}) == 3

    def test_what_uses_nothing_always_holds(self) -> None:
        assert holding((), {}) == ()

    @pytest.mark.promise("SF-EPI-04")
    def test_so_many_sets_are_told_apart_and_the_oldest_dropped(self) -> None:
        held: tuple[Held, ...] = ()
        for number in range(MOST_HELD + 1):
            held = holding(held, {"a": str(number)})
        assert len(held) == MOST_HELD
        assert {"a": "0"} not in [one.uses for one in held]
        assert held[0].uses == {"a": str(MOST_HELD)}

    @whenever(st.lists(PARTS, max_size=10), PARTS)
    def test_the_count_is_what_counting_cell_by_cell_gives(
        self, cells: list[dict[str, str]], environment: dict[str, str]
    ) -> None:
        held: tuple[Held, ...] = ()
        for uses in cells:
            held = holding(held, uses)
        stands = [standing(uses, "f1", environment, "f2") for uses in cells]
        assert stale_cells(held, environment) == sum(one is not Standing.VALID for one in stands)


def ran(script: Script, *used: dict[str, str]) -> Script:
    """The same with so many cells more, each of which used these parts."""
    for uses in used:
        cell = cell_id(script.state.cells + 1)
        generation = script.state.generation
        script.happened(c.RunCell("x = 1"))
        script.happened(r.CellEnded(generation, cell, r.Succeeded(), 0.1, uses=uses))
    return script


LOOM, YARN = {"loom": "1"}, {"yarn": "1"}


@pytest.mark.promise("SF-EPI-03")
class TestFollowersHearOfIt:
    def test_a_module_that_two_of_five_cells_used_is_edited(self) -> None:
        script = ran(given(*READY, SEEN), LOOM, YARN, {}, LOOM, YARN)
        script.when(EDITED).then(e.EnvironmentChanged("f2", {"loom": "2"}, "f1", 2))
        assert script.state.stale == 2

    def test_what_is_put_back_holds_again(self) -> None:
        script = ran(given(*READY, SEEN), LOOM, LOOM).happened(EDITED)
        script.when(SEEN).then(e.EnvironmentChanged("f1", {"loom": "1"}, "f2", 0))
        assert script.state.stale == 0

    def test_a_cell_that_ran_after_the_change_holds(self) -> None:
        script = ran(ran(given(*READY, SEEN), LOOM).happened(EDITED), {"loom": "2"})
        removed = r.EnvironmentSeen(1, "f3", {"yarn": "1"})
        script.when(removed).then(e.EnvironmentChanged("f3", {"loom": ""}, "f2", 2))

    def test_a_cell_of_which_nobody_knows_is_not_counted(self) -> None:
        script = ran(given(*READY), {"loom": "9"})
        script.when(SEEN).then(e.EnvironmentChanged("f1", {"loom": "1", "yarn": "1"}))

    @pytest.mark.parametrize(
        "words",
        [(c.HardResetSession(),), (r.WorkerLost(1, r.Exit.CRASH, ""), c.ResetSession())],
        ids=("hard reset", "reset after a crash"),
    )
    def test_what_may_be_wanted_back_is_counted_until_another_life_begins(
        self, words: tuple[c.Command | r.Report, ...]
    ) -> None:
        script = ran(given(*READY, SEEN), LOOM, LOOM).happened(*words, r.WorkerReady(2, 0.1))
        edited = r.EnvironmentSeen(2, "f2", {"loom": "2"})
        script.when(edited).then(e.EnvironmentChanged("f2", {"loom": "2"}, "f1", 2))
        ran(script, {"loom": "2"})
        assert script.state.stale == 0
        again = r.EnvironmentSeen(2, "f3", {"loom": "3"})
        script.when(again).then(e.EnvironmentChanged("f3", {"loom": "3"}, "f2", 1))

    def test_what_was_dropped_on_purpose_is_not_counted(self) -> None:
        script = ran(given(*READY, SEEN), LOOM).happened(EDITED, c.ResetSession())
        assert (script.state.held, script.state.stale) == ((), 0)
