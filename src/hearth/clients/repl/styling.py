"""Lines about agents, as a terminal shows them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hearth.clients.agents import lines as styles
from hearth.clients.repl.painting import Paint

if TYPE_CHECKING:  # it is there for the checker alone
    from hearth.clients.agents.lines import Line


def styled(lines: "Iterable[Line]", paint: Paint, indent: str = "  ") -> str:
    """The lines in their colours, below each other."""
    return "\n".join(f"{indent}{_painted(style, text, paint)}" for style, text in lines)


def _painted(style: str, text: str, paint: Paint) -> str:
    if not paint.drawings:
        text = text.encode("ascii", "backslashreplace").decode()
    ways = {
        styles.STRONG: paint.strong,
        styles.DIM: paint.dim,
        styles.WARNING: paint.warning,
        styles.ADDED: paint.added,
        styles.REMOVED: paint.trouble,
        styles.PLACE: paint.place,
    }
    return ways[style](text) if style in ways else text
