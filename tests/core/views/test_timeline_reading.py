"""Parts of a timeline out of the log: the newest, those before and behind a place."""

from collections.abc import Generator, Sequence

import pytest
from hypothesis import given as whenever
from hypothesis import strategies as st
from tests.contracts.playing_talks import Talk, World, call

from hearth.core.views.looking_back import Page
from hearth.core.views.session_fold import SessionFold, fold
from hearth.core.views.talk import Talk as Standing
from hearth.core.views.timeline import Timeline
from hearth.core.views.timeline_items import CellItem, Placed, SaidItem
from hearth.core.views.timeline_reading import MOST_PAGES, PAGE, after, before, newest
from hearth.core.views.timeline_shelf import ENDLESS
from hearth.core.views.transcript import CellStanding
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.commands import ForkPoint
from hearth.core.vocabulary.content import StreamText
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId

END = (10**6, ENDLESS, 0)


def standing(talk: Talk) -> Standing:
    session = SessionFold(type(talk.state)(talk.state.session))
    for fact in talk.facts:
        session = fold(session, fact)
    return session.talk


def read(talk: Talk, most: int = 1000) -> Timeline:
    found, _ = talk.world.driven(
        newest(talk.state.session, standing(talk), talk.state.version, most)
    )
    return found


def live(talk: Talk) -> Timeline:
    timeline = Timeline(Standing())
    for one in talk.envelopes():
        timeline.take(one)
    return timeline


def paged(talk: Talk, most: int) -> list[Placed]:
    """Everything, page by page, from the newest back."""
    found: list[Placed] = []
    place = END
    while True:
        part = talk.world.driven(
            before(talk.state.session, standing(talk), place, talk.state.version, most)
        )
        found[:0] = part.items
        if not part.older or not part.items:
            return found
        place = part.items[0].order


def busy(talk: Talk, rounds: int) -> Talk:
    for number in range(rounds):
        printed = (StreamText("stdout", f"{number}\n"),)
        talk.goes(c.RunCell(f"{number}"))
        cell = talk.state.cells
        talk.goes(r.CellEnded(1, CellId(f"c{cell}"), r.Succeeded("1", "int"), 0.1, printed))
        talk.says(f"do {number}").answers(f"will {number}", call("look")).returns().answers("did")
    return talk


class TestNewest:
    def test_it_is_what_was_folded_live(self) -> None:
        talk = busy(Talk(), 4)
        assert read(talk).placed() == live(talk).placed()

    def test_it_can_be_carried_on(self) -> None:
        talk = busy(Talk(), 2)
        timeline = read(talk)
        for one in busy(talk, 1).envelopes():
            timeline.take(one)
        assert timeline.placed() == live(talk).placed()

    @pytest.mark.promise("DP-EVICT-02", "DP-UI-18")
    def test_it_is_a_window_whose_cost_does_not_grow(self) -> None:
        talk = busy(Talk(), 60)
        asked: list[int] = []

        def counted(
            looking: Generator[Page, Sequence[Stored], tuple[Timeline, bool]],
        ) -> Generator[Page, Sequence[Stored], tuple[Timeline, bool]]:
            page = next(looking)
            while True:
                asked.append(page.limit)
                try:
                    page = looking.send((yield page))
                except StopIteration as end:
                    found: tuple[Timeline, bool] = end.value
                    return found

        looking = newest(talk.state.session, standing(talk), talk.state.version, 10)
        timeline, more = talk.world.driven(counted(looking))
        assert sum(asked) <= 2 * PAGE
        assert more
        assert timeline.placed() == live(talk).placed()[-10:]

    def test_an_empty_session_has_an_empty_one(self) -> None:
        found, more = World().driven(newest(SessionId("s"), Standing(), 0, 10))
        assert (found.placed(), more) == ([], False)


class TestPaging:
    @pytest.mark.promise("DP-EVICT-04", "DP-EVICT-05")
    @pytest.mark.parametrize("most", [1, 7, 50])
    def test_pages_from_the_newest_back_are_the_whole_without_gap_or_repeat(
        self, most: int
    ) -> None:
        talk = busy(Talk(), 12)
        whole = live(talk).placed()
        assert paged(talk, most) == whole

    def test_pages_from_the_oldest_on_are_the_whole_too(self) -> None:
        talk = busy(Talk(), 12)
        found: list[Placed] = []
        place = (0, 0, 0)
        while True:
            part = talk.world.driven(
                after(talk.state.session, standing(talk), place, talk.state.version, 9)
            )
            found += part.items
            if not part.newer:
                break
            place = part.items[-1].order
        assert found == live(talk).placed()

    def test_a_cell_that_ended_behind_a_page_is_shown_as_it_ended(self) -> None:
        talk = Talk().goes(c.RunCell("1"))
        place = live(talk).placed()[-1].order
        for number in range(30):
            talk.says(f"do {number}").answers("yes")
        talk.goes(r.CellEnded(1, CellId("c1"), r.Succeeded("1", "int"), 0.1))
        part = talk.world.driven(
            before(
                talk.state.session,
                standing(talk),
                (place[0], place[1] + 1, 0),
                talk.state.version,
                5,
            )
        )
        (cell,) = [one.item for one in part.items if isinstance(one.item, CellItem)]
        assert cell.entry.standing is CellStanding.FINISHED

    @pytest.mark.promise("DP-EVICT-04")
    def test_a_fork_is_read_back_into_the_session_it_was_forked_from(self) -> None:
        world = World()
        parent = busy(Talk(SessionId("session-parent"), world), 3)
        child = Talk(
            SessionId("session-child"),
            world,
            ForkPoint(SessionId("session-parent"), parent.block("do 1")),
        )
        child.says("instead").answers("well")
        found = paged(child, 4)
        said = [one.item.row.content for one in found if isinstance(one.item, SaidItem)]
        assert [one.text for one in said if hasattr(one, "text")] == ["do 0", "do 1", "instead"]
        assert not any(isinstance(one.item, CellItem) and "." in one.key for one in found), (
            "of the other session only the conversation is shown"
        )
        assert len({one.key for one in found}) == len(found)

    def test_of_an_edit_only_the_new_branch_is_shown(self) -> None:
        talk = Talk().says("one").answers("uno").says("two").answers("due")
        talk.goes(p.EditMessage(talk.block("two"), "three"))
        talk.answers("tre")
        said = [one.item.row.content for one in paged(talk, 3) if isinstance(one.item, SaidItem)]
        assert [one.text for one in said if hasattr(one, "text")] == ["one", "three"]

    def test_what_is_looked_through_is_bounded(self) -> None:
        talk = Talk()
        pages = 0
        looking = before(SessionId("s"), standing(talk), END, 10**9, 50)
        next(looking)
        try:
            while True:
                pages += 1
                looking.send(())
        except StopIteration:
            pass
        assert pages <= 2 * MOST_PAGES


@whenever(st.integers(1, 6), st.integers(1, 20), st.integers(0, 40))
def test_a_page_behind_any_item_begins_with_the_next(rounds: int, most: int, at: int) -> None:
    talk = busy(Talk(), rounds)
    whole = live(talk).placed()
    number = at % len(whole)
    part = talk.world.driven(
        after(talk.state.session, standing(talk), whole[number].order, talk.state.version, most)
    )
    assert list(part.items) == whole[number + 1 : number + 1 + most]
    assert part.newer == (number + 1 + most < len(whole))
