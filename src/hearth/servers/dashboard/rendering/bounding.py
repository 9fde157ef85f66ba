"""No text is sent in full just because somebody wrote it: head and tail, and where the rest is."""

from typing import Final, NamedTuple

from hearth.core.vocabulary.content import Blob, Text
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, a, div
from hearth.servers.dashboard.rendering.wording import in_bytes

MOST: Final = 64 * 1024
"""Characters of one piece of an item."""
_TAIL: Final = 8
_REMARK: Final = 64


class Bounded(NamedTuple):
    """As much of a text as is shown, and a note about the rest; an empty one where that is all."""

    text: str
    note: Html


def bounded(text: Text, session: SessionId, most: int = MOST) -> Bounded:
    """A text, or its beginning and a link to the whole of it; of a long one also its end."""
    if isinstance(text, Blob):
        shown = text.head[:most]
        return Bounded(shown, note("This is its beginning. ", whole(text, session)))
    if len(text) <= most:
        return Bounded(text, Html(""))
    tail = most // _TAIL
    head = most - tail - _REMARK
    left_out = len(text) - head - tail
    cut = f"{text[:head]}\n… {left_out:,} characters are left out here …\n{text[-tail:]}"
    return Bounded(cut, note(f"{left_out:,} characters of it are not shown."))


def whole(blob: Blob, session: SessionId) -> Html:
    """A link to all of a text that is kept apart."""
    if len(blob.sha256) != 64 or not blob.sha256.isalnum():
        return Html("")  # no hash of ours
    address = f"/dashboard/s/{session}/blob/{blob.sha256}?type=text"
    words = f"whole ({in_bytes(blob.size)})"
    return a(words, href=address, target="_blank", rel="noopener", class_="whole")


def note(*words: Html | str) -> Html:
    """A remark below something that is shown."""
    return div(*words, class_="note muted")


def text_of(text: Text) -> str:
    """A text as far as it is here."""
    return text.head if isinstance(text, Blob) else text


def is_whole(text: Text) -> bool:
    """Whether all of a text is here."""
    return not isinstance(text, Blob)
