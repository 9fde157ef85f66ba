"""What is offered is what the session takes; what it does not take says why."""

import pytest
from hypothesis import given as whenever
from msgspec.structs import replace
from tests.contracts.any_order import Line, lines, play
from tests.contracts.given import LOST, RUNNING, STOPPED
from tests.contracts.playing_talks import Talk as Played
from tests.servers.dashboard.composing.reading import failed, retrying, seen, talked

from hearth.core.rules.refusing import refusal_of
from hearth.core.rules.session import SessionState
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.status import Status, status
from hearth.core.views.talk import Talk
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import Segment
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.servers.dashboard.composing.offers import (
    BUSY,
    NOTHING_SAID,
    SITUATIONS,
    Offer,
    is_queueing,
    others,
    stopping,
    why_not_edit,
    why_not_run,
)

ALWAYS = {"hard-reset", "stop-session"}
SAID = {"regenerate", "continue", "compact"}


def everything(status: Status, talk: Talk) -> tuple[Offer, ...]:
    return (*stopping(status, talk), *others(status, talk))


def possible(stands: tuple[Status, Talk]) -> set[str]:
    return {one.name for one in everything(*stands) if not one.why_not}


@pytest.mark.promise("SF-DASH-03")
@pytest.mark.parametrize(
    ("stands", "names"),
    [
        (seen(), {*ALWAYS, "reset", "replay"}),
        (seen(*RUNNING), {*ALWAYS, "stop-cell"}),
        (seen(c.CreateSession()), ALWAYS),
        (seen(*LOST), {*ALWAYS, "reset"}),
        (seen(*STOPPED), {"hard-reset"}),
        (talked(Played().says("hi")), {*ALWAYS, "stop-agent", "reset", "replay"}),
        (talked(retrying()), {*ALWAYS, "stop-agent", "reset", "replay"}),
        (talked(Played().says("hi").answers("yes")), {*ALWAYS, *SAID, "reset", "replay"}),
        (talked(failed()), {*ALWAYS, *SAID, "reset", "replay"}),
    ],
)
def test_each_state_offers_what_it_takes(stands: tuple[Status, Talk], names: set[str]) -> None:
    assert possible(stands) == names


@pytest.mark.promise("SF-DASH-03")
@whenever(lines())
def test_nothing_is_offered_that_the_session_would_refuse(script: list[Line]) -> None:
    played = play(script)
    kept = SessionFold(SessionState(played.state.session))
    for fact in played.facts:
        kept = fold(kept, fact)
    if kept.state.config is None:
        return  # nobody sees a session that was never begun
    now = status(kept)
    for offer in everything(now, kept.talk):
        if not offer.why_not:
            assert refusal_of(played.state, offer.command) is None, offer.name
    cancels = stopping(now, kept.talk)[0]
    assert (not cancels.why_not) == (now.state is PhaseName.EVALUATING)
    refused = refusal_of(played.state, c.RunCell("1", may_ask=True, if_busy="queue"))
    if not why_not_run(now):
        assert refused is None or now.waiting
    else:
        assert refused is not None


@pytest.mark.parametrize("talk", [Played(), Played().says("a"), retrying(), failed()])
def test_what_is_asked_of_the_agent_is_taken_as_it_is_offered(talk: Played) -> None:
    for offer in everything(*talked(talk)):
        refused = refusal_of(talk.state, offer.command)
        assert (refused is None) == (not offer.why_not), offer.name


def test_a_button_that_stops_something_stops_that_and_nothing_later() -> None:
    cell, _ = stopping(*seen(*RUNNING))
    assert isinstance(cell.command, c.CancelCell)
    assert cell.command.cell == "c1"
    _, agent = stopping(*talked(Played().says("hi")))
    assert isinstance(agent.command, p.CancelTurn)
    assert agent.command.turn == "t1"


def test_what_cannot_be_done_says_why() -> None:
    reasons = {one.name: one.why_not for one in everything(*seen(*RUNNING)) if one.why_not}
    assert reasons["reset"] == SITUATIONS[PhaseName.EVALUATING]
    assert reasons["stop-agent"] == "the agent is idle"
    assert reasons["regenerate"] == NOTHING_SAID
    assert why_not_edit(talked(Played().says("hi"))[1]) == BUSY


def test_a_replay_needs_an_interpreter_in_which_nothing_ran() -> None:
    status, talk = seen()
    used = tuple(one for one in status.available if one is not Affordance.REPLAY_SESSION)
    (replay,) = [
        one for one in others(replace(status, available=used), talk) if one.name == "replay"
    ]
    assert "fresh interpreter" in replay.why_not


def test_a_prompt_that_was_summed_up_is_not_answered_anew() -> None:
    _, talk = talked(Played().says("hi").answers("yes"))
    assert "regenerate" in possible((seen()[0], talk))
    line = replace(talk.line, since=10**6)
    gone = replace(talk, line=line)
    assert "regenerate" not in possible((seen()[0], gone))
    assert "continue" in possible((seen()[0], gone))
    kept = replace(talk, line=replace(line, segments=(Segment(1, 10**6 - 1),)))
    assert "regenerate" in possible((seen()[0], kept))
    other = replace(line, prompt=BlockId("b3@elsewhere"), segments=(Segment(1, 9),))
    assert "regenerate" not in possible((seen()[0], replace(talk, line=other)))


def test_code_may_wait_for_an_interpreter_that_comes_and_not_for_one_that_is_gone() -> None:
    assert not why_not_run(seen(c.CreateSession())[0])
    assert is_queueing(seen(c.CreateSession())[0])
    assert not is_queueing(seen()[0])
    assert why_not_run(seen(*LOST)[0]) == SITUATIONS[PhaseName.FAULTED]
    assert why_not_run(seen(*STOPPED)[0]) == SITUATIONS[PhaseName.UNINITIALIZED]


def test_what_loses_something_is_asked_about_first() -> None:
    asked = {one.name for one in everything(*seen()) if one.confirm}
    assert asked == {"reset", "hard-reset", "stop-session"}
