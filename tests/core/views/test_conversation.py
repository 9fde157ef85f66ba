"""The conversation as people see it: folded live, loaded from the log, joined late."""

from collections.abc import Iterable

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.contracts.given import comes_back
from tests.contracts.playing_talks import Talk, call, text, thinking

from hearth.core.views.conversation import (
    MOST_OUTPUT,
    WINDOW,
    Conversation,
    carry_on,
    conversation,
    hear,
    with_older,
)
from hearth.core.views.conversation_rows import MOST_COMPACTIONS, Row
from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import NoticeBlock, NoticeKind, Role, TextBlock
from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import BlockId, CallId, CellId, TurnId
from hearth.core.vocabulary.progress import (
    OutputChunk,
    OutputCleared,
    Progress,
    ProgressDropped,
    TextDelta,
    ThinkingDelta,
    ToolOutput,
)

T1 = TurnId("t1")


def live(talk: Talk, window: float = WINDOW) -> Conversation:
    return conversation(talk.envelopes(), window=window)


def said(rows: Iterable[Row]) -> list[Text]:
    return [row.content.text for row in rows if isinstance(row.content, TextBlock)]


def long_talk(turns: int = 5) -> Talk:
    talk = Talk()
    for number in range(turns):
        talk.says(f"do {number}").answers(
            text(f"will {number}"), call("look"), call("run_code", code="1")
        )
        talk.returns(f"seen {number}").returns().answers(f"did {number}")
    return talk


class TestRows:
    @pytest.mark.promise("DP-LOG-01", "DP-LOG-02", "DP-LOG-11")
    def test_each_block_is_a_row_with_its_place_its_author_and_what_it_says(self) -> None:
        talk = (
            Talk().says("go").answers(thinking("hm", "{}"), text("I see"), call("look")).returns()
        )
        rows = live(talk).rows
        assert [(row.role, row.step) for row in rows] == [
            (Role.USER, 0),
            (Role.ASSISTANT, 0),
            (Role.ASSISTANT, 0),
            (Role.ASSISTANT, 0),
            (Role.TOOL, 0),
        ]
        assert [row.block for row in rows] == [f"b{row.version}" for row in rows]
        assert [row.parent for row in rows] == ["", *[row.block for row in rows[:-1]]]
        assert {row.turn for row in rows} == {"t1"}
        assert rows[1].author.name == talk.choice.name
        assert all(row.seq and row.at for row in rows)

    @pytest.mark.promise("DP-RED-06", "DP-RED-09")
    def test_what_happens_to_a_turn_is_told_in_blocks_of_their_own(self) -> None:
        talk = Talk().says("go").goes(p.CancelTurn()).says("again").goes(p.CancelTurn())
        told = [row.content for row in live(talk).rows if row.role is Role.SYSTEM]
        assert [one.kind for one in told if isinstance(one, NoticeBlock)] == [
            NoticeKind.CANCELLED,
            NoticeKind.CANCELLED,
        ]

    def test_a_call_knows_the_cell_that_is_run_for_it(self) -> None:
        talk = Talk().says("go").answers(call("run_code", code="1"))
        (begun,) = live(talk).calls
        assert (begun.call, begun.name, begun.cell) == ("k1", "run_code", "c1")

    @pytest.mark.promise("DP-EVICT-01", "DP-EVICT-02")
    def test_a_window_holds_so_many_blocks_even_of_one_turn(self) -> None:
        talk = long_talk(1)
        for window in (1, 3, 4):
            view = live(talk, window)
            assert view.rows == live(talk).rows[-window:]
            assert view.older
        for unbounded in (0, -1, float("inf"), float("nan")):
            assert live(talk, unbounded) == live(talk)
        assert not live(talk).older

    @pytest.mark.promise("DP-EVICT-07")
    def test_a_call_and_its_result_are_two_blocks_of_the_window(self) -> None:
        talk = Talk().says("go").answers(*[call("look", n=n) for n in range(20)])
        for _ in range(20):
            talk.returns()
        assert len(live(talk).rows) == 1 + 20 + 20
        assert len(live(talk, 25).rows) == 25

    @pytest.mark.promise("DP-EVICT-08")
    def test_what_a_long_turn_was_begun_with_is_known_when_its_block_is_gone(self) -> None:
        talk = Talk().says("first").answers("yes").says("weave\nit").answers(call("look")).returns()
        view = live(talk, 1)
        assert "weave" not in repr(view.rows)
        assert (view.now.prompt, view.now.preview, view.older) == ("weave it", "first", True)

    def test_what_no_longer_has_a_row_is_forgotten_with_it(self) -> None:
        view = live(long_talk(), 1)
        assert view.calls == ()
        assert len(live(long_talk()).calls) == 10


class TestSummaries:
    def test_people_still_see_what_a_model_is_only_given_a_summary_of(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.CompactConversation()).sums_up("they count", talk.block("two"))
        talk.says("three").answers("tre")
        view = live(talk)
        assert said(view.rows) == ["one", "uno", "two", "due", "three", "tre"]
        (made,) = view.compactions
        assert (made.summary, made.keeps) == ("they count", talk.block("two"))
        assert view == talk.loaded()


class TestBranches:
    def test_an_edit_shows_the_new_branch_alone(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.EditMessage(talk.block("two"), "zwei")).goes(p.RegenerateTurn())
        talk.answers("deux")
        assert said(live(talk).rows) == ["one", "uno", "zwei", "deux"]
        assert live(talk) == talk.loaded()
        assert not live(talk).cut

    def test_an_edit_that_keeps_the_rest_changes_one_block_in_the_middle(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.EditMessage(talk.block("uno"), "eins", "keep")).says("three").answers("tre")
        assert said(live(talk).rows) == ["one", "eins", "two", "due", "three", "tre"]
        assert live(talk) == talk.loaded()

    @pytest.mark.promise("DP-SESS-05")
    def test_a_client_says_that_it_lacks_the_block_that_was_edited_when_that_is_gone_back_to(
        self,
    ) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.EditMessage(talk.block("uno"), "eins", "keep"))
        assert live(talk) == talk.loaded()
        talk.goes(p.SwitchBranch(talk.block("due")))
        assert said(talk.loaded().rows) == ["one", "uno", "two", "due"]
        assert live(talk).cut

    def test_going_back_shows_what_led_there(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.SwitchBranch(talk.block("uno")))
        assert said(live(talk).rows) == ["one", "uno"]
        assert live(talk) == talk.loaded()

    def test_a_client_that_lacks_the_blocks_of_a_branch_says_so(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        other = talk.block("due")
        talk.goes(p.SwitchBranch(talk.block("uno"))).says("drei").answers("trois")
        talk.goes(p.SwitchBranch(other))
        assert live(talk).cut
        assert said(talk.loaded().rows) == ["one", "uno", "two", "due"]
        assert not talk.loaded().cut

    def test_blocks_that_are_not_here_are_still_missing_when_one_of_them_was_edited(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.SwitchBranch(talk.block("one"))).goes(p.ContinueTurn()).answers("eins")
        talk.goes(p.EditMessage(talk.block("due"), "deux"))
        assert said(talk.loaded().rows) == ["one", "uno", "two", "deux"]
        assert said(live(talk).rows) != said(talk.loaded().rows)
        assert live(talk).cut

    def test_an_edit_of_what_a_summary_keeps_loses_nothing_that_was_summed_up(self) -> None:
        talk = Talk().says("one").answers("uno")
        talk.goes(p.CompactConversation()).sums_up("they count", talk.block("uno"))
        talk.goes(p.EditMessage(talk.block("uno"), "eins", "keep"))
        assert said(live(talk).rows) == ["one", "eins"]
        assert live(talk) == talk.loaded()

    def test_going_back_before_a_summary_and_behind_it_again(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.CompactConversation()).sums_up("they count", talk.block("two"))
        talk.says("three").answers("tre").says("four").answers("quattro")
        talk.goes(p.SwitchBranch(talk.block("tre")))
        assert said(live(talk).rows) == ["one", "uno", "two", "due", "three", "tre"]
        assert live(talk) == talk.loaded()
        talk.goes(p.SwitchBranch(talk.block("uno")))
        assert said(live(talk).rows) == ["one", "uno"]
        assert live(talk).compactions == talk.loaded().compactions == ()


class TestProgress:
    def asked(self) -> Conversation:
        return live(Talk().says("go"))

    @pytest.mark.promise("DP-RED-07")
    def test_what_is_written_is_open_until_it_is_sealed(self) -> None:
        talk = Talk().says("go")
        view = live(talk)
        for piece in (
            ThinkingDelta(T1, 0, 0, 0, "hm"),
            TextDelta(T1, 0, 1, 0, "do"),
            TextDelta(T1, 0, 1, 2, "ne"),
        ):
            view = hear(view, piece)
        assert [one.text for one in view.open] == ["hm", "done"]
        known = len(talk.facts)
        talk.answers(thinking("hm", "{}"), "done")
        for one in talk.envelopes()[known:]:
            view = carry_on(view, one)
        assert view.open == ()
        assert view == live(talk)

    @pytest.mark.promise("DP-LOG-08")
    @pytest.mark.parametrize("trouble", [m.Trouble.NETWORK, m.Trouble.OVERFLOW])
    def test_an_attempt_that_failed_leaves_nothing(self, trouble: m.Trouble) -> None:
        talk = Talk().says("go")
        view = hear(live(talk), TextDelta(T1, 0, 0, 0, "half"))
        known = len(talk.facts)
        talk.goes(m.ModelFailed(talk.asked.request, trouble, "gone"))
        for one in talk.envelopes()[known:]:
            view = carry_on(view, one)
        assert view.open == ()
        assert "half" not in repr(view.rows)

    @pytest.mark.promise("DP-REC-03")
    def test_what_comes_after_its_step_is_over_is_too_late(self) -> None:
        view = live(Talk().says("go").answers("done"))
        assert hear(view, TextDelta(T1, 0, 0, 0, "late")) is view
        newer = hear(view, TextDelta(TurnId("t2"), 0, 0, 0, "early"))
        assert [one.text for one in newer.open] == ["early"]

    @pytest.mark.promise("DP-RED-05")
    def test_output_stands_with_the_call_that_it_is_of(self) -> None:
        talk = Talk().says("go").answers(call("run_code", code="1"), call("look"))
        view = live(talk)
        for piece in (
            ToolOutput(CallId("k2"), "a"),
            OutputChunk(CellId("c1"), "stdout", "b"),
            OutputChunk(CellId("c9"), "stdout", "a person's"),
            ToolOutput(CallId("k2"), "c"),
        ):
            view = hear(view, piece)
        assert {one.call: one.text for one in view.outputs} == {"k2": "ac", "k1": "b"}
        cleared = hear(view, OutputCleared(CellId("c1")))
        assert {one.call: one.text for one in cleared.outputs} == {"k2": "ac"}
        much = hear(view, ToolOutput(CallId("k2"), "x" * 2 * MOST_OUTPUT))
        assert max(len(one.text) for one in much.outputs) == MOST_OUTPUT
        known = len(talk.facts)
        talk.returns("whole")
        for one in talk.envelopes()[known:]:
            view = carry_on(view, one)
        assert [one.call for one in view.outputs] == ["k2"]
        assert hear(view, ToolOutput(CallId("k1"), "late")) is view

    @pytest.mark.promise("DP-RED-10")
    def test_what_is_not_about_the_conversation_changes_nothing(self) -> None:
        view = self.asked()
        assert hear(view, ProgressDropped(3)) is view


@pytest.mark.promise("DP-RED-01")
@whenever(st.integers(1, 20))
def test_a_window_that_was_folded_is_the_one_that_is_loaded_wherever_it_begins(window: int) -> None:
    talk = Talk().says("go").answers(*[call("look", n=n) for n in range(6)])
    for number in range(6):
        talk.returns(f"seen {number}")
    talk.answers("done")
    assert live(talk, window) == talk.loaded(window)


def test_of_many_summaries_the_same_are_known_folded_and_loaded() -> None:
    talk = Talk()
    for number in range(MOST_COMPACTIONS + 3):
        talk.says(f"ask {number}").answers("yes").goes(p.CompactConversation())
        talk.sums_up("short", talk.block(f"ask {number}"))
    assert len(live(talk).compactions) == MOST_COMPACTIONS
    assert live(talk) == talk.loaded()
    assert live(talk, 10) == talk.loaded(10)


@pytest.mark.promise("DP-EVICT-04", "DP-LOG-10")
def test_older_pages_join_without_anything_twice() -> None:
    talk = long_talk()
    sealed = [one for one in talk.envelopes() if isinstance(one.event, t.BlockSealed)]
    for page in (1, 2, 7):
        view, first = live(talk, 3), len(sealed) - 3
        while first > 0:
            older = sealed[max(0, first - page) : first + 1]  # one of them is there already
            view = with_older(view, older)
            first -= page
        assert view.rows == live(talk).rows


@pytest.mark.promise("DP-EVICT-05")
def test_a_block_that_waits_to_be_saved_gets_its_cursor_when_it_has_one() -> None:
    talk = Talk().says("go").answers("done")
    unsaved = [replace(one, seq=0) for one in talk.envelopes()]
    view = conversation(unsaved)
    assert {row.seq for row in view.rows} == {0}
    for one in talk.envelopes():
        view = carry_on(view, one)
    assert view == live(talk)


@pytest.mark.promise("DP-LOG-04")
def test_rows_that_are_there_never_change() -> None:
    talk = long_talk(2)
    before = live(talk).rows
    talk.says("more").answers("yes").goes(p.CompactConversation()).sums_up("short")
    assert live(talk).rows[: len(before)] == before


def test_it_travels() -> None:
    view = hear(live(long_talk(1).says("go")), TextDelta(TurnId("t2"), 0, 0, 0, "a"))
    assert view.open
    assert comes_back(view)


def deltas(talk: Talk) -> dict[int, list[Progress]]:
    """What was shown while this conversation came to be: by the version it was shown before."""
    shown: dict[int, list[Progress]] = {}
    asked: dict[tuple[str, int], tuple[int, int]] = {}
    for one in talk.envelopes():
        event = one.event
        if isinstance(event, t.ModelAsked):
            asked[event.turn, event.step] = (one.version, 0)
        if isinstance(event, t.BlockSealed) and event.role is Role.ASSISTANT:
            version, place = asked[event.turn, event.step]
            asked[event.turn, event.step] = (version, place + 1)
            whole = getattr(event.content, "text", "")
            shown.setdefault(version + 1, []).extend(
                TextDelta(event.turn, event.step, place, offset, letter)
                for offset, letter in enumerate(whole)
            )
    return shown


def told_so_far(talk: Talk, version: int) -> list[Envelope]:
    return [one for one in talk.envelopes() if one.version <= version]


@pytest.mark.promise("DP-RED-01", "DP-REC-04", "DP-REC-08")
@whenever(st.data())
def test_any_way_of_listening_ends_with_the_view_of_a_full_reload(data: st.DataObject) -> None:
    talk = Talk().says("go").says("queued").answers(text("ab"), call("look")).returns()
    talk.answers(text("cd")).says("more")
    talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.NETWORK, "gone"))
    talk.goes(m.AskDue(talk.asked.request)).answers("ef").goes(p.RegenerateTurn()).answers("gh")
    shown = deltas(talk)
    joined = data.draw(st.integers(0, len(talk.facts)))
    view = conversation(told_so_far(talk, joined))
    for one in talk.envelopes()[joined:]:
        for piece in shown.get(one.version, ()):
            for _ in range(data.draw(st.integers(0, 2))):
                view = hear(view, piece)
        view = carry_on(view, one)
        if data.draw(st.booleans()):
            view = carry_on(view, data.draw(st.sampled_from(told_so_far(talk, one.version))))
        loaded = conversation(told_so_far(talk, one.version))
        assert replace(view, open=()) == replace(loaded, open=())
        if view.now.turn is None:
            assert view.open == ()
    assert view == live(talk) == talk.loaded()
    late = [piece for pieces in shown.values() for piece in pieces]
    for piece in data.draw(st.lists(st.sampled_from(late), max_size=5)):
        view = hear(view, piece)
    assert view == talk.loaded()


@pytest.mark.promise("DP-REC-06", "DP-REC-07")
def test_a_message_that_waited_belongs_to_the_turn_it_was_delivered_to() -> None:
    talk = Talk().says("first").says("second").answers(call("look")).returns()
    rows = live(talk).rows
    assert [(row.turn, row.role) for row in rows if "second" in repr(row.content)] == [
        (T1, Role.USER)
    ]
    assert live(talk).now.queue == ()
    talk.answers("done").says("a").says("b").answers("x")
    bound = {
        str(row.content.text): row.turn
        for row in live(talk).rows
        if isinstance(row.content, TextBlock)
    }
    assert (bound["a"], bound["b"]) == ("t2", "t3")


def test_no_block_is_empty_named() -> None:
    assert all(row.block != BlockId("") for row in live(long_talk()).rows)
