"""Forks and returns in the timeline: where they went, and the way out where they did not."""

from dataclasses import replace

import pytest
from tests.servers.dashboard.rendering.checked import looked_at
from tests.servers.dashboard.rendering.samples import BUSY, LOOK, NOON, entry, shown

from hearth.core.views.timeline_items import NoticeItem
from hearth.core.vocabulary import undoing as u
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.ids import BlockId, CellId, SessionId
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.turning import (
    MOST_PATHS,
    NO_COPY,
    kind_of,
    link_to,
    more_about,
    paths,
    ways_out,
)

TO = SessionId("session-b")
RETURNED = u.SessionReturned(
    BlockId("b4"),
    u.RewindScope(interpreter=True, files=True),
    (CellId("c2"), CellId("c3")),
    u.ForkHow.COPY,
    (PathChange("a.py", ChangeKind.CREATED),),
    problems=("the interpreter: <busy>",),
)
LAST = replace(LOOK, last_return="x1")


def told(event: u.UndoEvent, look: Look = LOOK) -> str:
    return shown(NoticeItem(NOON, "words", entry(cell="", standing=None), event), look)


@pytest.mark.parametrize("how", u.ForkHow)
def test_a_fork_links_to_where_it_goes_on_and_says_what_was_otherwise(how: u.ForkHow) -> None:
    html = told(u.SessionForked(TO, how, "failed this time: c2"))
    assert 'href="/dashboard/s/session-b"' in html
    text = looked_at(html).text
    assert "Open session-b" in text
    assert "failed this time: c2" in text
    assert "ada" in text


def test_a_fork_with_a_name_is_called_by_it() -> None:
    html = told(u.SessionForked(TO, u.ForkHow.COPY, name="night <b>"))
    assert 'href="/dashboard/s/session-b"' in html
    assert "Open night <b>" in looked_at(html).text


def test_a_fork_that_failed_names_the_obstacles_and_the_ways_out() -> None:
    html = told(u.ForkFailed(TO, "it cannot be copied", ("a thread <x> runs",)))
    text = looked_at(html).text
    assert text.count("a thread <x> runs") == 1, "once is enough"
    assert NO_COPY in text
    assert "Fork by replay" in text
    assert "Fork with an empty interpreter" in text
    assert "&quot;how&quot;:&quot;replay&quot;" in html
    assert "is-bad" in html
    assert "b7" in ways_out("b7")


def test_a_fork_that_failed_otherwise_offers_no_fork_from_somewhere_else() -> None:
    failed = u.ForkFailed(TO, "there are too many sessions")
    assert more_about(failed, LOOK, is_last=False) is None
    html = told(failed)
    assert "/dashboard/fork" not in html
    assert "words" in html


def test_a_return_tells_what_it_did_and_the_last_one_can_be_undone() -> None:
    text = looked_at(told(RETURNED)).text
    for part in ("c2, c3", "by a copy", "a.py", "the interpreter: <busy>"):
        assert part in text
    assert "Undo this rewind" not in text
    assert "Undo this rewind" in told(RETURNED, LAST)
    assert "Undo this rewind" not in told(RETURNED, replace(BUSY, last_return="x1"))
    undone = u.SessionReturned(BlockId(""))
    assert "Undo this rewind" not in told(undone, LAST)


def test_a_return_of_the_conversation_alone_has_no_more_to_tell() -> None:
    assert more_about(u.SessionReturned(BlockId("b4")), LOOK, is_last=False) is None
    again = u.SessionReturned(BlockId("b4"), cells=(CellId("c1"),), how=u.ForkHow.REPLAY)
    assert "running the cells before again" in told(again)


def test_what_failed_is_marked_and_what_is_quiet_too() -> None:
    assert kind_of(u.UndoFailed("x")) == kind_of(u.ReturnFailed("x")) == " is-bad"
    assert kind_of(u.CopiesDropped((CellId("c1"),))) == " is-quiet"
    assert kind_of(None) == kind_of(u.CellsUndone((CellId("c1"),))) == ""


def test_files_are_counted_where_there_are_many() -> None:
    many = tuple(PathChange(f"{n}.py", ChangeKind.DELETED) for n in range(MOST_PATHS + 1))
    assert "… and 3 more files" in str(paths(many, 2))
    assert paths((), 0) is None
    assert "b · c" in link_to(TO, "b · c")
