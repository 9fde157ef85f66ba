"""One timeline of cells and conversation: folded live, joined late, read again."""

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.contracts.given import BOT, Said
from tests.contracts.playing_talks import Talk, call, text, thinking

from hearth.core.views.talk import Talk as Standing
from hearth.core.views.timeline import MOST_LIVE, Timeline
from hearth.core.views.timeline_items import (
    CallItem,
    CellItem,
    ErrorItem,
    NoticeItem,
    Placed,
    SaidItem,
    SummaryItem,
    TextItem,
    TurnEndItem,
)
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CallId, CellId, TurnId
from hearth.core.vocabulary.progress import (
    EventUnsaved,
    OutputChunk,
    TextDelta,
    ThinkingDelta,
    ToolCallForming,
    ToolOutput,
)

T1 = TurnId("t1")
C1 = CellId("c1")


def folded(talk: Talk) -> Timeline:
    timeline = Timeline(Standing())
    for one in talk.envelopes():
        timeline.take(one)
    return timeline


def kinds(timeline: Timeline) -> list[str]:
    return [
        type(one.item).__name__.removesuffix("Item").lower()
        for one in timeline.placed()
        if not isinstance(one.item, NoticeItem)
    ]


def by_kind(timeline: Timeline, kind: type) -> list[Placed]:
    return [one for one in timeline.placed() if isinstance(one.item, kind)]


def ran(cell: str = "c1") -> r.CellEnded:
    return r.CellEnded(1, CellId(cell), r.Succeeded("3", "int"), 0.5)


class TestOrder:
    @pytest.mark.promise("DP-UI-01")
    def test_cells_and_turns_stand_in_the_order_in_which_they_happened(self) -> None:
        talk = Talk().goes(c.RunCell("1"), ran()).says("go").answers(thinking("hm"), text("I see"))
        talk.goes(c.RunCell("2"), ran("c2"))
        timeline = folded(talk)
        assert kinds(timeline) == ["cell", "said", "text", "text", "turnend", "cell"]
        versions = [one.order for one in timeline.placed()]
        assert versions == sorted(versions)

    def test_a_cell_of_an_agent_stands_inside_of_its_call(self) -> None:
        talk = Talk().says("go").answers(call("run_code", code="1"))
        timeline = folded(talk)
        (placed,) = by_kind(timeline, CallItem)
        assert isinstance(placed.item, CallItem)
        assert placed.item.cell is not None
        assert placed.item.cell.entry.cell == "c1"
        assert by_kind(timeline, CellItem) == []

    def test_a_result_stands_with_its_call_and_a_summary_where_it_was_made(self) -> None:
        talk = Talk().says("one").answers(call("look")).returns("seen").answers("uno")
        talk.goes(p.CompactConversation()).sums_up("they count", talk.block("one"))
        timeline = folded(talk)
        (placed,) = by_kind(timeline, CallItem)
        assert isinstance(placed.item, CallItem)
        assert placed.item.result is not None
        assert len(by_kind(timeline, SummaryItem)) == 1
        ends = [one.item for one in by_kind(timeline, TurnEndItem)]
        assert [one.turn for one in ends if isinstance(one, TurnEndItem)] == ["t1", "t2"]

    def test_another_branch_must_be_read_anew(self) -> None:
        talk = Talk().says("one").answers("uno")
        assert not folded(talk).is_cut
        talk.goes(p.EditMessage(talk.block("one"), "two"))
        assert folded(talk).is_cut

    def test_errors_and_notices_stand_where_they_happened(self) -> None:
        talk = Talk().says("go").goes(p.CancelTurn())
        noted = [one.item for one in by_kind(folded(talk), NoticeItem)]
        assert any("cancel" in one.words for one in noted if isinstance(one, NoticeItem))
        assert by_kind(folded(talk), ErrorItem) == []


class TestKeys:
    @pytest.mark.promise("DP-UI-05")
    def test_what_is_written_has_the_key_that_it_has_once_it_is_sealed(self) -> None:
        talk = Talk().says("go")
        timeline = folded(talk)
        timeline.hear(ThinkingDelta(T1, 0, 0, 0, "hm"))
        timeline.hear(TextDelta(T1, 0, 1, 0, "I s"))
        timeline.hear(ToolCallForming(T1, 0, 2, "look"))
        writing = [one.key for one in timeline.placed()][-3:]
        talk.answers(thinking("hm"), text("I see"), call("look"))
        for one in talk.envelopes():
            timeline.take(one)
        sealed = [one.key for one in timeline.placed() if isinstance(one.item, TextItem | CallItem)]
        assert sealed == writing == ["t1-0-0", "t1-0-1", "t1-0-2"]
        assert all(one.order[1] < 10**6 for one in timeline.placed())

    def test_a_place_that_a_provider_leaves_out_changes_no_key(self) -> None:
        timeline = folded(Talk().says("go"))
        timeline.hear(TextDelta(T1, 0, 1, 0, "I see"))
        assert timeline.placed()[-1].key == "t1-0-0"

    def test_what_an_attempt_wrote_that_failed_is_gone(self) -> None:
        timeline = folded(Talk().says("go"))
        timeline.hear(TextDelta(T1, 0, 0, 0, "I se"))
        timeline.drain()
        timeline.write(())
        assert timeline.drain().removed == ("t1-0-0",)
        assert by_kind(timeline, TextItem) == []

    def test_what_comes_twice_or_too_late_changes_nothing(self) -> None:
        talk = Talk().says("go").answers("yes")
        timeline = folded(talk)
        before = timeline.placed()
        timeline.drain()
        for one in talk.envelopes():
            timeline.take(one)
        timeline.hear(TextDelta(T1, 0, 0, 0, "ye"))
        timeline.hear(OutputChunk(CellId("c9"), "stdout", "?"))
        timeline.hear(ToolOutput(CallId("k9"), "?"))
        assert timeline.placed() == before
        assert timeline.drain() == ((), ())


class TestLive:
    def test_a_running_cell_shows_what_it_writes_until_it_has_ended(self) -> None:
        talk = Talk().goes(c.RunCell("1"))
        timeline = folded(talk)
        timeline.hear(OutputChunk(C1, "stdout", "a"))
        timeline.hear(OutputChunk(C1, "stdout", "b"))
        (placed,) = by_kind(timeline, CellItem)
        assert isinstance(placed.item, CellItem)
        (shown,) = placed.item.live
        assert shown.text == "ab"  # type: ignore[union-attr] # a piece of text
        for one in talk.goes(ran()).envelopes():
            timeline.take(one)
        (placed,) = by_kind(timeline, CellItem)
        assert isinstance(placed.item, CellItem)
        assert (placed.item.live, placed.item.entry.value) == ((), "3")

    @pytest.mark.promise("DP-UI-03")
    def test_a_running_tool_shows_the_end_of_what_it_writes(self) -> None:
        talk = Talk().says("go").answers(call("run_shell", command="make"))
        timeline = folded(talk)
        timeline.hear(ToolOutput(CallId("k1"), "x" * MOST_LIVE))
        timeline.hear(ToolOutput(CallId("k1"), "end"))
        (placed,) = by_kind(timeline, CallItem)
        assert isinstance(placed.item, CallItem)
        assert len(placed.item.live) == MOST_LIVE
        assert placed.item.live.endswith("xend")
        assert placed.item.result is None

    def test_an_event_that_waits_to_be_saved_is_shown_and_not_twice(self) -> None:
        talk = Talk().goes(c.RunCell("1"))
        *known, last = talk.envelopes()
        timeline = Timeline(Standing())
        for one in known:
            timeline.take(one)
        json = encode(_unsaved(last)).decode()
        timeline.hear(EventUnsaved(json))
        timeline.hear(EventUnsaved("{"))
        timeline.take(last)
        assert timeline.version == last.version

    def test_what_is_asked_of_a_person_stands_at_its_call_until_it_is_answered(self) -> None:
        same = call("look", at=1)
        talk = Talk().says("go").answers(same).returns().answers(same).returns().answers(same)
        timeline = folded(talk)
        asked = [one.item for one in by_kind(timeline, CallItem)]
        assert [one.approval is not None for one in asked if isinstance(one, CallItem)] == [
            False,
            False,
            True,
        ]
        for one in talk.goes(_rejection(talk)).envelopes():
            timeline.take(one)
        asked = [one.item for one in by_kind(timeline, CallItem)]
        assert not any(one.approval for one in asked if isinstance(one, CallItem))


class TestWindow:
    @pytest.mark.promise("DP-EVICT-01", "DP-EVICT-07")
    def test_the_oldest_go_first_even_of_one_turn_and_what_goes_on_stays(self) -> None:
        talk = Talk().goes(c.RunCell("1")).says("go")
        talk.answers(*[call("look", n=n) for n in range(20)])
        for _ in range(20):
            talk.returns()
        timeline = folded(talk)
        timeline.hear(TextDelta(T1, 1, 0, 0, "so"))
        timeline.trim(5)
        left = [one.key for one in timeline.placed()]
        assert left == ["c1", "t1-0-16", "t1-0-17", "t1-0-18", "t1-0-19", "t1-1-0"]

    def test_stale_cells_are_marked_and_no_others(self) -> None:
        timeline = folded(Talk().goes(c.RunCell("1"), ran(), c.RunCell("2"), ran("c2")))
        timeline.drain()
        timeline.judge(frozenset({C1}))
        assert timeline.drain().touched == ("c1",)
        assert [one.stale for one in by_kind(timeline, CellItem)] == [True, False]
        timeline.judge(frozenset())
        assert [one.stale for one in by_kind(timeline, CellItem)] == [False, False]


@whenever(st.lists(st.sampled_from(["cell", "turn", "call", "agent"]), max_size=8), st.data())
def test_however_it_is_cut_the_same_items_come_of_it(
    script: list[str], data: st.DataObject
) -> None:
    talk = Talk()
    cells = 0
    for wanted in script:
        match wanted:
            case "cell":
                cells += 1
                talk.goes(Said(c.RunCell(str(cells)), by=BOT), ran(f"c{cells}"))
            case "turn":
                talk.says("go").answers(thinking("hm"), text("yes"))
            case "call":
                talk.says("go").answers(call("look")).returns().answers("done")
            case _:
                cells += 1
                talk.says("go").answers(call("run_code", code="1")).goes(ran(f"c{cells}"))
                talk.answers("done")
    envelopes = list(talk.envelopes())
    whole = folded(talk)
    cut = data.draw(st.integers(0, len(envelopes)))
    timeline = Timeline(Standing())
    for one in envelopes[:cut]:
        timeline.take(one)
    timeline.drain()
    for one in envelopes[cut:]:
        timeline.take(one)
    assert timeline.placed() == whole.placed()
    assert [one.key for one in whole.placed()] == list(
        dict.fromkeys(one.key for one in whole.placed())
    )
    assert len([one for one in whole.placed() if isinstance(one.item, SaidItem)]) == sum(
        wanted != "cell" for wanted in script
    )


def _unsaved(envelope: Envelope) -> Envelope:
    return replace(envelope, seq=0)


def _rejection(talk: Talk) -> p.AnswerApproval:
    (asked,) = folded(talk).talk.approvals
    return p.AnswerApproval(asked.approval, p.ApprovalAnswer.REJECT)
