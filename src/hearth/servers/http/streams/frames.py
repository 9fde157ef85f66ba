"""Rows and progress as server-sent events: each is encoded once, whoever gets it."""

from typing import Final

from hearth.api import Shown
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Stored

KEEP_ALIVE: Final = b":\n\n"
"""A comment: it says that the stream lives, and nothing else."""


def row_frame(row: Stored) -> bytes:
    """A row of the log; its `id` is the cursor to go on from."""
    return b"id: %d\ndata: %b\n\n" % (row.seq, _one_line(codec.envelope_json(row)))


def shown_frame(shown: Shown) -> bytes:
    """Progress. It has no `id`, so a client that comes back does not count it."""
    return b"event: progress\ndata: %b\n\n" % _one_line(codec.encode(shown))


def cursor_frame(cursor: int) -> bytes:
    """Where a stream begins. No event to its reader, but a browser goes on from there too."""
    return b"id: %d\n\n" % cursor


def _one_line(data: bytes) -> bytes:
    # hearth writes no line breaks into its JSON, but an archive may have been made by others. They
    # can only stand between values, where a space means the same.
    if b"\n" in data or b"\r" in data:
        return data.replace(b"\r", b" ").replace(b"\n", b" ")
    return data
