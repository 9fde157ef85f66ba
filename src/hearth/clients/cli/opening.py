"""`hearth open`: a link to the dashboard that works once."""

from __future__ import annotations

import os
import sys

from hearth.clients.cli.messages import Request
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out, tell
from hearth.clients.cli.troubles import OK

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from hearth.clients.cli.parsing import Asked


def carry_out(asked: Asked) -> int:
    """Print the link and open it; the exit code."""
    with reach() as wire:
        made = wire.ask(Request("POST", "/codes", {})).good()
    url = str(made["url"])
    is_opened = not asked.has("no-browser") and opened(url)
    if asked.has("json"):
        emit({"url": url, "expiresAt": made.get("expiresAt"), "opened": is_opened})
        return OK
    out(url)
    tell(
        "opened in the browser; the link works once"
        if is_opened
        else "open it within a minute; it works once"
    )
    return OK


def opened(url: str) -> bool:
    """Whether a browser was given the link. Never in a terminal: it would take it over."""
    has_display = sys.platform == "darwin" or any(
        os.environ.get(one) for one in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    if not has_display:
        return False
    import webbrowser  # noqa: PLC0415 - it looks for browsers: only who opens one waits for that

    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False  # the link is printed all the same
