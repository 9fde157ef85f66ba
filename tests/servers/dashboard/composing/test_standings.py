"""What a session is doing, in words."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import LOST, RUNNING, STOPPED, after
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import failed, retrying, seen, talked

from hearth.core.views.status import Status
from hearth.core.views.talk import Approval, Talk
from hearth.core.vocabulary import failures as f
from hearth.core.vocabulary.commands import CreateSession
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import ApprovalId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.core.vocabulary.phases import InputQuestion
from hearth.servers.dashboard.composing.standings import (
    LONGEST,
    Kind,
    failure_words,
    name_of,
    short,
    standings,
)

ASKED = Approval(ApprovalId("a1"), (), "why", name="bash")


@pytest.mark.parametrize(
    ("stands", "kind", "words"),
    [
        (seen(), "ready", "ready"),
        (seen(*RUNNING), "running", "running c1"),
        (seen(*STOPPED), "off", "stopped"),
        (seen(CreateSession()), "running", "warming up"),
        (seen(*LOST), "bad", "faulted: the interpreter died: it left"),
        (talked(Played().says("hi")), "running", "agent working, step 1"),
        (talked(retrying()), "running", "retrying in because too busy"),
        (talked(failed()), "bad", "the last turn failed: no key"),
    ],
)
def test_each_state_has_its_words(stands: tuple[Status, Talk], kind: Kind, words: str) -> None:
    (now,) = standings(*stands)
    assert now.kind == kind
    assert words in now.said


def test_a_running_cell_says_since_when_and_a_pause_until_when() -> None:
    assert standings(*seen(*RUNNING))[0].since is not None
    assert standings(*talked(retrying()))[0].until is not None
    lost, talk = seen(*LOST)
    comes_back = standings(replace(lost, restart_due=after(9)), talk)[0]
    assert comes_back.words.endswith("it left; starting again in")
    assert comes_back.until == after(9)
    assert standings(*seen())[0].since is standings(*seen())[0].until is None


def test_whoever_else_runs_a_cell_is_named() -> None:
    status, talk = seen(*RUNNING)
    assert status.current is not None
    other = replace(status.current, origin=Origin(Actor.AGENT, "bot"))
    assert standings(replace(status, current=other), talk)[0].said == "running c1 for bot"


def test_what_waits_for_a_person_comes_first() -> None:
    status, talk = seen(*RUNNING)
    assert status.current is not None
    asking = replace(status.current, question=InputQuestion("how many?"))
    asks = replace(status, current=asking)
    (now,) = standings(asks, talk)
    assert (now.kind, now.words) == ("needs", "waiting for you: c1 asks how many?")
    first, second = standings(status, replace(talk, approvals=(ASKED, ASKED)))
    assert first.kind == "needs"
    assert first.words == "waiting for you: the agent wants to use bash, and 1 more"
    assert second.words == "running c1"


def test_a_conversation_that_is_made_shorter_says_so() -> None:
    status, talk = talked(Played().says("hi"))
    assert standings(status, replace(talk, compacting=True))[0].words.startswith("compacting")


def test_an_agent_whose_interpreter_is_gone_shows_both_the_graver_first() -> None:
    status, _ = seen(*LOST)
    _, talk = talked(Played().says("hi"))
    assert [one.kind for one in standings(status, talk)] == ["bad", "running"]


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (f.CodeRaised("ValueError", "no"), "ValueError: no"),
        (f.TimedOut(2.5, 3), "it took longer than 2.5 s"),
        (f.Interrupted("power"), "cut off: power"),
        (f.WorkerCrashed("signal 9"), "the interpreter died: signal 9"),
        (f.WarmUpFailed(Blob("0" * 64, 9, head="no uv")), "it could not be started: no uv"),
        (f.ProjectNotFound("/x"), "there is no project at /x"),
        (f.CheckFailed(()), "not run:"),
    ],
)
def test_every_failure_is_one_line(failure: f.Failure, words: str) -> None:
    assert failure_words(failure) == words


def test_what_others_wrote_is_one_line_and_not_long() -> None:
    assert short("a\n b\t c") == "a b c"
    assert len(short("x" * 1_000_000)) == LONGEST
    assert name_of(Origin(Actor.SYSTEM)) == "hearth"
    assert name_of(Origin(Actor.PERSON, "anna")) == "anna"
