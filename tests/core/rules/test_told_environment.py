"""What an interpreter found and has loaded, and how the log says when it is another."""

import pytest
from tests.contracts.given import (
    CREATED,
    LOST,
    READY,
    RUNNING,
    STOPPED,
    SYSTEM,
    Script,
    Spoken,
    given,
)

from hearth.core.rules.bounding import MOST_PARTS
from hearth.core.rules.evolving import MOST_CARRIED
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Surroundings
from hearth.core.vocabulary.ids import CellId

C1 = CellId("c1")
BEFORE = r.EnvironmentSeen(1, "f1", {"loom": "1", "yarn": "1"})


def changed(script: Script, report: r.EnvironmentSeen) -> dict[str, str]:
    event = script.when(report).facts[0].event
    assert isinstance(event, e.EnvironmentChanged)
    return event.changed


@pytest.mark.promise("SF-EPI-01")
class TestEnvironment:
    @pytest.mark.parametrize("way", [CREATED, READY, RUNNING], ids=("warming", "ready", "running"))
    def test_what_is_loaded_first_is_all_new(self, way: tuple[Spoken, ...]) -> None:
        script = given(*way)
        script.when(BEFORE).then(e.EnvironmentChanged("f1", {"loom": "1", "yarn": "1"})).owed_to(
            (f"i{len(way) + 1}", SYSTEM)
        )
        assert script.state.fingerprint == "f1"
        assert script.state.environment == {"loom": "1", "yarn": "1"}

    def test_the_same_again_is_no_event(self) -> None:
        given(*READY, BEFORE).when(BEFORE).ignored()

    def test_only_what_is_other_is_told_and_what_is_gone_has_no_hash(self) -> None:
        script = given(*READY, BEFORE)
        after = r.EnvironmentSeen(1, "f2", {"loom": "2", "shed": "1"})
        script.when(after).then(
            e.EnvironmentChanged("f2", {"loom": "2", "shed": "1", "yarn": ""}, "f1")
        )
        assert script.state.environment == {"loom": "2", "shed": "1"}
        assert changed(script, BEFORE) == {"loom": "1", "shed": "", "yarn": "1"}

    def test_a_part_may_be_said_to_be_gone(self) -> None:
        script = given(*READY, BEFORE)
        assert changed(script, r.EnvironmentSeen(1, "f2", {"loom": "1", "yarn": ""})) == {
            "yarn": ""
        }
        assert script.state.environment == {"loom": "1"}
        assert changed(script, r.EnvironmentSeen(1, "f3", {"loom": "3", "yarn": ""})) == {
            "loom": "3"
        }

    @pytest.mark.parametrize("word", [c.ResetSession(), c.HardResetSession()])
    def test_what_a_new_interpreter_has_not_loaded_yet_is_not_gone(self, word: c.Command) -> None:
        script = given(*READY, BEFORE, word, r.WorkerReady(2, 0.1))
        assert changed(script, r.EnvironmentSeen(2, "f2", {})) == {}
        assert changed(script, r.EnvironmentSeen(2, "f3", {"loom": "2"})) == {"loom": "2"}
        assert script.state.environment == {"loom": "2", "yarn": "1"}
        # It has shown this one itself.
        assert changed(script, r.EnvironmentSeen(2, "f4", {})) == {"loom": ""}

    def test_what_earlier_interpreters_had_is_not_carried_on_for_ever(self) -> None:
        script, parts = given(*READY), dict[str, str]()
        for life in range(1, 6):
            parts = {f"{life}-{n}": "1" for n in range(MOST_PARTS)}
            script.happened(r.EnvironmentSeen(life, f"f{life}", parts))
            assert len(script.state.environment) <= MOST_CARRIED
            if life < 5:
                assert len(script.state.environment) == life * MOST_PARTS
                script.happened(c.HardResetSession(), r.WorkerReady(life + 1, 0.1))
        assert script.state.environment == parts

    @pytest.mark.parametrize("way", [(), STOPPED, LOST])
    def test_nothing_is_seen_where_there_is_no_interpreter(self, way: tuple[Spoken, ...]) -> None:
        given(*way).when(BEFORE).ignored()

    def test_an_interpreter_that_could_not_look_changes_nothing(self) -> None:
        given(*READY, BEFORE).when(r.EnvironmentSeen(1, "", {})).ignored()

    def test_what_another_interpreter_has_is_ignored(self) -> None:
        given(*READY).when(r.EnvironmentSeen(2, "f1", {})).ignored()
        given(*READY).when(r.EnvironmentSeen(0, "f1", {})).ignored()

    def test_every_fact_carries_the_fingerprint_that_held_when_it_was_written(self) -> None:
        script = given(*READY)
        assert {fact.fingerprint for fact in script.facts} == {None}
        assert script.when(BEFORE).facts[0].fingerprint is None
        begun = script.when(c.RunCell("x = 1")).facts
        assert {fact.fingerprint for fact in begun} == {"f1"}
        script.happened(r.EnvironmentSeen(1, "f2", {"loom": "2"}))
        ended = script.when(r.CellEnded(1, C1, r.Succeeded(), 0.1)).facts
        assert {fact.fingerprint for fact in ended} == {"f2"}


def test_what_an_interpreter_found_where_it_was_started_is_remembered() -> None:
    found = Surroundings(root="/loom", python="/loom/.venv/bin/python", notices=("two projects",))
    script = given(*CREATED)
    facts = script.when(r.WorkerReady(1, 0.2, surroundings=found)).facts
    assert facts[0].event == e.SessionWarmUpCompleted(0.2, (), found)
    assert script.state.surroundings == found
    script.happened(c.HardResetSession(), r.WorkerReady(2, 0.2))
    assert script.state.surroundings is None
