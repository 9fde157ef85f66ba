"""How things look: columns, times and colours for people, one JSON object for programs.

What was asked for goes to stdout, everything else to stderr. All of it can be read without colour.
"""

from __future__ import annotations

import os
import sys
import time

from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Sequence
    from typing import Any, Final, TextIO

    from hearth.clients.cli.troubles import Trouble

BOLD: Final = "1"
DIM: Final = "2"
RED: Final = "31"
GREEN: Final = "32"
YELLOW: Final = "33"
CYAN: Final = "36"

STATES: Final = {
    "ready": GREEN,
    "evaluating": CYAN,
    "warming_up": YELLOW,
    "faulted": RED,
    "stopped": DIM,
}


def out(text: str) -> None:
    """A line of what was asked for."""
    sys.stdout.write(text + "\n")


def tell(text: str) -> None:
    """A line beside it."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def emit(value: Any) -> None:
    """One JSON object, on one line."""
    out(plain_json.dumps(value))


def report(trouble: Trouble, *, as_json: bool) -> None:
    """Tell why a command ended."""
    if as_json:
        emit(trouble.as_json())
        return
    tell(f"{painted(RED, 'error', sys.stderr)}: {clean(trouble.message)}")
    if trouble.hint:
        tell(f"{painted(CYAN, 'hint', sys.stderr)}: {clean(trouble.hint)}")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads or writes there."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False  # it was closed


def has_colours(stream: TextIO) -> bool:
    """Whether colours are wanted there (see no-color.org)."""
    return (
        is_terminal(stream)
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "") not in {"", "dumb"}
    )


def painted(colour: str, text: str, stream: TextIO | None = None) -> str:
    """The text in a colour, where there are colours."""
    wanted = has_colours(sys.stdout if stream is None else stream)
    return f"\x1b[{colour}m{text}\x1b[0m" if wanted and text else text


def table(head: Sequence[str], rows: Sequence[Sequence[str]], colours: dict[str, str]) -> list[str]:
    """Aligned columns under their names; a cell that is in `colours` gets that colour."""
    widths = [max(len(row[place]) for row in [head, *rows]) for place in range(len(head))]

    def line(cells: Sequence[str], *, is_head: bool) -> str:
        parts = []
        for cell, width in zip(cells, widths, strict=True):
            colour = DIM if is_head else colours.get(cell, "")
            parts.append((painted(colour, cell) if colour else cell) + " " * (width - len(cell)))
        return "  ".join(parts).rstrip()

    return [line(head, is_head=True), *(line(row, is_head=False) for row in rows)]


def epoch(text: str | None) -> float | None:
    """The seconds since 1970 of a time in UTC as the wire writes it; None if it is none."""
    # By hand: datetime takes longer to import than to ask the daemon.
    if not text or len(text) < 19:
        return None
    try:
        year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
        clock = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + int(text[17:19])
    except ValueError:
        return None
    # Years are counted from March, so that the leap day comes last.
    year -= month <= 2
    days = (
        365 * year
        + year // 4
        - year // 100
        + year // 400
        + (153 * ((month + 9) % 12) + 2) // 5
        + day
        - 719_469
    )  # fmt: skip - one sum
    return days * 86_400.0 + clock


def ago(text: str | None, now: float | None = None) -> str:
    """How long ago that was: `2 min ago`."""
    then = epoch(text)
    if then is None:
        return "-"
    passed = (time.time() if now is None else now) - then
    return "just now" if passed < 5 else f"{span(passed)} ago"


def span(seconds: float) -> str:
    """A time in the unit that people would use."""
    if seconds < 60:
        return f"{max(0, int(seconds))} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 48 * 3600:
        hours, minutes = divmod(int(seconds // 60), 60)
        return f"{hours} h {minutes} min" if hours < 5 and minutes else f"{hours} h"
    return f"{int(seconds // 86_400)} days"


def money(cost: float) -> str:
    """US dollars: `$0.0123`."""
    return f"${cost:.4f}"


def spent(row: dict[str, Any]) -> str:
    """What a session cost, for a list; empty if it is nothing, or no price is known."""
    cost = row.get("cost") or 0.0
    return money(cost) if cost >= 0.00005 else ""


def columns(stream: TextIO) -> int:
    """How wide the terminal is that is written to; 80 if nobody knows."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def folder(path: str) -> str:
    """A path as people write it."""
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib takes too long to import
    is_below = path == home or path.startswith(home + "/")
    return clean(f"~{path[len(home) :]}" if is_below else path)


def clean(text: str) -> str:
    """The text without what a terminal would take for an order."""
    return "".join(one if one.isprintable() or one in "\n\t" else "?" for one in text)


def first_line(text: str, most: int = 60) -> str:
    """The beginning of it, for one line; `…` where something is left out."""
    lines = text.strip().split("\n", 1)
    head = clean(lines[0].rstrip().replace("\t", " "))
    if len(head) > most:
        return head[: most - 1] + "…"
    return f"{head} …" if len(lines) > 1 else head
