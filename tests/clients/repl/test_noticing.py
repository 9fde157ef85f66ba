"""What happens to a session is told in one line, with what helps."""

import pytest
from tests.clients.repl.telling_of import MINE, THEIRS, told

from hearth.clients.repl.noticing import noticed, noticed_live
from hearth.clients.repl.painting import Paint
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import progress as p
from hearth.core.vocabulary.answers import Difference, NotReloaded, Reloaded, Surroundings
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.failures import WorkerCrashed
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.phases import Rung

C = CellId("c1")


def line(event: e.Event, *, mine: bool = False) -> str:
    return noticed(told(event, MINE if mine else THEIRS), Paint(), is_mine=mine)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (e.RestartScheduled(1, 2.0), "another interpreter is started in 2.0 s"),
        (e.SessionReset(), "the variables are gone (bot (agent, mcp))"),
        (e.SessionRenamed("lo\x1b[2Jom"), "the session is called loom now (bot (agent, mcp))"),
        (e.EnvironmentChanged("f2", {}, stale=3), "3 earlier results no longer hold"),
        (e.EnvironmentChanged("f2", {}), ""),
        (e.CellStopTried(C, Rung.INTERRUPT), "stopping c1: it was interrupted"),
        (e.CellWithdrawn(C, "the session was reset"), "c1 was not run: the session was reset"),
        (e.CellCancelRequested(C, 1), "bot (agent, mcp) asks c1 to stop"),
        (e.ReplayStarted(SessionId("lo\x1b[2Jom")), "bot (agent, mcp) replays the cells of loom"),
        (e.SourcesReloaded(), ""),
        (e.SourcesReloaded((Reloaded("loom.a", "a.py"),)), "reloaded loom.a"),
        (
            e.SourcesReloaded(failed=(NotReloaded("a.py", message="no", line=3),)),
            "kept the old version of a.py:3: no",
        ),
        (e.SessionWarmUpCompleted(0.1), ""),
        (e.SessionWarmUpCompleted(0.1, ("init.py failed",)), "init.py failed"),
        (
            e.SessionWarmUpCompleted(
                0.1, surroundings=Surroundings(language="python", version="3.11.9")
            ),
            "Python 3.11.9 is ready",
        ),
        (e.SessionStarted(SessionConfig()), ""),
        (e.CompletionsReturned(), ""),
    ],
)
def test_each_event_has_its_line(event: e.Event, said: str) -> None:
    assert line(event) == said


def test_what_one_did_oneself_is_told_without_ones_name() -> None:
    assert line(e.SessionHardReset(), mine=True) == "the interpreter is replaced"
    assert line(e.CellCancelRequested(C, 1), mine=True) == ""


def test_a_lost_interpreter_is_told_with_what_went_with_it_and_what_helps() -> None:
    said = line(e.SessionFaulted(WorkerCrashed("killed by signal 9", names=("x", "y"))))
    assert "the interpreter died: killed by signal 9" in said
    assert "lost with it: x, y" in said
    assert said.endswith(".hard-reset starts another interpreter")


def test_a_replay_tells_what_came_of_it() -> None:
    event = e.SessionReplayed(
        ran=("c1", "c2"),
        skipped=("c3",),
        differing=(Difference("c1", "1", "2"),),
        missing=("loom",),
        problem="the end is missing",
    )
    assert line(event) == (
        "replayed: 2 run again, 1 left out, 1 different\nmissing: loom\nthe end is missing"
    )
    assert line(e.SessionReplayed()) == "replayed: nothing to run"


def test_a_daemon_that_came_back_says_whether_the_names_are_there() -> None:
    assert "lived on" in noticed_live(p.SessionResumed(adopted=True), Paint())
    assert ".replay" in noticed_live(p.SessionResumed(adopted=False), Paint())
    assert noticed_live(p.StoreWarning(3, "the disk is full"), Paint()) == "the disk is full"


@pytest.mark.parametrize("rung", Rung)
def test_every_rung_is_shown(rung: Rung) -> None:
    assert line(e.CellStopTried(C, rung)).startswith("stopping c1: ")
