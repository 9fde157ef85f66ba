"""Having the files back as they were: asked for, done or only compared, undone."""

from tests.contracts.given import ANNA, CONFIG, given
from tests.contracts.talks import IDLE, prepared

from hearth.core.rules.recovery import resume_talk
from hearth.core.rules.refusing_prompts import ELSEWHERE
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.commands import StopSession
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.judging import ProjectRewound, RewindProject
from hearth.core.vocabulary.permitting import Kept
from hearth.core.vocabulary.refusals import Malformed, NotNow
from hearth.core.vocabulary.reports import EffectFailed

ASKED = InputId(f"i{len(IDLE) + 1}")
KEPT, BEFORE = Kept("/home/anna/loom", "t1"), Kept("/home/anna/loom", "t2")
CHANGES = (PathChange("a.py", ChangeKind.CHANGED, 1, 2),)


def test_files_are_rewound_to_what_they_were_when_something_was_said() -> None:
    script = given(*IDLE)
    outcome = script.when(p.RewindFiles("b8"))
    outcome.then(d.RewindRequested("b8"), effects=(RewindProject(ASKED, CONFIG, 8),))
    done = script.when(ProjectRewound(ASKED, CHANGES, KEPT, BEFORE, 3))
    done.then(d.FilesRewound(CHANGES, KEPT, BEFORE, 3)).owed_to((ASKED, ANNA))
    assert script.state.talk.before_rewind == BEFORE


def test_a_preview_changes_nothing_and_says_what_would_be() -> None:
    script = given(*IDLE)
    script.when(p.RewindFiles("b8", preview=True)).then(
        d.RewindRequested("b8", preview=True),
        effects=(RewindProject(ASKED, CONFIG, 8, preview=True),),
    )
    script.when(ProjectRewound(ASKED, CHANGES, KEPT)).then(d.FilesCompared(CHANGES, KEPT))
    assert script.state.talk.before_rewind is None


def test_a_rewind_can_be_undone_and_that_too() -> None:
    script = given(*IDLE)
    script.when(p.RewindFiles()).refused(NotNow)
    script.happened(p.RewindFiles("b8"))
    name = script.state.talk.rewind.cause  # type: ignore[union-attr]  # it is under way
    script.happened(ProjectRewound(name, CHANGES, KEPT, BEFORE))
    undone = script.when(p.RewindFiles())
    (effect,) = undone.effects
    assert isinstance(effect, RewindProject)
    assert effect.kept == BEFORE
    script.happened(ProjectRewound(effect.question, CHANGES, BEFORE, KEPT))
    assert script.state.talk.before_rewind == KEPT


def test_a_second_rewind_that_changes_nothing_does_not_take_the_undo_of_the_first_away() -> None:
    script = given(*IDLE, p.RewindFiles("b8"), ProjectRewound(ASKED, CHANGES, KEPT, BEFORE))
    script.happened(p.RewindFiles("b8"))
    name = script.state.talk.rewind.cause  # type: ignore[union-attr]  # it is under way
    script.when(ProjectRewound(name, (), KEPT, KEPT)).then(d.FilesRewound((), KEPT))
    assert script.state.talk.before_rewind == BEFORE


def test_one_that_failed_before_it_changed_anything_does_not_either() -> None:
    script = given(*IDLE, p.RewindFiles("b8"), ProjectRewound(ASKED, CHANGES, KEPT, BEFORE))
    script.happened(p.RewindFiles("b8"))
    name = script.state.talk.rewind.cause  # type: ignore[union-attr]  # it is under way
    failed = ProjectRewound(name, (), KEPT, KEPT, problem="the disk is full")
    script.when(failed).then(d.RewindFailed("the disk is full"))
    assert script.state.talk.before_rewind == BEFORE


def test_a_problem_is_told_and_everything_can_be_gone_on_with() -> None:
    script = given(*IDLE, p.RewindFiles("b8"))
    script.when(ProjectRewound(ASKED, problem="git is not installed")).then(
        d.RewindFailed("git is not installed")
    )
    again = script.when(p.RewindFiles("b8"))
    (effect,) = again.effects
    failed = script.when(EffectFailed(effect, "nobody here can do this"))
    failed.then(d.RewindFailed("nobody here can do this"))
    script.when(ProjectRewound(ASKED)).ignored()


def test_what_is_said_meanwhile_waits_until_the_files_are_there() -> None:
    script = given(*IDLE, p.RewindFiles("b8"))
    queued = script.when(p.SendMessage("and now?"))
    assert [type(fact.event).__name__ for fact in queued.facts] == ["MessageQueued"]
    for command in (p.RewindFiles("b8"), p.SwitchBranch("b8"), p.ContinueTurn()):  # type: ignore[arg-type]  # a block's id
        script.when(command).refused(NotNow, why=ELSEWHERE)
    begun = script.when(ProjectRewound(ASKED, CHANGES, KEPT, BEFORE))
    assert [type(one) for one in begun.effects] == [m.PreparePrefix]
    script.happened(prepared(2))


def test_a_session_that_is_stopped_meanwhile_begins_no_turn_with_what_waits() -> None:
    script = given(*IDLE, p.RewindFiles("b8"), p.SendMessage("and now?"), StopSession())
    done = script.when(ProjectRewound(ASKED, CHANGES, KEPT, BEFORE))
    done.then(d.FilesRewound(CHANGES, KEPT, BEFORE))
    assert [one.text for one in script.state.talk.queue] == ["and now?"]


def test_what_is_no_block_is_malformed() -> None:
    given(*IDLE).when(p.RewindFiles("b")).refused(Malformed, path="$.to")
    given(*IDLE).when(p.RewindFiles("b999")).refused(NotNow)
    other = given(*IDLE).when(p.RewindFiles("b7@session-x")).refused(NotNow)
    assert "session-x" in other.why


def test_what_was_changed_before_it_failed_can_be_undone() -> None:
    script = given(*IDLE, p.RewindFiles("b8"))
    half = ProjectRewound(ASKED, CHANGES, before=BEFORE, problem="the disk is full")
    script.when(half).then(d.RewindFailed("the disk is full", CHANGES, BEFORE))
    assert script.state.talk.before_rewind == BEFORE


def test_a_rewind_that_was_under_way_when_the_daemon_ended_is_done_again() -> None:
    script = given(*IDLE, p.RewindFiles("b8"))
    assert resume_talk(script.state, script.facts[-1].at) == (RewindProject(ASKED, CONFIG, 8),)
