"""However a stream is cut into pieces, the rows of the log come out of it byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.facts import renamed, started

from hearth.api import Item, Shown
from hearth.clients.remote.frames import Frames, NotOurs, stored
from hearth.core.vocabulary.codec import envelope_json
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.progress import OutputChunk
from hearth.servers.http.streams.frames import KEEP_ALIVE, cursor_frame, row_frame, shown_frame

S = SessionId("session-aaaaaa")
odd = st.text(max_size=20)
rows = st.builds(lambda seq, code: Stored(seq, S, seq, started(code).data), st.integers(1), odd)
shows = st.builds(lambda text: Shown(S, OutputChunk(CellId("c1"), "stdout", text)), odd)


def frame(item: Item) -> bytes:
    return row_frame(item) if isinstance(item, Stored) else shown_frame(item)


@given(st.lists(rows | shows, max_size=8), st.data())
def test_what_was_sent_comes_out_however_cut(items: list[Item], data: st.DataObject) -> None:
    stream = b"".join(part for item in items for part in (KEEP_ALIVE, frame(item)))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12).map(sorted))
    frames = Frames()
    read: list[Item] = []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        read += [item for item, _ in frames.feed(stream[begin:end])]
    assert read == items
    seqs = [item.seq for item in items if isinstance(item, Stored)]
    assert frames.cursor == (seqs[-1] if seqs else None)


@given(rows)
def test_a_row_has_the_bytes_of_the_log(row: Stored) -> None:
    assert stored(envelope_json(row)) == row


def test_odd_sessions_are_no_exception() -> None:
    row = Stored(3, SessionId('a "quoted" \u2028 \\ name'), 1, renamed("x").data)
    assert stored(envelope_json(row)) == row


def test_where_a_stream_begins_is_known_before_its_first_row() -> None:
    frames = Frames()
    assert frames.feed(cursor_frame(41)) == []
    assert frames.cursor == 41
    assert frames.feed(b"") == []


def test_progress_that_is_not_understood_is_left_out() -> None:
    frames = Frames()
    new = b'event: progress\ndata: {"session":"s","progress":{"type":"of_a_newer_daemon"}}\n\n'
    assert frames.feed(new + b"event: other\ndata: {}\n\n") == []


@pytest.mark.parametrize(
    "wrong",
    [
        b"data: <html>\n\n",
        b'data: {"seq":1}\n\n',
        b'data: {"version":1,"seq":1,"session":"s","id":"x"}\n\n',
        b"id: first\ndata: {}\n\n",
    ],
)
def test_what_no_daemon_sends_is_told(wrong: bytes) -> None:
    with pytest.raises(NotOurs):
        Frames().feed(wrong)


def test_a_very_large_frame_in_very_many_pieces_costs_little() -> None:
    row = Stored(1, S, 1, started("x" * 4_000_000).data)
    sent = row_frame(row)
    frames = Frames()
    read = [
        item
        for begin in range(0, len(sent), 1000)
        for item, _ in frames.feed(sent[begin : begin + 1000])
    ]
    assert read == [row]
