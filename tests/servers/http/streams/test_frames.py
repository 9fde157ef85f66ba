"""What stands in a stream is the log's own JSON, and nothing in it can break a frame."""

import json

from hearth.api import Shown
from hearth.core.vocabulary.codec import envelope_json
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.progress import OutputChunk
from hearth.servers.http.streams.frames import KEEP_ALIVE, cursor_frame, row_frame, shown_frame

S = SessionId("session-aaaaaa")


def test_a_row_is_one_frame_with_its_cursor() -> None:
    row = Stored(7, S, 3, b'{"id":"a.0"}')
    assert row_frame(row) == b"id: 7\ndata: " + envelope_json(row) + b"\n\n"


def test_progress_has_no_cursor() -> None:
    shown = Shown(S, OutputChunk(CellId("c1"), "stdout", "one\ntwo\r\n\u2028three\n\n"))
    frame = shown_frame(shown)
    event, data, *rest = frame.split(b"\n")
    assert (event, rest) == (b"event: progress", [b"", b""])
    assert json.loads(data.removeprefix(b"data: "))["progress"]["text"] == (
        "one\ntwo\r\n\u2028three\n\n"
    )
    assert b"\r" not in frame


def test_a_row_that_others_wrote_with_line_breaks_is_still_one_frame() -> None:
    row = Stored(7, S, 3, b'{\r\n "id":\n"a.0"}')
    frame = row_frame(row)
    assert frame.count(b"\n") == 3
    assert b"\r" not in frame
    assert json.loads(frame.split(b"\n")[1].removeprefix(b"data: "))["id"] == "a.0"


def test_what_is_no_event_carries_no_data() -> None:
    assert b"data" not in KEEP_ALIVE + cursor_frame(12)
    assert cursor_frame(12) == b"id: 12\n\n"
