"""Small things that the sidebar, the page of all sessions and the search are drawn from."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.servers.dashboard.html import EMPTY, Html, element, span, time
from hearth.servers.dashboard.sidebar.lines import DOTS, Author, State

HOME: Final = str(Path.home())
BADGES: Final = {
    Actor.PERSON: "person",
    Actor.AGENT: "agent",
    Actor.MCP_CLIENT: "client",
    Actor.FILE_WATCHER: "system",
    Actor.SYSTEM: "system",
}
MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR


def place_of(session: SessionId, version: int | None = None) -> str:
    """The address of a session's page, at what happened as its so-and-so-many-th event."""
    path = f"/dashboard/s/{quote(session, safe='')}"
    return path if version is None else f"{path}?at={version}"


def row_id(session: SessionId) -> str:
    """The id of the element that shows a session in the sidebar."""
    return f"s-{quote(session, safe='').replace('%', '_')}"


def short(directory: str, home: str = HOME) -> str:
    """The end of a path, which says most about it."""
    path = directory.rstrip("/") or directory
    if home not in {"", "/"} and (path == home or path.startswith(f"{home}/")):
        path = f"~{path[len(home) :]}"
    parts = path.split("/")
    return path if len(parts) <= 4 else f"…/{'/'.join(parts[-2:])}"


def ago(at: datetime | None, now: datetime) -> Html:
    """How long ago something was; sidebar.js keeps it fresh, in the same words."""
    if at is None:
        return EMPTY
    seconds = (now - at).total_seconds()
    if seconds < 45:
        words = "just now"
    elif seconds < HOUR:
        words = f"{max(1, round(seconds / MINUTE))} min ago"
    elif seconds < DAY:
        words = f"{round(seconds / HOUR)} h ago"
    elif seconds < 7 * DAY:
        words = f"{round(seconds / DAY)} d ago"
    else:
        words = f"{at.day} {at:%b %Y}"
    stamp = at.astimezone(UTC).isoformat(timespec="seconds")
    return time(words, datetime=stamp, class_="ago", title=f"{stamp[:19].replace('T', ' ')} UTC")


def dot(state: State) -> Html:
    """The state as a shape; its words stand beside it."""
    return span(class_=f"dot dot-{DOTS[state]}", aria_hidden="true")


def badge(author: Author, me: str) -> Html:
    """Who it was."""
    kind = BADGES[author.actor]
    what = author.actor.replace("_", " ")
    name = author.name.rpartition(":")[2] if author.actor is Actor.AGENT else author.name
    named = "you" if is_me(author, me) else name or what
    about = f"{what} {author.name}".strip()
    return span(named, class_=f"badge badge-{kind}", title=about)


def is_me(author: Author, me: str) -> bool:
    """Whether it was the person who looks."""
    return author.actor is Actor.PERSON and author.name == me


def flame() -> Html:
    """The mark of hearth."""
    outer = "M8 1c.6 2.6 4.6 4.4 4.6 8.3A4.6 4.6 0 0 1 8 15a4.6 4.6 0 0 1-4.6-5.7C3.7 7.5 5 6.7 5.4 5c.9.6 1.4 1.4 1.5 2.4C7.9 6 8.4 3.600 8 1z"  # noqa: E501 - a path is one word
    inner = "M8 9.400c.3 1 1.700 1.600 1.700 3A1.700 1.700 0 0 1 8 14a1.700 1.700 0 0 1-1.700-1.600c0-1.200 1.100-1.700 1.700-3z"  # noqa: E501 - a path is one word
    shapes = (
        element("path", (), {"d": outer, "fill": "currentColor"}),
        element("path", (), {"d": inner, "class": "flame-in"}),
    )
    box = {"viewBox": "0 0 16 16", "class": "flame", "aria-hidden": "true", "focusable": "false"}
    return element("svg", shapes, box)


def icon(name: str) -> Html:
    """A drawing for a button, which says in words what it does besides."""
    path = element("path", (), {"d": _ICONS[name]})
    box = {"viewBox": "0 0 16 16", "class": "icon", "aria-hidden": "true", "focusable": "false"}
    return element("svg", (path,), box)


_ICONS: Final = {
    "new": "M8 3v10M3 8h10",
    "search": "M7 2.500a4.500 4.500 0 1 0 0 9a4.500 4.500 0 0 0 0-9zM10.300 10.300L14 14",
    "fold": "M2.500 3h11v10h-11zM6.500 3v10M11 6L9 8l2 2",
    "more": "M3.500 8h.01M8 8h.01M12.500 8h.01",
    "close": "M4 4l8 8M12 4l-8 8",
}
