"""The end of a long line that is being written, folded to the width of the terminal."""

import re
import textwrap
from typing import Final

from hearth.clients.repl.sanitising import RESET

MOST_LINES: Final = 6
"""A prompt needs room, too."""

_COLOURED: Final = re.compile(r"(?P<begin>\x1b\[[0-9;]*m)(?P<text>[^\x1b]*)\x1b\[0m")


def tail(line: str, width: int) -> str:
    """The last lines of it; one with more than one colour stays as it is, and is cut off."""
    found = _COLOURED.fullmatch(line)
    text, begin = (found["text"], found["begin"]) if found is not None else (line, "")
    if len(text) <= width or "\x1b" in text:
        return line
    indent = text[: len(text) - len(text.lstrip())][: max(0, width // 4)]
    lines = textwrap.wrap(
        text.strip(), width, initial_indent=indent, subsequent_indent=indent, drop_whitespace=True
    )
    end = RESET if begin else ""
    return "\n".join(f"{begin}{one}{end}" for one in lines[-MOST_LINES:])
