"""Questions of every kind: answered by a report of their own kind, or told that none will come."""

import pytest
from tests.contracts.given import ANNA, BOT, READY, RUNNING, Script, Spoken, given, said

from hearth.core.rules.diagnosing import MOST_KNOWN
from hearth.core.rules.state import Asking
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import (
    Difference,
    Exploration,
    Inspection,
    NotReloaded,
    Reloaded,
    Variable,
)
from hearth.core.vocabulary.content import Completion, Diagnostic, Severity
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.origin import Actor, Door, Origin

ASKED = InputId("asked")
RELOADED, BROKEN = Reloaded("a", "/a.py", 0.1), NotReloaded("/b.py", "b", "SyntaxError", "no", 3)
KINDS: dict[Asking, tuple[c.Command, r.Report, e.Event]] = {
    Asking.COMPLETION: (
        c.CompleteCode("x", 1),
        r.CodeCompleted(ASKED, (Completion("xs"),)),
        e.CompletionsReturned((Completion("xs"),)),
    ),
    Asking.CHECK: (c.CheckCode("x", "a.py"), r.CodeChecked(ASKED), e.DiagnosticsChecked("a.py")),
    Asking.INSPECTION: (
        c.InspectCode("x", 1),
        r.CodeInspected(ASKED, Inspection(found=True, name="x")),
        e.InspectionReturned(Inspection(found=True, name="x")),
    ),
    Asking.VARIABLES: (
        c.ListVariables(),
        r.VariablesFound(ASKED, (Variable("x"),), 7),
        e.VariablesReturned((Variable("x"),), 7),
    ),
    Asking.EXPLORATION: (
        c.ExploreType("x"),
        r.MembersFound(ASKED, Exploration(found=True, name="x")),
        e.ExplorationReturned(Exploration(found=True, name="x")),
    ),
    Asking.RELOAD: (
        c.ReloadSources(("/a.py", "/b.py")),
        r.SourcesTaken(ASKED, (RELOADED,), (BROKEN,), 0.2),
        e.SourcesReloaded((RELOADED,), (BROKEN,), 0.2),
    ),
    Asking.REPLAY: (
        c.ReplaySession(),
        r.ReplayEnded(
            ASKED,
            ("c1", "c3"),
            ("c2",),
            ("c3",),
            ("c3",),
            (Difference("c1", "1", "2"),),
            ("yarn",),
            "why",
        ),
        e.SessionReplayed(
            ("c1", "c3"),
            ("c2",),
            ("c3",),
            ("c3",),
            (Difference("c1", "1", "2"),),
            ("yarn",),
            "why",
        ),
    ),
}


def asked(asking: Asking, way: tuple[Spoken, ...] = READY) -> Script:
    return given(*way, said(KINDS[asking][0], by=BOT, id_=ASKED))


def test_every_kind_of_question_is_here() -> None:
    assert set(KINDS) == set(Asking)


@pytest.mark.promise("SF-LOG-04", "SF-LOG-07")
@pytest.mark.parametrize("asking", Asking)
def test_a_question_is_answered_once_for_whoever_asked(asking: Asking) -> None:
    _, report, event = KINDS[asking]
    script = asked(asking)
    assert [(one.cause, one.asking) for one in script.state.questions] == [(ASKED, asking)]
    script.when(report).then(event).owed_to((ASKED, BOT))
    assert script.state.questions == ()
    script.when(report).ignored()


@pytest.mark.promise("SF-AFF-08")
@pytest.mark.parametrize("asking", sorted(set(Asking) - {Asking.REPLAY}))
def test_it_is_answered_while_a_cell_runs(asking: Asking) -> None:
    _, report, event = KINDS[asking]
    script = asked(asking, RUNNING)
    script.when(report).then(event).owed_to((ASKED, BOT))
    assert script.state.phase_name == "evaluating"


@pytest.mark.parametrize("asking", Asking)
def test_a_report_of_another_kind_answers_nobody(asking: Asking) -> None:
    script = asked(asking)
    for other, (_, report, _) in KINDS.items():
        if other is not asking:
            script.when(report).ignored()
    assert len(script.state.questions) == 1


@pytest.mark.parametrize("asking", Asking)
@pytest.mark.parametrize(
    ("word", "reason"),
    [
        (c.ResetSession(), "the session was reset"),
        (c.HardResetSession(), "the session was reset"),
        (c.StopSession(), "the session was stopped"),
        (r.WorkerLost(1, r.Exit.CRASH, "gone"), "the interpreter was lost"),
        (r.WorkerReady(1, 0.1, unanswered=(ASKED,)), "the daemon was restarted"),
    ],
    ids=("reset", "hard reset", "stopped", "lost", "daemon restarted"),
)
def test_whoever_waits_is_told_when_no_answer_will_come(
    asking: Asking, word: c.Command | r.Report, reason: str
) -> None:
    script = asked(asking)
    fact = script.when(word).facts[0]
    assert (fact.event, fact.cause, fact.origin) == (e.QuestionAbandoned(reason), ASKED, BOT)
    assert script.state.questions == ()
    script.when(KINDS[asking][1]).ignored()


@pytest.mark.parametrize("asking", Asking)
def test_a_question_that_could_not_even_be_put_is_abandoned(asking: Asking) -> None:
    script = asked(asking)
    failed = r.EffectFailed(script.effects[-1], "no memory")
    script.when(failed).then(e.QuestionAbandoned("no memory")).owed_to((ASKED, BOT))
    script.when(failed).ignored()


def finding(message: str, line: int = 1) -> Diagnostic:
    return Diagnostic(message, Severity.ERROR, line, 0, line, 1)


ONE, TWO = finding("no `x`"), finding("no `y`")


def checked(
    script: Script,
    *found: Diagnostic,
    file: str = "a.py",
    by: Origin = ANNA,
    full: bool = False,
) -> tuple[int, ...]:
    """Ask and answer; which of the findings are told as new."""
    script.happened(said(c.CheckCode("x", file, full), by=by))
    outcome = script.when(r.CodeChecked(script.state.questions[-1].cause, found))
    event = outcome.facts[0].event
    assert isinstance(event, e.DiagnosticsChecked)
    assert event.diagnostics == found
    return event.fresh


@pytest.mark.promise("SF-MCP-08")
class TestWhatIsNew:
    def test_the_first_time_all_of_it(self) -> None:
        assert checked(given(*READY), ONE, TWO) == (0, 1)

    def test_the_second_time_only_what_was_not_there(self) -> None:
        script = given(*READY)
        checked(script, ONE)
        assert checked(script, ONE) == ()
        assert checked(script, TWO, ONE) == (0,)
        assert checked(script, ONE, TWO) == ()

    def test_what_was_gone_and_came_back_is_new(self) -> None:
        script = given(*READY)
        checked(script, ONE)
        checked(script)
        assert checked(script, ONE) == (0,)

    def test_what_only_moved_is_not(self) -> None:
        script = given(*READY)
        checked(script, ONE)
        assert checked(script, finding("no `x`", line=9)) == ()

    def test_the_same_words_twice_are_two_findings(self) -> None:
        script = given(*READY)
        checked(script, ONE)
        assert checked(script, ONE, finding("no `x`", line=9)) == (1,)

    def test_all_of_it_on_request(self) -> None:
        script = given(*READY)
        checked(script, ONE, TWO)
        assert checked(script, ONE, TWO, full=True) == (0, 1)
        assert checked(script, ONE, TWO) == ()

    def test_each_caller_and_each_file_on_its_own(self) -> None:
        script = given(*READY)
        checked(script, ONE)
        assert checked(script, ONE, by=BOT) == (0,)
        assert checked(script, ONE, file="b.py") == (0,)
        assert checked(script, ONE, file="") == (0,)
        assert checked(script, ONE) == ()

    @pytest.mark.parametrize("word", [c.ResetSession(), c.HardResetSession()])
    def test_after_a_reset_everything_is_new(self, word: c.Command) -> None:
        script = given(*READY)
        checked(script, ONE)
        script.happened(word, r.WorkerReady(2, 0.1))
        assert script.state.known == ()
        assert checked(script, ONE) == (0,)

    def test_so_much_is_remembered_and_the_oldest_forgotten(self) -> None:
        script = given(*READY)
        for number in range(MOST_KNOWN + 1):
            checked(script, ONE, file=f"{number}.py")
        assert len(script.state.known) == MOST_KNOWN
        assert checked(script, ONE, file=f"{MOST_KNOWN}.py") == ()
        assert checked(script, ONE, file="0.py") == (0,)


def test_what_a_cell_found_saved_is_told_in_the_name_of_its_file() -> None:
    taken = given(*RUNNING).when(r.SourcesTaken(InputId(""), (RELOADED,), (BROKEN,), 0.1))
    assert [fact.event for fact in taken.facts] == [e.SourcesReloaded((RELOADED,), (BROKEN,), 0.1)]
    assert taken.facts[0].origin == Origin(Actor.FILE_WATCHER, "/a.py and 1 more", Door.WATCHER)
    assert given(*RUNNING).when(r.SourcesTaken(InputId(""))).facts == ()
    assert given(*RUNNING).when(r.SourcesTaken(InputId("who"), (RELOADED,))).facts == ()


def test_what_was_asked_of_the_new_daemon_is_not_abandoned_with_the_old_ones() -> None:
    script = asked(Asking.COMPLETION)
    script.when(r.WorkerReady(1, 0.1, unanswered=(InputId("before"),))).ignored()
    assert [one.cause for one in script.state.questions] == [ASKED]
