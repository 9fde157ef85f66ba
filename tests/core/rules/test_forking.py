"""Beginning another session from this one; and when that is refused."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import (
    ANNA,
    BOT,
    CONFIG,
    CREATED,
    LOST,
    READY,
    RUNNING,
    SESSION,
    STOPPED,
    WAYS,
    Spoken,
    after,
    given,
    said,
)
from tests.contracts.taking import TRYING, UNDOING

from hearth.core.rules.forking import MOST_FORKS, WAYS_OUT
from hearth.core.rules.recovery import resume
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import DAEMON_STREAM, BlockId, InputId, SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import NotNow
from hearth.core.vocabulary.undoing import ForkHow, UndoFor

TO = SessionId("session-d4e5f6")
B2 = BlockId("b2")
I3 = InputId("i3")
FORK = c.ForkSession(TO)
FORKING: tuple[Spoken, ...] = (*READY, FORK)
"""A fork is being made, as i3 wants it."""


def config(how: ForkHow, block: str = "", name: str = "") -> c.SessionConfig:
    """Of the fork of the session that all scripts are about, asked for as soon as it was ready."""
    asked = given(*READY).state.version
    point = c.ForkPoint(session=SESSION, block=BlockId(block), how=how, asked=asked)
    return replace(CONFIG, name=name, forked_from=point)


class TestHow:
    def test_at_the_newest_its_interpreter_is_a_copy(self) -> None:
        given(*READY).when(c.ForkSession(TO, name="other"), by=BOT).then(
            e.ForkRequested(TO, how=ForkHow.COPY, name="other"),
            effects=(fx.BranchSession(1, I3, TO, config(ForkHow.COPY, name="other")),),
        ).owed_to(("i3", BOT))

    def test_whose_cells_can_be_taken_back_stays_as_it_was_chosen(self) -> None:
        (branch,) = given(*READY, c.ChooseUndo(UndoFor.EVERYONE)).when(FORK).effects
        assert isinstance(branch, fx.BranchSession)
        assert branch.config.undo is UndoFor.EVERYONE

    def test_at_an_older_block_what_was_run_until_then_is_run_again(self) -> None:
        given(*READY).when(c.ForkSession(TO, B2)).then(
            e.ForkRequested(TO, B2, ForkHow.REPLAY),
            effects=(fx.BranchSession(1, I3, TO, config(ForkHow.REPLAY, "b2"), before=3),),
        )

    def test_at_the_newest_all_that_was_run_is_run_again_if_that_is_wanted(self) -> None:
        version = given(*READY).state.version
        outcome = given(*READY).when(c.ForkSession(TO, how=ForkHow.REPLAY))
        (branch,) = outcome.effects
        assert isinstance(branch, fx.BranchSession)
        assert branch.before == version + 1

    def test_one_with_nothing_in_it_needs_nothing(self) -> None:
        (branch,) = given(*READY).when(c.ForkSession(TO, B2, ForkHow.NEW)).effects
        assert branch == fx.BranchSession(1, I3, TO, config(ForkHow.NEW, "b2"))

    @pytest.mark.parametrize("phase", PhaseName)
    @pytest.mark.parametrize("how", [ForkHow.REPLAY, ForkHow.NEW])
    def test_what_needs_no_copy_is_made_whatever_the_session_does(
        self, phase: PhaseName, how: ForkHow
    ) -> None:
        script = given(*WAYS[phase])
        outcome = script.when(c.ForkSession(TO, how=how))
        assert [type(one.event) for one in outcome.facts] == [e.ForkRequested]
        assert script.state.phase_name is phase, "the parent is untouched"


class TestRefused:
    @pytest.mark.parametrize("to", ["", "a b", "../up", "a" * 65, SESSION, DAEMON_STREAM])
    def test_what_cannot_be_its_id(self, to: str) -> None:
        refusal = given(*READY).when(c.ForkSession(SessionId(to))).refused(NotNow)
        assert repr(to) in refusal.why

    def test_a_second_one_of_the_same_id(self) -> None:
        script = given(*FORKING)
        refusal = script.when(c.ForkSession(TO, how=ForkHow.NEW)).refused(NotNow)
        assert "being made already" in refusal.why
        assert script.when(c.ForkSession(SessionId("another"))).facts

    @pytest.mark.parametrize(
        ("command", "why"),
        [
            (c.ForkSession(TO, BlockId("17")), "is no block's id"),
            (c.ForkSession(TO, BlockId("b999")), "there is no block b999"),
            (c.ForkSession(TO, BlockId("b2@other")), "was said in other"),
            (c.ForkSession(TO, B2, ForkHow.COPY), "as it is now, not as it was"),
        ],
    )
    def test_a_place_it_cannot_begin_at(self, command: c.ForkSession, why: str) -> None:
        refusal = given(*READY).when(command).refused(NotNow, command="fork_session")
        assert why in refusal.why

    @pytest.mark.parametrize("block", ["b999", f"b999@{SESSION}"])
    def test_what_is_no_block_of_a_fork_may_be_one_of_before_it_branched_off(
        self, block: str
    ) -> None:
        point = c.ForkPoint(SessionId("session-one"))
        fork = given(c.CreateSession(replace(CONFIG, forked_from=point)), *READY[1:])
        refusal = fork.when(c.ForkSession(TO, BlockId(block))).refused(NotNow)
        assert refusal.why == f"there is no block {block} in its conversation"
        assert refusal.remedy[-1].endswith("like b17@session-one")

    def test_two_wishes_for_the_same_id_are_told_apart(self) -> None:
        first, second = (
            given(*way).when(FORK).effects[0]
            for way in (READY, (*FORKING, r.ForkEnded(I3, problem="it cannot be")))
        )
        assert isinstance(first, fx.BranchSession)
        assert isinstance(second, fx.BranchSession)
        assert first.config.forked_from != second.config.forked_from

    def test_the_conversation_of_another_session_can_be_gone_on_with_alone(self) -> None:
        command = c.ForkSession(TO, BlockId("b2@other"), ForkHow.NEW)
        assert given(*READY).when(command).facts

    @pytest.mark.parametrize("way", [RUNNING, TRYING, UNDOING, CREATED, LOST, STOPPED])
    def test_a_copy_of_an_interpreter_that_is_not_idle(self, way: tuple[Spoken, ...]) -> None:
        refusal = given(*way).when(FORK).refused(NotNow, command="fork_session")
        assert "cannot be copied" in refusal.why
        assert refusal.remedy == WAYS_OUT

    def test_more_than_can_be_made_at_once(self) -> None:
        forks = [c.ForkSession(SessionId(f"fork-{place}")) for place in range(MOST_FORKS)]
        script = given(*READY, *forks)
        assert str(MOST_FORKS) in script.when(FORK).refused(NotNow).why
        script.happened(r.ForkEnded(I3))
        assert script.when(FORK).facts


class TestEnds:
    def test_whoever_asked_is_told_what_it_is_and_what_did_not_come_along(self) -> None:
        script = given(*READY, said(FORK, by=BOT))
        script.when(r.ForkEnded(I3, ForkHow.REPLAY, "failed this time: c2", name="loom-2")).then(
            e.SessionForked(TO, ForkHow.REPLAY, "failed this time: c2", "loom-2")
        ).owed_to(("i3", BOT))
        assert script.state.undo.forking == ()
        script.when(r.ForkEnded(I3)).ignored()

    def test_that_there_is_none_is_told_with_what_is_in_the_way(self) -> None:
        script = given(*FORKING)
        ended = r.ForkEnded(I3, problem="it cannot be", obstacles=("a thread",), remedy=WAYS_OUT)
        script.when(ended).then(e.ForkFailed(TO, "it cannot be", ("a thread",), WAYS_OUT)).owed_to(
            ("i3", ANNA)
        )
        assert script.when(FORK).facts, "it can be asked for again"

    def test_so_is_that_nobody_could_even_try(self) -> None:
        script = given(*FORKING)
        failed = r.EffectFailed(script.effects[-1], "no performer")
        assert script.when(failed).facts[0].event == e.ForkFailed(TO, "no performer")

    def test_each_of_several_has_its_own_end(self) -> None:
        other = SessionId("another")
        script = given(*FORKING, said(c.ForkSession(other), by=BOT))
        script.when(r.ForkEnded(InputId("i4"))).then(e.SessionForked(other, ForkHow.COPY)).owed_to(
            ("i4", BOT)
        )
        assert [one.to for one in script.state.undo.forking] == [TO]
        given(*FORKING).when(r.ForkEnded(InputId("nobody"))).ignored()

    @pytest.mark.parametrize(
        "word",
        [c.RunCell("x"), c.HardResetSession(), c.StopSession(), r.WorkerLost(1, r.Exit.CLEAN, "")],
    )
    def test_it_ends_whatever_happens_to_this_session_meanwhile(
        self, word: c.Command | r.Report
    ) -> None:
        script = given(*FORKING, word)
        assert [one.to for one in script.state.undo.forking] == [TO]
        script.when(r.ForkEnded(I3, problem="it ended")).then(e.ForkFailed(TO, "it ended"))


class TestRestart:
    def test_those_that_are_open_are_made_as_they_were_asked_for(self) -> None:
        script = given(*READY, FORK, c.ForkSession(SessionId("another"), B2))
        attach, *made = resume(script.state, after(60))
        assert isinstance(attach, fx.AttachWorker)
        assert made == script.effects[-2:]

    def test_also_where_there_is_no_interpreter(self) -> None:
        script = given(*STOPPED, c.ForkSession(TO, how=ForkHow.NEW))
        assert list(resume(script.state, after(60))) == script.effects[-1:]

    def test_one_that_has_ended_is_not_made_again(self) -> None:
        script = given(*FORKING, r.ForkEnded(I3))
        assert [type(one) for one in resume(script.state, after(60))] == [fx.AttachWorker]
