"""Lines about agents, in the colours of the command line."""

from __future__ import annotations

import sys

from hearth.clients.agents import lines as styles
from hearth.clients.cli import showing

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Iterable
    from typing import Final, TextIO

    from hearth.clients.agents.lines import Line

COLOURS: Final = {
    styles.PLAIN: "",
    styles.STRONG: showing.BOLD,
    styles.DIM: showing.DIM,
    styles.WARNING: showing.YELLOW,
    styles.ADDED: showing.GREEN,
    styles.REMOVED: showing.RED,
    styles.PLACE: showing.CYAN,
}


def styled(
    lines: Iterable[Line], stream: TextIO | None = None, indent: str = "  "
) -> Iterable[str]:
    """The lines as this stream shows them; stdout if none is named."""
    target = sys.stdout if stream is None else stream
    for style, text in lines:
        colour = COLOURS[style]
        yield indent + (showing.painted(colour, text, target) if colour else text)
