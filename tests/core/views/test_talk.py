"""How a conversation stands, from every event of its session."""

import pytest
from tests.contracts.given import ANNA, RUNNING, comes_back, given
from tests.contracts.playing_talks import CHOICE, Talk, call, folded, text, thinking

from hearth.core.views.talk import (
    PREVIEW,
    Approval,
    Retry,
    TalkStatus,
    preview_of,
    step_of,
    talk_on,
)
from hearth.core.views.talk import Talk as Standing
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.blocks import Usage
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import TurnId


def standing(talk: Talk) -> Standing:
    return talk.folded().talk


class TestStatus:
    def test_a_session_in_which_nothing_was_said_is_idle(self) -> None:
        now = standing(Talk())
        assert (now.status, now.turn, now.messages, now.preview) == (TalkStatus.IDLE, None, 0, "")
        assert now.version == 0

    def test_it_runs_from_a_message_to_the_end_of_the_turn(self) -> None:
        talk = Talk().says("hello")
        now = standing(talk)
        assert (now.status, now.turn, now.step) == (TalkStatus.RUNNING, "t1", 0)
        now = standing(talk.answers("hi"))
        assert (now.status, now.turn, now.why) == (TalkStatus.DONE, None, "")

    @pytest.mark.promise("DL-EVT-05")
    def test_a_pause_before_the_next_attempt_says_how_long_it_is_and_why(self) -> None:
        talk = Talk().says("hello")
        talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.OVERLOADED, "busy", 529))
        now = standing(talk)
        assert now.status is TalkStatus.RETRYING
        assert isinstance(now.retry, Retry)
        assert (now.retry.attempt, now.retry.status) == (2, 529)
        assert now.retry.delay > 0
        first = now.retry.delay
        talk.goes(m.AskDue(talk.asked.request))
        assert (standing(talk).status, standing(talk).retry) == (TalkStatus.RUNNING, None)
        talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.OVERLOADED, "busy", 529))
        again = standing(talk).retry
        assert again is not None
        assert (again.attempt, again.delay > first) == (3, True)

    def test_a_failure_for_good_is_an_error_that_says_why(self) -> None:
        talk = Talk().says("hello")
        talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.CREDENTIALS, "no key", 401))
        now = standing(talk)
        assert (now.status, now.turn) == (TalkStatus.ERROR, None)
        assert "no key" in now.why

    def test_after_a_cancel_it_is_idle(self) -> None:
        now = standing(Talk().says("hello").goes(p.CancelTurn()))
        assert (now.status, now.turn) == (TalkStatus.IDLE, None)

    def test_three_equal_steps_wait_for_a_person(self) -> None:
        talk = Talk().says("go")
        for _ in range(3):
            talk.answers(call("list_things"))
            if standing(talk).status is TalkStatus.WAITING_USER:
                break
            talk.returns()
        now = standing(talk)
        assert now.status is TalkStatus.WAITING_USER
        (asked,) = now.approvals
        assert isinstance(asked, Approval)
        assert asked.why
        talk.goes(p.AnswerApproval(asked.approval, p.ApprovalAnswer.ONCE))
        assert (standing(talk).status, standing(talk).approvals) == (TalkStatus.RUNNING, ())


class TestQueue:
    @pytest.mark.promise("DP-REC-01", "DP-REC-02")
    def test_a_message_waits_until_it_is_delivered_and_no_longer(self) -> None:
        talk = Talk().says("first").says("second").says("third")
        now = standing(talk)
        assert [(one.message, one.text) for one in now.queue] == [("m1", "second"), ("m2", "third")]
        assert now.queue[0].author == ANNA
        talk.goes(p.WithdrawMessage(now.queue[0].message))
        assert [one.message for one in standing(talk).queue] == ["m2"]
        talk.answers(call("look")).returns()
        assert standing(talk).queue == ()
        assert [one.content for one in talk.blocks() if "third" in repr(one)] != []
        assert "second" not in repr(talk.blocks())


class TestNumbers:
    def test_tokens_of_the_window_are_those_of_the_newest_request(self) -> None:
        talk = Talk().says("hello").answers("hi", usage=Usage(1, 20, 300, 4000))
        assert (standing(talk).used, standing(talk).window) == (4321, CHOICE.window)
        talk.says("again").answers("yes", usage=Usage(1))
        assert standing(talk).used == 1

    def test_after_a_summary_it_is_not_known_how_much_is_used(self) -> None:
        talk = Talk().says("hello").answers("hi").goes(p.CompactConversation())
        assert standing(talk).compacting
        talk.sums_up("they greeted")
        now = standing(talk)
        assert (now.used, now.compacting, now.status) == (0, False, TalkStatus.DONE)

    def test_messages_are_those_of_people_models_and_tools(self) -> None:
        talk = Talk().says("go")
        talk.answers(
            thinking("hm", "{}"), text("see"), call("look"), call("run")
        ).returns().returns()
        talk.answers("done")
        assert standing(talk).messages == 1 + 1 + 2 + 1
        assert standing(talk).replied

    def test_a_conversation_without_an_answer_is_known_as_such(self) -> None:
        talk = Talk().says("hello")
        assert (standing(talk).messages, standing(talk).replied) == (1, False)

    def test_the_model_is_the_one_that_answers_or_was_set_since(self) -> None:
        talk = Talk().says("hello").answers("hi")
        assert standing(talk).model == CHOICE.name
        talk.goes(p.SetModel("openai:gpt-5", p.Effort.LOW))
        assert (standing(talk).model, standing(talk).effort) == ("openai:gpt-5", p.Effort.LOW)

    def test_the_servers_are_those_that_were_chosen(self) -> None:
        talk = Talk().says("hello").answers("hi")
        assert standing(talk).servers is None
        assert standing(talk.goes(p.SetServers(("docs",)))).servers == ("docs",)
        assert standing(talk.goes(p.SetServers(None))).servers is None

    def test_the_epoch_says_why_the_cache_began_anew(self) -> None:
        talk = Talk().says("hello").answers("hi")
        assert (standing(talk).epoch, standing(talk).epoch_reason) == (1, "first request")
        talk.system = "be better"
        now = standing(talk.says("again"))
        assert now.epoch == 2
        assert now.epoch_reason
        assert now.epoch_reason != "first request"


class TestPreview:
    @pytest.mark.promise("DL-SESS-12")
    def test_it_is_the_beginning_of_the_first_message_on_one_line(self) -> None:
        talk = Talk().says("first\n\n  line").answers("hi").says("second").answers("ho")
        assert standing(talk).preview == "first line"
        long = preview_of("word " * 100)
        assert len(long) == PREVIEW
        assert long.endswith("…")

    @pytest.mark.promise("DL-SESS-13")
    def test_a_message_that_is_kept_as_a_blob_has_one_too(self) -> None:
        assert preview_of(Blob("0" * 64, 10_000, head="begins\nso")) == "begins so"


def test_what_is_heard_of_twice_changes_nothing() -> None:
    talk = Talk().says("hello").says("more").answers(call("look")).returns().answers("hi")
    once = twice = Standing()
    for one in talk.envelopes():
        once = talk_on(once, one.version, one)
        twice = talk_on(talk_on(twice, one.version, one), one.version, one)
    assert once == twice == standing(talk)
    assert once.modified == talk.facts[-1].at
    assert comes_back(once)


def test_steps_are_compared_by_number_and_not_by_letter() -> None:
    assert step_of(TurnId("t10"), 0) > step_of(TurnId("t9"), 5) > step_of(TurnId("t9"), 4)
    assert step_of(TurnId("odd"), 1) == (0, 1)


def test_events_of_cells_leave_it_alone() -> None:
    assert folded(given(*RUNNING)).talk == Standing()
