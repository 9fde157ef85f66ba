"""Small things in words: how long, how large, when, and by whom."""

from datetime import datetime, timedelta
from typing import Final

from hearth.core.vocabulary.origin import Actor, Origin
from hearth.servers.dashboard.html import Html, span, time
from hearth.servers.dashboard.rendering.visible import one_line

LONGEST_NAME: Final = 80
_BADGES: Final = {
    Actor.PERSON: ("person", "person"),
    Actor.AGENT: ("agent", "agent"),
    Actor.MCP_CLIENT: ("client", "client"),
    Actor.FILE_WATCHER: ("system", "file watcher"),
    Actor.SYSTEM: ("system", "hearth"),
}


def seconds(duration: float) -> str:
    """A duration for people."""
    if duration < 10:
        return f"{duration:.1f} s" if duration >= 0.1 else f"{max(0.0, duration) * 1000:.0f} ms"
    if duration < 120:
        return f"{duration:.0f} s"
    return str(timedelta(seconds=round(duration)))


def in_bytes(size: int) -> str:
    """A size in the unit that people would use."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def counted(count: int, what: str) -> str:
    """`1 line`, `3 lines`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def short(words: str, most: int) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(one_line(words[: 4 * most].replace("\n", " ").replace("\t", " ")).split())
    return line if len(line) <= most and len(words) <= 4 * most else f"{line[: most - 1]}…"


def when(at: datetime, now: datetime) -> Html:
    """The time of day, and the day if it is another one."""
    here = at.astimezone(now.tzinfo)
    shown = f"{here:%H:%M}" if here.date() == now.date() else f"{here.day} {here:%b %H:%M}"
    return time(shown, datetime=at.isoformat(), title=f"{here:%Y-%m-%d %H:%M:%S %Z}".rstrip())


def badge(author: Origin) -> Html:
    """Who it is of: what kind of author, and the name."""
    kind, words = _BADGES[author.actor]
    name = short(author.name, LONGEST_NAME)
    said = name or words
    return span(
        span(f"{words} ", class_="sr") if name else None,
        said,
        class_=f"badge badge-{kind}",
        title=f"{words} {name}".strip(),
    )
