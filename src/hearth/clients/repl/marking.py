"""Markdown for a terminal, line by line as it is written: lightly, and obeying none of it."""

import re
from typing import Final

from hearth.clients.repl.sanitising import RESET, clean

LONGEST_FENCE: Final = 300
"""Lines of code that are coloured; those after them are shown as they are."""

_FENCE: Final = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})\s*(?P<language>[\w+#.-]*)")
_HEADING: Final = re.compile(r"#{1,6}\s+(?P<title>.*?)\s*#*\s*$")
_SPAN: Final = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)|\*\*(?P<strong>\S(?:[^*]*\S)?)\*\*"
)
_BEGINS: Final = re.compile(r"\s*[^\W\d]")
"""A line of code that would look otherwise inside of a text or a comment."""


class Markdown:
    """The lines of one text, each shown once: headings, strong words and code stand out."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._mark = ""
        self._language = ""
        self._length = 0
        self._code: list[str] = []
        """The lines of this fence that the next one may depend on."""

    def line(self, source: str) -> str:
        """The next line as it is shown."""
        line = clean(source, colour=False)
        fence = _FENCE.match(line)
        if self._mark:
            if fence is not None and fence["mark"].startswith(self._mark):
                self._mark = ""
                return self._in("2", line)
            return self._highlighted(line)
        if fence is not None:
            self._mark, self._language = fence["mark"], fence["language"]
            self._length, self._code = 0, []
            return self._in("2", line)
        if not self._colour:
            return line
        heading = _HEADING.match(line)
        return self._in("1", heading["title"]) if heading else _SPAN.sub(self._span, line)

    def lines(self, source: str) -> str:
        """A whole text."""
        return "\n".join(self.line(one) for one in source.split("\n"))

    def _span(self, found: re.Match[str]) -> str:
        strong = found["strong"]
        return self._in("36", found["code"]) if strong is None else self._in("1", strong)

    def _highlighted(self, line: str) -> str:
        """A line of code, with what was before it: a text may have begun there."""
        self._length += 1
        if not self._colour or not self._language or self._length > LONGEST_FENCE:
            return line
        self._code.append(line)
        shown = _coloured("\n".join(self._code), self._language).split("\n")
        if len(shown) < len(self._code):
            return line
        coloured = shown[len(self._code) - 1]
        if _BEGINS.match(line) and coloured == _coloured(line, self._language):
            self._code = [line]  # nothing was open: all before it need not be coloured again
        return coloured

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{RESET}" if self._colour and text else text


def _coloured(code: str, language: str) -> str:
    """Code in colours; as it is where nobody knows the language."""
    # The first fence pays for it: a prompt must be there at once.
    from pygments import highlight  # noqa: PLC0415 - as the comment says
    from pygments.formatters.terminal import TerminalFormatter  # noqa: PLC0415 - as above
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415 - as above
    from pygments.util import ClassNotFound  # noqa: PLC0415 - as above

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return code
    return str(highlight(code, lexer, TerminalFormatter()))
