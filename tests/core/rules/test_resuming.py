from datetime import datetime, timedelta

import pytest
from tests.samples.examples import NOON

from hearth.core.rules.conversation_state import Conversation, OpenTurn, Rewind
from hearth.core.rules.resuming import Kept, superseded
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import InputId, SessionId, TurnId
from hearth.core.vocabulary.origin import Actor, Origin


def kept(  # a session per line
    session: str,
    config: SessionConfig,
    used: datetime | None = NOON,
    *,
    stopped: bool = False,
) -> Kept:
    return Kept(SessionState(SessionId(session), config=config, stopped=stopped), used)


A = SessionConfig(directory="/a")
B = SessionConfig(directory="/b")


@pytest.mark.promise("SF-ISO-13")
def test_of_five_in_two_directories_the_two_used_last_are_kept() -> None:
    sessions = [
        kept("a1", A, NOON),
        kept("a2", A, NOON + timedelta(seconds=2)),
        kept("a3", A, NOON + timedelta(seconds=1)),
        kept("b1", B, None),
        kept("b2", B, NOON),
    ]
    assert superseded(sessions) == {"a1", "a3", "b1"}
    assert superseded(reversed(sessions)) == {"a1", "a3", "b1"}


@pytest.mark.promise("DP-PERM-13")
def test_one_whose_agent_works_or_waits_for_a_person_is_kept_however_long_ago_it_was_used() -> None:
    turn = OpenTurn(TurnId("t1"), InputId("i1"), Origin(Actor.PERSON, "anna"))
    rewind = Rewind(InputId("i1"), Origin(Actor.PERSON, "anna"), "b1")
    sessions = [
        Kept(SessionState(SessionId("a1"), config=A, talk=Conversation(open=turn)), NOON),
        Kept(SessionState(SessionId("a2"), config=A, talk=Conversation(rewind=rewind)), NOON),
        kept("a3", A, NOON + timedelta(seconds=1)),
        kept("a4", A, NOON + timedelta(seconds=2)),
    ]
    assert superseded(sessions) == {"a3"}
    assert superseded(reversed(sessions)) == {"a3"}


def test_another_name_project_or_language_is_no_twin() -> None:
    sessions = [
        kept("a1", A),
        kept("a2", SessionConfig(directory="/a", name="mine")),
        kept("a3", SessionConfig(directory="/a", projects=("x",))),
        kept("a4", SessionConfig(directory="/a", interpreter="bash")),
    ]
    assert superseded(sessions) == frozenset()


def test_sessions_that_were_stopped_or_have_no_directory_are_left_alone() -> None:
    nowhere = SessionConfig()
    sessions = [
        kept("a1", A, stopped=True),
        kept("a2", A),
        kept("n1", nowhere),
        kept("n2", nowhere),
        Kept(SessionState(SessionId("never-started")), NOON),
    ]
    assert superseded(sessions) == frozenset()
