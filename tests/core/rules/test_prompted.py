"""What people ask of an agent, and what follows."""

import pytest
from msgspec.structs import replace
from tests.contracts.given import ANNA, BOT, CONFIG, READY, RUNNING, given, said
from tests.contracts.talks import (
    AGENT,
    ASKING,
    CALLING,
    CHOICE,
    HELLO,
    IDLE,
    PREPARING,
    RETRYING,
    WAITING,
    answered,
    call,
    code,
    events,
    messages_on,
    names,
    prepared,
    returned,
    sealed,
    text,
    thought,
)

from hearth.core.rules.prompted import CANCELLED, CONTINUE, NEVER_RUN
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import (
    NoticeBlock,
    NoticeKind,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    Usage,
)
from hearth.core.vocabulary.ids import (
    ApprovalId,
    BlockId,
    CallId,
    CellId,
    MessageId,
    RequestId,
    SessionId,
    TurnId,
)
from hearth.core.vocabulary.lines import Line, Segment

T1, T2, K1, K2 = TurnId("t1"), TurnId("t2"), CallId("k1"), CallId("k2")
R1 = RequestId("r1")


@pytest.mark.promise("DP-TURN-03", "DP-TURN-07")
def test_a_message_to_an_idle_agent_begins_a_turn_with_one_block_of_the_person() -> None:
    given(*READY).when(HELLO).then(
        t.TurnStarted(T1),
        t.BlockSealed(BlockId("b8"), T1, 0, Role.USER, TextBlock("hello")),
        effects=(m.PreparePrefix(T1, CONFIG),),
    ).owed_to(("i3", ANNA), ("i3", ANNA))


def test_a_message_needs_no_interpreter_that_is_ready() -> None:
    for way in (READY[:1], RUNNING):
        given(*way).happened(HELLO)


@pytest.mark.promise("DP-TURN-02", "DP-TURN-05")
def test_a_message_to_a_busy_agent_waits_and_nothing_of_its_turn_changes() -> None:
    given(*ASKING).when(p.SendMessage("wait"), by=BOT).then(
        t.MessageQueued(MessageId("m1"), "wait")
    ).owed_to(("i5", BOT))


def test_who_will_not_wait_is_refused() -> None:
    refusal = given(*ASKING).when(p.SendMessage("now", if_busy="refuse")).decision
    assert "answering" in str(refusal)


@pytest.mark.promise("DP-TURN-05")
def test_what_waits_is_delivered_between_results_and_next_request_each_as_its_own_message() -> None:
    script = given(*CALLING, said(p.SendMessage("one"), by=BOT), p.SendMessage("two"))
    outcome = script.when(returned(1))
    assert names(outcome.facts) == [
        "BlockSealed",
        "BlockSealed",
        "MessageDelivered",
        "BlockSealed",
        "MessageDelivered",
        "ModelAsked",
    ]
    assert sealed(outcome.facts) == [
        ToolResultBlock(K1, "look", "done"),
        TextBlock("one"),
        TextBlock("two"),
    ]
    assert [fact.origin for fact in outcome.facts][:4] == [AGENT, BOT, BOT, ANNA]
    assert script.state.talk.queue == ()


@pytest.mark.promise("DP-TURN-06", "DP-TURN-03")
def test_what_still_waits_when_a_turn_ends_begins_the_next_one() -> None:
    script = given(*ASKING, p.SendMessage("one"), p.SendMessage("two"))
    outcome = script.when(answered(1, text("done")))
    assert names(outcome.facts)[2:] == [
        "TurnFinished",
        "TurnStarted",
        "BlockSealed",
        "MessageDelivered",
        "BlockSealed",
        "MessageDelivered",
    ]
    assert outcome.effects == (m.PreparePrefix(T2, CONFIG),)
    assert [fact.cause for fact in outcome.facts][2:4] == ["i3", "i5"]


@pytest.mark.promise("DP-TURN-05")
def test_a_message_that_waits_can_be_taken_back_and_is_never_delivered() -> None:
    script = given(*CALLING, p.SendMessage("one"), p.SendMessage("two"))
    script.when(p.WithdrawMessage(MessageId("m1"))).then(
        t.MessageWithdrawn(MessageId("m1"), "taken back")
    )
    script.happened(returned(1))
    said_by_people = [m.text for m in messages_on(script) if hasattr(m, "text")]
    assert said_by_people == ["hello", "two"]


@pytest.mark.promise("DP-TURN-08", "LK-CANC-01")
def test_cancelling_an_answer_stops_it_and_keeps_what_was_written() -> None:
    script = given(*ASKING)
    script.when(p.CancelTurn()).then(t.TurnCancelRequested(T1), effects=(m.StopAsking(R1),))
    outcome = script.when(m.ModelStopped(R1, (thought("hm", ""), text("I was"), code("x"))))
    assert sealed(outcome.facts) == [
        ThinkingBlock("hm", "", "anthropic:claude-test"),
        TextBlock("I was"),
        NoticeBlock(NoticeKind.CANCELLED, "cancelled"),
    ]
    assert [
        fact.event.partial for fact in outcome.facts if isinstance(fact.event, t.BlockSealed)
    ] == [
        True,
        True,
        False,
    ]
    assert outcome.facts[-1].event == t.TurnFinished(
        T1, t.TurnEnd.CANCELLED, 1, Usage(), "cancelled"
    )


@pytest.mark.promise("DP-TURN-08")
def test_an_answer_that_comes_after_the_cancel_runs_nothing() -> None:
    script = given(*ASKING, p.CancelTurn())
    outcome = script.when(answered(1, text("there"), code("x = 1")))
    assert "ToolStarted" not in names(outcome.facts)
    assert outcome.effects == ()
    assert script.state.talk.open is None


@pytest.mark.parametrize("way", [PREPARING, RETRYING], ids=("preparing", "retrying"))
def test_cancelling_what_only_waits_ends_the_turn_at_once(way: tuple[c.Command, ...]) -> None:
    script = given(*way)
    outcome = script.when(p.CancelTurn())
    assert names(outcome.facts) == ["TurnCancelRequested", "BlockSealed", "TurnFinished"]
    script.when(prepared()).ignored()


@pytest.mark.promise("DP-TURN-08", "DP-LOG-05", "DL-EVT-03")
def test_cancelling_tools_gives_each_its_result_and_stops_it() -> None:
    script = given(*ASKING, answered(1, code("loop"), code("later"), call("look")))
    outcome = script.when(p.CancelTurn())
    assert [one.result for one in sealed(outcome.facts) if isinstance(one, ToolResultBlock)] == [
        CANCELLED,
        CANCELLED,
        NEVER_RUN,
    ]
    assert e.CellWithdrawn(CellId("c2"), "cancelled") in [fact.event for fact in outcome.facts]
    assert outcome.effects == (fx.InterruptWorker(1, CellId("c1"), 1),)
    assert script.state.talk.open is None
    # The cell ends for itself; the call has its result already.
    after = script.when(r.CellEnded(1, CellId("c1"), r.Stopped(), 1.0))
    assert sealed(after.facts) == []


def test_cancelling_while_a_person_is_asked_runs_nothing() -> None:
    outcome = given(*WAITING).when(p.CancelTurn())
    result = sealed(outcome.facts)[0]
    assert isinstance(result, ToolResultBlock)
    assert result.result == NEVER_RUN
    assert outcome.effects == ()


def test_a_second_cancel_does_not_wait_any_more() -> None:
    script = given(*ASKING, p.CancelTurn(), p.CancelTurn())
    assert script.state.talk.open is None
    script.when(m.ModelStopped(R1, (text("late"),))).ignored()


@pytest.mark.promise("DP-MODEL-07")
def test_another_model_is_taken_at_the_next_step_and_said_in_the_turn() -> None:
    script = given(*CALLING)
    script.when(p.SetModel("openai:gpt-test")).then(t.ModelChanged("openai:gpt-test"))
    outcome = script.when(returned(1))
    assert outcome.effects == (m.PreparePrefix(T1, CONFIG, "openai:gpt-test"),)
    other = CHOICE.__class__("openai", "gpt-test", CHOICE.dialect, 100_000, 4_000)
    outcome = script.when(prepared(choice=other))
    assert names(outcome.facts) == ["PrefixStarted", "TurnPrepared", "BlockSealed", "ModelAsked"]
    started = events(outcome.facts, t.PrefixStarted)[0]
    assert isinstance(started, t.PrefixStarted)
    assert (started.epoch, started.reason) == (2, "model changed")


@pytest.mark.promise("LK-SCOPE-01")
def test_the_servers_that_are_chosen_stay_whatever_is_said_until_the_settings_say_again() -> None:
    script = given(*IDLE)
    outcome = script.when(p.SetServers(("docs",))).then(t.ServersChosen(("docs",)))
    assert outcome.effects == ()
    script.happened(p.SetModel("other"))
    script.happened(p.RegenerateTurn())
    kept = [script.state.talk.servers]
    script.when(p.SetServers(())).then(t.ServersChosen(()))
    kept.append(script.state.talk.servers)
    script.when(p.SetServers(None)).then(t.ServersChosen(None))
    kept.append(script.state.talk.servers)
    assert kept == [("docs",), (), None], "none is something else than nothing said"


@pytest.mark.promise("LK-ARCH-03")
def test_a_model_for_one_turn_is_not_that_of_the_next() -> None:
    script = given(*READY, p.SendMessage("hi", model="openai:gpt-test"))
    assert script.effects[-1] == m.PreparePrefix(T1, CONFIG, "openai:gpt-test")
    other = CHOICE.__class__("openai", "gpt-test", CHOICE.dialect, 100_000, 4_000)
    script.happened(prepared(choice=other), answered(1, text("done")), HELLO)
    assert script.effects[-1] == m.PreparePrefix(T2, CONFIG)


@pytest.mark.promise("LK-CMD-04")
def test_regenerating_answers_the_last_prompt_anew_and_keeps_the_old_answer() -> None:
    script = given(*IDLE)
    before = list(script.facts)
    outcome = script.when(p.RegenerateTurn())
    assert names(outcome.facts) == ["BranchSwitched", "TurnStarted"]
    assert script.facts[: len(before)] == before
    script.happened(prepared(2), answered(2, text("another")))
    said_now = messages_on(script)
    assert [type(one).__name__ for one in said_now] == ["UserMessage", "AssistantMessage"]
    assert "another" in str(said_now[1])
    assert "hello to you" not in str(said_now)


@pytest.mark.promise("LK-CMD-04")
def test_continuing_asks_the_model_to_go_on() -> None:
    script = given(*IDLE)
    outcome = script.when(p.ContinueTurn())
    assert sealed(outcome.facts) == [TextBlock(CONTINUE)]
    assert outcome.effects == (m.PreparePrefix(T2, CONFIG),)


@pytest.mark.promise("DP-COMP-04")
def test_a_summary_can_be_asked_for() -> None:
    script = given(*IDLE)
    begun = script.when(p.CompactConversation("names"))
    assert names(begun.facts) == ["TurnStarted"]
    assert begun.effects == (m.PreparePrefix(T2, CONFIG),)
    outcome = script.when(prepared(2))
    assert names(outcome.facts) == ["TurnPrepared", "CompactionStarted", "ModelAsked"]
    asked = outcome.effects[0]
    assert isinstance(asked, m.AskModel)
    assert (asked.purpose, asked.focus, asked.keep_recent_tokens) == ("summary", "names", 20_000)


@pytest.mark.promise("DL-MGR-06", "DP-COMP-04")
def test_a_summary_is_asked_of_the_model_that_is_in_force_now() -> None:
    # Not of the one that answered last: what is said on this branch may not be for its eyes.
    script = given(*IDLE, p.SetModel("other"), p.CompactConversation())
    assert script.effects[-1] == m.PreparePrefix(T2, CONFIG, model="other")
    other = replace(CHOICE, model="other")
    asked = script.when(prepared(2, choice=other)).effects[0]
    assert isinstance(asked, m.AskModel)
    assert (asked.choice, asked.purpose) == (other, "summary")
    assert asked.prefix == script.state.talk.prefix


@pytest.mark.parametrize("command", [p.RegenerateTurn(), p.ContinueTurn(), p.CompactConversation()])
def test_where_nothing_was_said_there_is_nothing_to_go_on_with(command: p.Prompt) -> None:
    refusal = given(*READY).when(command).decision
    assert "nothing has been said" in str(refusal)


def test_a_branch_is_looked_for_before_the_conversation_goes_on_from_it() -> None:
    script = given(*IDLE)
    line, version = script.state.talk.line, script.state.version
    script.when(p.SwitchBranch(BlockId("b8"))).then(
        t.BranchRequested(BlockId("b8")),
        effects=(m.FindBranch(script.facts[-1].cause, BlockId("b8"), line, version + 1),),
    )
    # Meanwhile nothing is said on the old one.
    script.when(p.SendMessage("and?")).then(t.MessageQueued(MessageId("m1"), "and?"))


@pytest.mark.promise("DP-SESS-01", "DL-MGR-05")
def test_a_fork_looks_for_its_point_in_the_other_session_and_copies_nothing() -> None:
    point = c.ForkPoint(SessionId("session-x"), BlockId("b4"))
    config = c.SessionConfig("/p", forked_from=point)
    script = given(c.CreateSession(config))
    found = script.effects[-1]
    assert isinstance(found, m.FindBranch)
    assert (found.source, found.block) == ("session-x", "b4")
    line = Line((Segment(1, 4, SessionId("session-x")),), 1, BlockId("b4@session-x"))
    old = t.BlockSealed(BlockId("b4"), T1, 0, Role.USER, TextBlock("hello"))
    outcome = script.when(m.BranchFound(found.question, old, line, Line(), model="m"))
    assert names(outcome.facts) == ["ConversationForked"]
    assert script.state.talk.model == "m"
    assert script.state.talk.line.segments == line.segments


def test_what_a_person_allows_is_run_and_what_they_refuse_is_told_to_the_agent() -> None:
    yes = given(*WAITING).when(p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.ONCE))
    assert [type(one) for one in yes.effects] == [m.RunTool]
    no = given(*WAITING).when(
        p.AnswerApproval(ApprovalId("a1"), p.ApprovalAnswer.REJECT, "look elsewhere")
    )
    result = sealed(no.facts)[0]
    assert isinstance(result, ToolResultBlock)
    assert result.is_error
    assert "look elsewhere" in str(result.result)
    assert [type(one) for one in no.effects] == [m.AskModel]


def test_with_its_session_an_agent_stops_and_what_waits_goes_on_waiting() -> None:
    script = given(*CALLING, p.SendMessage("later"))
    outcome = script.when(c.StopSession())
    assert "TurnFinished" in names(outcome.facts)
    assert script.state.talk.open is None
    assert [one.text for one in script.state.talk.queue] == ["later"]
    script.happened(p.SendMessage("again"))
    assert script.state.talk.queue == ()


@pytest.mark.promise("LK-ARCH-03")
def test_a_model_that_was_asked_for_while_waiting_is_that_of_the_turn_it_begins() -> None:
    script = given(*ASKING, p.SendMessage("next", model="openai:gpt-test"))
    outcome = script.when(answered(1, text("done")))
    assert outcome.effects == (m.PreparePrefix(T2, CONFIG, "openai:gpt-test"),)


def test_with_its_session_an_agent_that_asked_a_person_has_run_nothing() -> None:
    outcome = given(*WAITING).when(c.StopSession())
    result = sealed(outcome.facts)[0]
    assert isinstance(result, ToolResultBlock)
    assert result.result == NEVER_RUN
    assert not any(isinstance(one, m.StopTool) for one in outcome.effects)


def test_with_its_session_only_the_tools_are_stopped_that_run_outside_of_it() -> None:
    script = given(*ASKING, answered(1, call("look"), call("inspect", '{"code":"x"}')))
    stopped = [one for one in script.when(c.StopSession()).effects if isinstance(one, m.StopTool)]
    assert stopped == [m.StopTool(K1)]
