"""What is sent to a page: frames of server-sent events that Datastar applies to its elements.

A frame names the tab it is for, because the tabs of one browser share one connection.
"""

from typing import Final, Literal, TypeAlias

import msgspec

from hearth.servers.dashboard.html import Html

Mode: TypeAlias = Literal["outer", "inner", "append", "prepend", "before", "after", "remove"]

ELEMENTS: Final = "datastar-patch-elements"
BEAT: Final = b"event: hearth-beat\ndata: \n\n"
"""Says that the daemon lives; a comment would be heard by nobody in a page."""


def patch(markup: Html, *, to: str = "", mode: Mode = "outer") -> bytes:
    """Put markup in its place: by the ids of its elements, or relative to the element `to`."""
    lines = []
    if to:
        lines.append(f"data: selector #{to}")
    if mode != "outer":
        lines.append(f"data: mode {mode}")
    # Every kind of line break that a browser knows, and none that only Python knows.
    pieces = markup.replace("\r\n", "\n").replace("\r", "\n").split("\n") if markup else ()
    lines += [f"data: elements {piece}" for piece in pieces]
    return "\n".join((f"event: {ELEMENTS}", *lines, "", "")).encode(errors="replace")


def remove(element: str) -> bytes:
    """Take an element away."""
    return patch(Html(""), to=element, mode="remove")


def told(name: str, **about: object) -> bytes:
    """Something for the page's own scripts."""
    return b"event: %s\ndata: json %s\n\n" % (name.encode(), msgspec.json.encode(about))


def addressed(frames: bytes, tab: str, cursor: int) -> bytes:
    """Frames for one tab; a page that comes back says the cursor of the last one it has."""
    mark = f"id: {cursor}\ndata: tab {tab}\n".encode()
    # No frame has an empty line in it: what is sent in one stands behind `data:`.
    return b"".join(mark + one + b"\n\n" for one in frames.split(b"\n\n") if one)
