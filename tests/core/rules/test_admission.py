"""Who may do what, in whose name, and how often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.admission import (
    MAY,
    Act,
    Bucket,
    Credential,
    Rate,
    Standing,
    act_of,
    attributed,
    may,
    not_for,
    spend,
)
from hearth.core.vocabulary.commands import ChooseUndo, NoteSettings, ReturnTo, RunCell
from hearth.core.vocabulary.ids import ApprovalId
from hearth.core.vocabulary.origin import SYSTEM, Actor, Door, Origin
from hearth.core.vocabulary.prompting import (
    AnswerApproval,
    ApprovalAnswer,
    RewindFiles,
    SendMessage,
    SetServers,
)
from hearth.core.vocabulary.undoing import UndoFor

PERSON = Credential(Standing.PERSON, "ann")
AGENT = Credential(Standing.AGENT, "bot")
READER = Credential(Standing.READER, "wall")
RATE = Rate(10, 20)


def test_every_standing_is_in_the_table_and_each_may_less_than_the_one_before() -> None:
    assert set(MAY) == set(Standing)
    assert MAY[Standing.READER] < MAY[Standing.AGENT] < MAY[Standing.PERSON]
    assert MAY[Standing.PERSON] == set(Act)


def test_only_a_person_governs_and_a_reader_only_looks() -> None:
    assert [one for one in Standing if may(one, Act.GOVERN)] == [Standing.PERSON]
    assert [one for one in Standing if may(one, Act.WORK)] == [Standing.PERSON, Standing.AGENT]
    assert all(may(one, Act.LOOK) for one in Standing)


def test_what_the_settings_say_is_not_for_agents_to_tell() -> None:
    assert act_of(NoteSettings()) is Act.GOVERN
    assert act_of(RunCell("1+1")) is Act.WORK


def test_no_agent_allows_what_a_person_was_asked_for() -> None:
    yes = AnswerApproval(ApprovalId("a1"), ApprovalAnswer.ONCE)
    assert act_of(yes) is Act.GOVERN
    assert not may(Standing.AGENT, act_of(yes))
    assert may(Standing.AGENT, act_of(SendMessage("hello")))


@pytest.mark.promise("DP-PERM-13")
@pytest.mark.parametrize("actor", [one for one in Actor if one is not Actor.PERSON])
def test_by_no_door_does_anybody_else_answer_rewind_or_give_servers_for_a_person(
    actor: Actor,
) -> None:
    yes = AnswerApproval(ApprovalId("a1"), ApprovalAnswer.ONCE)
    chosen = ChooseUndo(UndoFor.NOBODY)
    for command in (yes, RewindFiles("b1"), SetServers(None), ReturnTo(), chosen):
        refusal = not_for(Origin(actor, "bot", Door.ENGINE), command)
        assert refusal is not None
        assert "'bot'" in refusal.why
        assert refusal.remedy
        assert not_for(Origin(Actor.PERSON, "ann"), command) is None
    assert not_for(Origin(actor, "bot"), SendMessage("hello")) is None


def test_the_daemon_tells_its_own_settings_and_no_agent_does() -> None:
    assert not_for(SYSTEM, NoteSettings()) is None
    assert not_for(Origin(Actor.AGENT, "bot"), NoteSettings()) is not None


def test_without_a_claim_a_person_is_who_the_token_says() -> None:
    assert attributed(PERSON, None) == Origin(Actor.PERSON, "ann", Door.HTTP)
    cookie = Credential(Standing.PERSON, "ann", Door.DASHBOARD)
    assert attributed(cookie, None) == Origin(Actor.PERSON, "ann", Door.DASHBOARD)


@pytest.mark.parametrize("actor", [Actor.PERSON, Actor.AGENT, Actor.MCP_CLIENT])
def test_a_persons_programs_speak_for_others_by_name(actor: Actor) -> None:
    claimed = Origin(actor, "someone", Door.REPL)
    assert attributed(PERSON, claimed) == claimed


@pytest.mark.parametrize("actor", [Actor.SYSTEM, Actor.FILE_WATCHER])
def test_nobody_outside_speaks_for_the_daemon(actor: Actor) -> None:
    for credential in (PERSON, READER):
        why = attributed(credential, Origin(actor, "x", Door.CLI))
        assert isinstance(why, str)
        assert actor in why


def test_a_claim_without_a_name_gets_the_credentials_name() -> None:
    claimed = Origin(Actor.PERSON, "", Door.CLI)
    assert attributed(PERSON, claimed) == Origin(Actor.PERSON, "ann", Door.CLI)


@pytest.mark.parametrize("actor", list(Actor))
def test_who_holds_an_agents_token_is_that_agent_whatever_they_say(actor: Actor) -> None:
    origin = attributed(AGENT, Origin(actor, "ann", Door.MCP))
    assert origin == Origin(Actor.AGENT, "bot", Door.MCP)
    assert attributed(AGENT, None) == Origin(Actor.AGENT, "bot", Door.HTTP)


def test_a_reader_is_shown_under_its_own_name() -> None:
    origin = attributed(READER, Origin(Actor.PERSON, "ann", Door.REPL))
    assert origin == Origin(Actor.PERSON, "wall", Door.REPL)


@pytest.mark.parametrize("name", ["a\nb", "x" * 201, "\x1b[31m"])
def test_a_name_that_could_do_something_is_not_taken(name: str) -> None:
    assert isinstance(attributed(PERSON, Origin(Actor.PERSON, name, Door.CLI)), str)


def test_a_burst_is_taken_and_then_so_many_a_second() -> None:
    bucket: Bucket | None = None
    for _ in range(20):
        bucket, early = spend(bucket, RATE, 100.0)
        assert early == 0
    bucket, early = spend(bucket, RATE, 100.0)
    assert early == pytest.approx(0.1)
    bucket, early = spend(bucket, RATE, 100.125)
    assert early == 0
    _, early = spend(bucket, RATE, 100.125)
    assert early > 0


def test_what_came_too_early_costs_nothing() -> None:
    empty = Bucket(0, 0)
    after, early = spend(empty, RATE, 0.0)
    assert after.left == 0
    assert early == pytest.approx(0.1)


@given(st.lists(st.floats(0, 5), max_size=200))
def test_never_is_more_taken_than_the_rate_allows(pauses: list[float]) -> None:
    now, taken, bucket = 0.0, 0, None
    for pause in pauses:
        now += pause
        bucket, early = spend(bucket, RATE, now)
        taken += not early
        assert 0 <= bucket.left <= RATE.burst
    assert taken <= RATE.burst + now * RATE.each_second + 1e-6


def test_a_clock_that_went_back_gives_nothing_away() -> None:
    bucket, early = spend(Bucket(0.5, 100.0), RATE, 50.0)
    assert early > 0
    assert bucket.left == 0.5
