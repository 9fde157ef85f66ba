"""What is taken back, tried and forked, in the one timeline of a session."""

from tests.contracts.given import READY, Spoken, given
from tests.contracts.playing_talks import Talk
from tests.contracts.taking import C1, C2, RESULTS, TRIED, TRYING, TWO, UNDONE, copies, ran

from hearth.core.views.talk import Talk as Standing
from hearth.core.views.timeline import Timeline
from hearth.core.views.timeline_cells import is_open, shown_in
from hearth.core.views.timeline_items import NoticeItem
from hearth.core.views.timeline_reading import before
from hearth.core.views.transcript import CellStanding, Entry
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.undoing import ForkHow, ForkRequested, SessionForked, UndoFor

TO = SessionId("session-b")
RESTORED = given(*TWO).state.undo.kept


def folded(*spoken: Spoken) -> Timeline:
    timeline = Timeline(Standing())
    for one in given(*spoken).envelopes():
        timeline.take(one)
    return timeline


def entry(timeline: Timeline, cell: CellId) -> Entry:
    known = shown_in(placed.item if (placed := timeline.get(cell)) else None)
    assert known is not None
    return known.entry


def test_cells_are_marked_as_taken_back_and_as_brought_back() -> None:
    timeline = folded(*UNDONE)
    assert (entry(timeline, C1).undone, entry(timeline, C2).undone) == (False, True)
    again = folded(*UNDONE, c.RedoCells(), r.WorkerReverted(1, InputId("i9"), RESTORED))
    assert not entry(again, C2).undone


def test_a_trial_is_a_cell_with_its_variants() -> None:
    timeline = folded(*TRYING)
    assert entry(timeline, C1).standing is CellStanding.RUNNING
    timeline = folded(*TRIED)
    assert [one.result for one in entry(timeline, C1).variants] == list(RESULTS)
    kept = folded(*TRIED, c.KeepVariant(1))
    assert (entry(kept, C1).kept, entry(kept, C1).value) == (1, "1")
    none = folded(*TRIED, c.KeepVariant(0))
    assert entry(none, C1).notice.startswith("none was kept")


def test_a_fork_is_one_line_that_is_open_until_it_is_there() -> None:
    asked = folded(*READY, c.ForkSession(TO)).get(f"fork-{TO}")
    assert asked is not None
    assert isinstance(asked.item, NoticeItem)
    assert isinstance(asked.item.event, ForkRequested)
    assert is_open(asked.item)
    ended = r.ForkEnded(InputId("i3"), ForkHow.COPY)
    there = folded(*READY, c.ForkSession(TO), ended).get(f"fork-{TO}")
    assert there is not None
    assert isinstance(there.item, NoticeItem)
    assert isinstance(there.item.event, SessionForked)
    assert there.order == asked.order
    assert not is_open(there.item)


def test_an_older_page_knows_what_was_taken_back_behind_it() -> None:
    talk = Talk().goes(c.ChooseUndo(UndoFor.EVERYONE), c.RunCell("1"), ran(C1, C1))
    talk.goes(c.RunCell("2"), ran(C2, C1, C2), c.UndoCells())
    asked, last = talk.facts[-1].cause, talk.state.version
    talk.goes(r.WorkerReverted(1, asked, copies(C1), can_return=True))
    session, through = talk.state.session, talk.state.version
    found = talk.world.driven(before(session, Standing(), (0, last, 0), through, 50))
    cells = [one.entry for item in found.items if (one := shown_in(item.item)) is not None]
    assert [(one.cell, one.undone) for one in cells] == [(C1, False), (C2, True)]
