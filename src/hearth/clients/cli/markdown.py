"""Markdown as a terminal can show it, while it is still being written.

Bold, code, headings, lists, quotes and fences; everything else stays as it is. What comes is shown
at once, but for the few characters of which nobody knows yet what they begin.
"""

from __future__ import annotations

from hearth.clients.cli.showing import BOLD, CYAN, DIM

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

BULLET: Final = "• "
QUOTE: Final = "│ "
FENCE: Final = 3
"""So many marks begin and end what is code for several lines."""
DEEPEST: Final = 6
"""Headings have at most so many marks."""
_END: Final = "\x1b[0m"
_KEPT: Final = "\n\t\u00a0\u2002\u2003\u2009\u200d\u202f\u3000"
"""Not printable for Python, but no order to a terminal either."""


def harmless(text: str) -> str:
    """The text without what a terminal would take for an order."""
    if text.isprintable():
        return text
    kept = "".join(one if one.isprintable() or one in _KEPT else "?" for one in text if one != "\r")
    return kept.expandtabs(4) if "\t" in kept else kept


class Markdown:
    """Feed it; what can be shown comes back. Without colours it comes back as it was."""

    def __init__(self, *, is_coloured: bool) -> None:
        self._is_coloured = is_coloured
        self._held = ""
        """What came and is not shown yet: it may be a part of something."""
        self._is_start = True
        self._fence = ""
        self._code = 0
        """So many marks began the code that is open in this line."""
        self._is_bold = False
        self._is_heading = False
        self._last = ""
        """The character before."""

    def feed(self, text: str) -> str:
        """What can be shown of all that came."""
        if not self._is_coloured:
            return text
        return self._shown(self._held + text, is_end=False)

    def close(self) -> str:
        """What was held back; no style goes on behind it."""
        if not self._is_coloured:
            return ""
        return self._shown(self._held, is_end=True) + self._plain()

    def _shown(self, text: str, *, is_end: bool) -> str:
        out: list[str] = []
        place = 0
        while place < len(text):
            step = self._begin if self._is_start else self._go_on
            after = step(text, place, out, is_end=is_end)
            if after == place:
                break  # what stands there is not complete
            place = after
        self._held = text[place:]
        return "".join(out)

    # -- the beginning of a line ----------------------------------------------------------------

    def _begin(self, text: str, place: int, out: list[str], *, is_end: bool) -> int:
        """Take what makes the line a heading, a list, a fence; the place behind it."""
        mark = place
        while mark < len(text) and text[mark] == " ":
            mark += 1
        sign = text[mark : mark + 1]
        run = _run(text, mark)
        behind = text[mark + run : mark + run + 1]
        if not behind and not is_end and (not sign or sign in "#`~-*+>"):
            return place
        if sign and sign in "`~" and run >= FENCE and self._fence in {"", sign}:
            return self._fenced(text, place, sign, out, is_end=is_end)
        self._is_start = False
        end = place if self._fence else self._marked(text, place, mark, run, out)
        if self._fence:
            out.append(f"\x1b[{CYAN}m")
        return end if end > place else self._go_on(text, place, out, is_end=is_end)

    def _marked(self, text: str, place: int, mark: int, run: int, out: list[str]) -> int:
        """Take the mark at the beginning of a line, or the blanks; the place behind them."""
        sign, behind = text[mark : mark + 1], text[mark + run : mark + run + 1]
        blanks = text[place:mark]
        if sign == "#" and run <= DEEPEST and behind == " ":
            self._is_heading = True
            out.append(f"\x1b[{BOLD}m")
            return mark + run + 1
        if sign and sign in "-*+" and run == 1 and behind == " ":
            out.append(blanks + BULLET)
            return mark + 2
        if sign == ">":
            out.append(f"{blanks}\x1b[{DIM}m{QUOTE}{_END}")
            return mark + 1 + (text[mark + 1 : mark + 2] == " ")
        out.append(blanks)
        return mark

    def _fenced(self, text: str, place: int, sign: str, out: list[str], *, is_end: bool) -> int:
        """The line that begins or ends a fence, once it is whole."""
        end = text.find("\n", place)
        if end < 0 and not is_end:
            return place
        line = text[place:] if end < 0 else text[place:end]
        self._fence = "" if self._fence else sign
        out.append(f"\x1b[{DIM}m{line}{_END}" + ("\n" if end >= 0 else ""))
        return len(text) if end < 0 else end + 1

    # -- within a line --------------------------------------------------------------------------

    def _go_on(self, text: str, place: int, out: list[str], *, is_end: bool) -> int:
        """Take one character, or one mark; the place behind it."""
        one = text[place]
        if one == "\n":
            out.append(self._plain() + "\n")
            self._is_start = True
            return place + 1
        if self._fence or one not in "`*\\" or (self._code and one != "`"):
            return self._plainly(text, place, out)
        if one == "\\":
            return self._escaped(text, place, out, is_end=is_end)
        run = _run(text, place)
        if place + run == len(text) and not is_end:
            return place
        if one == "`":
            self._coded(run, out)
        elif run == 1 or not self._emphasised(text[place + run : place + run + 1], out):
            out.append("*" * run)
        self._last = one
        return place + run

    def _plainly(self, text: str, place: int, out: list[str]) -> int:
        """Take everything up to the next mark."""
        end = place + 1
        marks = "\n" if self._fence else "\n`*\\"
        while end < len(text) and text[end] not in marks:
            end += 1
        out.append(text[place:end])
        self._last = text[end - 1]
        return end

    def _escaped(self, text: str, place: int, out: list[str], *, is_end: bool) -> int:
        """A mark that means itself."""
        if place + 1 == len(text) and not is_end:
            return place
        is_mark = text[place + 1 : place + 2] in set("`*#_\\")
        out.append(text[place + 1] if is_mark else "\\")
        self._last = "\\"
        return place + 1 + is_mark

    def _coded(self, run: int, out: list[str]) -> None:
        if not self._code:
            self._code = run
            out.append(f"\x1b[{CYAN}m")
        elif self._code == run:
            self._code = 0
            out.append("\x1b[39m")
        else:
            out.append("`" * run)

    def _emphasised(self, behind: str, out: list[str]) -> bool:
        """Whether the marks begin or end what is bold; `2**3` does neither."""
        if self._is_bold:
            if self._last.isspace():
                return False
        elif not behind.strip() or self._last.isalnum():
            return False
        self._is_bold = not self._is_bold
        if not self._is_heading:
            out.append(f"\x1b[{BOLD}m" if self._is_bold else "\x1b[22m")
        return True

    def _plain(self) -> str:
        """End every style that is open."""
        is_styled = bool(self._code) or self._is_bold or self._is_heading or bool(self._fence)
        self._code, self._is_bold, self._is_heading, self._last = 0, False, False, ""
        return _END if is_styled else ""


def _run(text: str, place: int) -> int:
    """How often the character there is repeated."""
    end = place
    while end < len(text) and text[end] == text[place]:
        end += 1
    return end - place
