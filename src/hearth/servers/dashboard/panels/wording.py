"""Numbers, times and names as people read them, each short enough for a narrow column."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.origin import Actor, Origin

LINE: Final = 200
"""Characters of what stands on one line."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_SOON: Final = 5


def utc_now() -> datetime:
    """What time it is."""
    return datetime.now(UTC)


Clock = Callable[[], datetime]


def one_line(words: str, most: int = LINE) -> str:
    """How a text begins, on one line; `…` where something is left out."""
    line = " ".join(words[: 4 * most].split())
    is_cut = len(line) > most or len(words) > 4 * most
    return f"{line[: most - 1]}…" if is_cut else line


def counted(number: int, what: str, several: str = "") -> str:
    """`1 request`, `2 requests`."""
    return f"{number:,} {what if number == 1 else several or f'{what}s'}"


def tokens(number: int) -> str:
    """A number of tokens, short: `12.3k`."""
    if number < 1000:
        return str(number)
    if number < 100_000:
        return f"{number / 1000:.1f}k"
    return f"{number / 1000:.0f}k" if number < 1_000_000 else f"{number / 1_000_000:.2f}M"


def money(cost: float | None) -> str:
    """US dollars; what has no known price costs nobody knows what."""
    return "unknown" if cost is None else f"${cost:.4f}"


def share(part: float) -> str:
    """A part of a whole in percent; only all of it is 100 %."""
    whole = round(part * 100)
    return f"{min(whole, 99) if part < 1 else whole} %"


def size(number: int) -> str:
    """Bytes, in the unit that people would use."""
    amount = float(number)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{number} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def span(seconds: float) -> str:
    """A time in the unit that people would use."""
    if seconds < _MINUTE:
        return f"{max(0, int(seconds))} s"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min"
    if seconds < 2 * _DAY:
        hours, minutes = divmod(int(seconds // _MINUTE), 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{int(seconds // _DAY)} days"


def ago(then: datetime, now: datetime) -> str:
    """How long ago that was: `2 min ago`."""
    passed = (now - then).total_seconds()
    return "just now" if passed < _SOON else f"{span(passed)} ago"


def clock(then: datetime, now: datetime) -> str:
    """A time of day, with the date where it is not today's."""
    local, today = then.astimezone(), now.astimezone()
    is_today = local.date() == today.date()
    return local.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M")


def folder(path: str, home: str = "") -> str:
    """A path as people write it: with their home as `~`."""
    home = (home or str(Path.home())).rstrip("/")
    is_below = bool(home) and (path == home or path.startswith(f"{home}/"))
    return f"~{path[len(home) :]}" if is_below else path


def below(path: str, root: str) -> str:
    """A path from the root of its project, where it is in there."""
    start = f"{root.rstrip('/')}/"
    return path.removeprefix(start) if root and path != start else folder(path)


def name_of(origin: Origin) -> str:
    """Who."""
    if origin.actor is Actor.SYSTEM:
        return origin.name or "hearth"
    return origin.name or origin.actor.replace("_", " ")
