"""How lines look: with colours and line drawings where the terminal has them, readable without."""

import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from hearth.clients.repl.sanitising import RESET, clean
from hearth.core.vocabulary.origin import Actor, Door, Origin

_SHOWN_ACTORS: Final = {
    Actor.PERSON: "",
    Actor.AGENT: "agent",
    Actor.MCP_CLIENT: "client",
    Actor.FILE_WATCHER: "file watcher",
    Actor.SYSTEM: "",
}


class Paint(NamedTuple):
    """What a terminal can show."""

    colour: bool = False
    drawings: bool = True
    """Whether its encoding has more than ASCII."""
    notes: bool = True
    """Whether types and durations stand beside what is shown."""

    def dim(self, text: str) -> str:
        """Text that is there for those who look for it."""
        return self._in("2", text)

    def strong(self, text: str) -> str:
        """Text to be seen first."""
        return self._in("1", text)

    def warning(self, text: str) -> str:
        """Text about something that needs care."""
        return self._in("33", text)

    def trouble(self, text: str) -> str:
        """Text about something that went wrong."""
        return self._in("31", text)

    def added(self, text: str) -> str:
        """A line that was added to a file."""
        return self._in("32", text)

    def place(self, text: str) -> str:
        """Where in a file lines were changed."""
        return self._in("36", text)

    def rule(self, text: str = "") -> str:
        """A line that sets apart what follows."""
        dash = "──" if self.drawings else "--"
        return self._in("36", f"{dash} {text} {dash}" if text else dash)

    @property
    def dot(self) -> str:
        """Between two things on one line."""
        return " · " if self.drawings else " - "

    @property
    def more(self) -> str:
        """Where something was left out."""
        return "…" if self.drawings else "..."

    @property
    def mark(self) -> str:
        """Before what an agent calls."""
        return "▸" if self.drawings else "*"

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{RESET}" if self.colour and text else text


def paint_for(*, is_terminal: bool, encoding: str, environ: Mapping[str, str]) -> Paint:
    """What can be shown where output goes: `NO_COLOR` and dumb terminals are respected."""
    colour = is_terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return Paint(colour=colour, drawings=encoding.lower().replace("-", "") == "utf8")


def author(origin: Origin) -> str:
    """Who, and through which door: `bot (agent, mcp)`."""
    name = clean(origin.name, colour=False).replace("\n", " ")[:60]
    if origin.actor is Actor.SYSTEM:
        return "hearth"
    kind = _SHOWN_ACTORS[origin.actor]
    door = "" if origin.door is Door.ENGINE else origin.door.value
    about = ", ".join(one for one in (kind, door) if one)
    return f"{name or origin.actor.value} ({about})" if about else name or origin.actor.value


def name_of(origin: Origin) -> str:
    """Who, where there is no room for more."""
    return clean(origin.name, colour=False) or origin.actor.value


def seconds(duration: float) -> str:
    """A duration for people."""
    if duration < 10:
        return f"{duration:.1f} s" if duration >= 0.1 else f"{duration * 1000:.0f} ms"
    if duration < 120:
        return f"{duration:.0f} s"
    return str(timedelta(seconds=round(duration)))


def ago(then: datetime | None, now: datetime) -> str:
    """How long ago something was."""
    if then is None:
        return "never"
    passed = max(0.0, (now - then).total_seconds())
    if passed < 60:
        return "just now"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if passed >= size:
            count = int(passed // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def moment(then: datetime | None, now: datetime) -> str:
    """A time of day, with the date where it is not today's."""
    if then is None:
        return "not yet"
    local, today = then.astimezone(), now.astimezone()
    same_day = local.date() == today.date()
    return local.strftime("%H:%M:%S" if same_day else "%Y-%m-%d %H:%M")


def shortened(path: str, home: str | None = None) -> str:
    """A path with the person's home written as `~`."""
    home = os.path.expanduser("~") if home is None else home  # noqa: PTH111 - pathlib is not needed here
    if home and path == home:
        return "~"
    if home and path.startswith(home.rstrip("/") + "/"):
        return "~" + path[len(home.rstrip("/")) :]
    return path
