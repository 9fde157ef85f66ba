"""Notices of the timeline: forks have one line from the wish to the end, and drops are quiet."""

from tests.contracts.given import READY, Spoken, given
from tests.contracts.taking import C1, TWO, UNDONE, copies

from hearth.core.views.timeline_items import NoticeItem
from hearth.core.views.timeline_notices import notice_key, noticed
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.undoing import ForkHow

TO = SessionId("session-b")
FORKED = (*READY, c.ForkSession(TO))


def noted(*spoken: Spoken) -> list[tuple[Envelope, NoticeItem]]:
    made = ((one, noticed(one)) for one in given(*spoken).envelopes())
    return [(one, item) for one, item in made if item is not None]


def test_what_becomes_of_a_fork_stands_where_it_was_wished_for() -> None:
    asked, there = noted(*FORKED, r.ForkEnded(InputId("i3"), ForkHow.COPY))[-2:]
    assert isinstance(asked[1].event, e.ForkRequested)
    assert isinstance(there[1].event, e.SessionForked)
    assert notice_key(asked[0]) == notice_key(there[0]) == f"fork-{TO}"
    failed = noted(*FORKED, r.ForkEnded(InputId("i3"), problem="a thread"))[-1]
    assert isinstance(failed[1].event, e.ForkFailed)
    assert notice_key(failed[0]) == f"fork-{TO}"


def test_what_was_taken_back_carries_its_event_and_who_wanted_it() -> None:
    envelope, item = noted(*UNDONE)[-1]
    assert item.words == "took back c2"
    assert isinstance(item.event, e.CellsUndone)
    assert item.entry is not None
    assert notice_key(envelope) == f"n{envelope.version}"


def test_copies_that_go_are_told_and_what_is_asked_for_is_not() -> None:
    *_, (_, item) = noted(*TWO, r.CopiesGone(1, copies(C1), "memory is short"))
    assert item.words == "c2 can no longer be taken back: memory is short"
    asked = [one for one in given(*UNDONE).envelopes() if isinstance(one.event, e.UndoRequested)]
    assert [noticed(one) for one in asked] == [None]


def test_an_ordinary_notice_has_no_event() -> None:
    assert {item.event for _, item in noted(*READY)} == {None}
