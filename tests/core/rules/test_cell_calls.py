"""Who calls when code calls a tool, and what is said to that."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import ANNA, BOT, LOST, READY, RUNNING, STOPPED, SYSTEM, given, said

from hearth.core.rules.cell_calls import BY_PERSON, FOR_SESSION, Caller, Said, caller_of, said_to
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.permitting import Grant, Judged, Need, Verdict
from hearth.core.vocabulary.phases import Evaluating

C1, C2 = CellId("c1"), CellId("c2")
CLIENT = Origin(Actor.MCP_CLIENT, "bot", Door.MCP)
GRANT = Grant("mill__turn", "turn")
NEED = Need("mill__turn", "turn", pattern="turn")
ASKED = Judged(NEED, Verdict.ASK, "usual")
ALLOWED = Judged(NEED, Verdict.ALLOW, "a rule")
DENIED = Judged(NEED, Verdict.DENY, "another rule")
USED = r.ToolUsed(1, "mill__turn", Verdict.ALLOW, C1, "{}", "a rule", 0.5, "broken")


def running(origin: Origin) -> SessionState:
    return given(*READY, said(c.RunCell("1"), by=origin)).state


def with_grants(state: SessionState) -> SessionState:
    return replace(state, talk=replace(state.talk, grants=(GRANT,)))


class TestWhoCalls:
    def test_a_persons_own_cell_is_the_persons(self) -> None:
        found = caller_of(running(ANNA), C1)
        assert found.is_person
        assert found.cell == C1
        assert found.config.directory == "/home/anna/loom"

    @pytest.mark.parametrize("cell", [None, C2, CellId("nobody")])
    def test_only_the_running_cell_can_call_as_itself(self, cell: CellId | None) -> None:
        found = caller_of(running(ANNA), cell)
        assert not found.is_person
        assert found.cell is None

    def test_between_cells_nobody_is_a_person(self) -> None:
        assert not caller_of(
            given(*RUNNING, r.CellEnded(1, C1, r.Succeeded(), 0.1)).state, C1
        ).is_person
        assert not caller_of(given().state, None).is_person

    def test_an_agents_cell_is_judged_by_the_rules_for_that_agent(self) -> None:
        found = caller_of(running(BOT), C1)
        assert (found.is_person, found.agent, found.cell) == (False, "bot", C1)

    def test_what_was_allowed_to_the_sessions_agent_is_not_allowed_to_another(self) -> None:
        state = with_grants(running(BOT))
        assert caller_of(state, C1).grants == ()
        of_agent = with_grants(running(state.talk.agent))
        assert caller_of(of_agent, C1).grants == (GRANT,)

    def test_no_rule_is_looked_up_by_the_name_that_a_client_gave_itself(self) -> None:
        found = caller_of(with_grants(running(CLIENT)), C1)
        assert (found.is_person, found.agent, found.grants) == (False, "", ())

    def test_a_cell_that_is_replayed_is_not_the_persons_who_has_it_replayed(self) -> None:
        state = running(ANNA)
        assert isinstance(state.phase, Evaluating)
        again = Evaluating(replace(state.phase.current, replays=CellId("c9")))
        found = caller_of(replace(state, phase=again), C1)
        assert not found.is_person
        assert found.cell == C1

    def test_among_walls_a_person_is_trusted_until_somebody_else_has_run_code(self) -> None:
        alone = running(ANNA)
        assert caller_of(alone, C1, contained=True).is_person
        ended = r.CellEnded(1, C1, r.Succeeded(), 0.1)
        shared = given(*READY, said(c.RunCell("1"), by=BOT), ended, c.RunCell("2")).state
        assert not caller_of(shared, C2, contained=True).is_person
        assert caller_of(shared, C2, contained=False).is_person

    def test_an_emptied_interpreter_is_still_shared(self) -> None:
        ended = r.CellEnded(1, C1, r.Succeeded(), 0.1)
        script = given(*READY, said(c.RunCell("1"), by=BOT), ended, c.ResetSession())
        script.happened(r.WorkerReady(2, 0.1), c.RunCell("2"))
        assert not caller_of(script.state, C2, contained=True).is_person


class TestWhatIsSaid:
    agent = Caller(SessionConfig(), C1, "bot")

    def test_a_person_may_what_no_rule_denies(self) -> None:
        person = replace(self.agent, is_person=True)
        assert said_to(person, (ASKED, ALLOWED)) == Said(Verdict.ALLOW, BY_PERSON)
        assert said_to(person, (ASKED, DENIED)).verdict is Verdict.DENY

    def test_anyone_else_is_asked_about_unless_rules_allow(self) -> None:
        assert said_to(self.agent, (ALLOWED,)) == Said(Verdict.ALLOW, "a rule")
        assert said_to(self.agent, (ALLOWED, ASKED)) == Said(Verdict.ASK, "mill__turn turn")
        denied = said_to(self.agent, (ASKED, DENIED))
        assert denied == Said(Verdict.DENY, "mill__turn turn (another rule)")

    def test_what_was_allowed_for_the_session_is_allowed_and_never_beats_a_denial(self) -> None:
        granted = replace(self.agent, grants=(GRANT,))
        assert said_to(granted, (ASKED,)) == Said(Verdict.ALLOW, FOR_SESSION)
        assert said_to(granted, (DENIED,)).verdict is Verdict.DENY


class TestWhatIsKept:
    called = e.CellToolCalled("mill__turn", Verdict.ALLOW, C1, "{}", "a rule", 0.5, "broken")

    def test_a_call_of_the_running_cell_is_kept_on_behalf_of_who_runs_it(self) -> None:
        given(*READY, said(c.RunCell("1"), by=BOT)).when(USED).then(self.called).owed_to(
            ("i3", BOT)
        )

    def test_one_of_a_cell_that_has_ended_meanwhile_is_kept_on_nobodys(self) -> None:
        script = given(*RUNNING, r.CellEnded(1, C1, r.Succeeded(), 0.1))
        script.when(USED).then(self.called).owed_to(("i5", SYSTEM))

    @pytest.mark.parametrize("cell", [None, CellId("c7"), CellId("nobody")])
    def test_one_of_no_cell_says_so(self, cell: CellId | None) -> None:
        script = given(*RUNNING)
        script.when(replace(USED, cell=cell)).then(replace(self.called, cell=None))

    @pytest.mark.parametrize("way", [(), STOPPED, LOST])
    def test_where_there_is_no_interpreter_nothing_is_kept(
        self, way: tuple[c.Command, ...]
    ) -> None:
        given(*way).when(USED).ignored()

    def test_nor_of_another_interpreter(self) -> None:
        given(*RUNNING).when(replace(USED, generation=2)).ignored()

    def test_what_is_long_is_cut(self) -> None:
        script = given(*RUNNING)
        script.happened(replace(USED, arguments="x" * 9000, error="y" * 9000, by="z" * 9000))
        (kept,) = [one.event for one in script.facts if isinstance(one.event, e.CellToolCalled)]
        assert (len(kept.arguments), len(kept.error), len(kept.by)) == (2000, 2000, 300)
