"""Pages for people as text: headings, lists, links, tables and code as Markdown writes them."""

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urljoin

from hearth.performers.tools.fetching.markup import Tag, Words, pieces

MOST: Final = 1_000_000
"""Characters; what is beyond is left out, for a small page may become a huge text."""
MOST_PIECES: Final = 500_000
"""Of a page; large ones have a tenth of that, and more would take seconds."""
_SPACES: Final = re.compile(r"[ \t\n\f\xa0]+")
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_APART: Final = frozenset({"p", "blockquote", "table", "ul", "ol", "dl", "figure", *_HEADINGS})
"""These stand between empty lines."""
_LINES: Final = frozenset(
    {"div", "section", "article", "header", "footer", "main", "nav", "aside", "form", "tr", "dt"}
    | {"dd", "details", "summary", "figcaption", "fieldset", "option", "address", "body", "caption"}
)
"""These stand on lines of their own."""
_DEEPEST: Final = 8
_LONGEST_LINK: Final = 1_000
_LONGEST_TITLE: Final = 300


def readable(page: str, url: str) -> tuple[str, bool]:
    """The text of a page that is at this URL, and whether it was cut."""
    text = _Text(url)
    for count, piece in enumerate(pieces(page)):
        if isinstance(piece, Words):
            text.say(piece.text)
        elif piece.is_end:
            text.end(piece.name)
        else:
            text.begin(piece)
        if text.size > MOST or count > MOST_PIECES:
            return text.whole()[:MOST], True
    return text.whole(), False


class _Text:
    """What was said so far."""

    def __init__(self, url: str) -> None:
        self.size = 0
        self._url = url
        self._parts: list[str] = []
        self._owed = 0
        """Ends of lines that stand before whatever comes next."""
        self._space = False
        self._is_marked = False
        """A mark of a list or heading stands there, and its words are still to come."""
        self._lists: list[int] = []
        """Of each list that is open, how many items it had; -1: they are not numbered."""
        self._pre = 0
        self._in_title = False
        self._has_title = False
        self._title: list[str] = []
        self._link = ""
        self._link_at = 0
        self._links: dict[str, str] = {}

    def whole(self) -> str:
        """All of it, below its title."""
        self.end_link()
        text = "".join(self._parts).strip("\n")
        title = " ".join("".join(self._title).split())[:_LONGEST_TITLE]
        return f"Title: {title}\n\n{text}" if title else text

    def say(self, text: str) -> None:
        """Words of the page."""
        if self._in_title:
            if not self._has_title:
                self._title.append(text[:_LONGEST_TITLE])
        elif self._pre:
            self._add(text)
        else:
            said = _SPACES.sub(" ", text)
            if said.startswith(" "):
                self._space = True
            if said.strip(" "):
                self._add(said.strip(" "))
                self._space = said.endswith(" ")

    def begin(self, tag: Tag) -> None:
        """An element begins."""
        name = tag.name
        if (begin := _BEGINS.get(name)) is not None:
            begin(self, tag)
        elif name in _HEADINGS:
            self._mark(2, "#" * _HEADINGS[name] + " ")
        elif name in _APART:
            self._break(2)
        elif name in _LINES:
            self._break(1)

    def end(self, name: str) -> None:
        """An element ends."""
        self._is_marked = False
        if (end := _ENDS.get(name)) is not None:
            end(self)
        elif name in _APART:
            self._break(2)
        elif name in _LINES or name == "li":
            self._break(1)

    def _add(self, text: str) -> None:
        if self._owed and self._parts:
            self._put("\n" * self._owed)
        elif self._space and self._parts and not self._parts[-1].endswith((" ", "\n", "[")):
            self._put(" ")
        self._owed, self._space, self._is_marked = 0, False, False
        self._put(text)

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self.size += len(text)

    def _break(self, lines: int) -> None:
        self._space = False
        if not self._is_marked:
            self._owed = max(self._owed, lines)

    def _mark(self, lines: int, mark: str) -> None:
        self._is_marked = False
        self._break(lines)
        self._add(mark)
        self._is_marked = True

    # -- elements that are more than a break ----------------------------------------------------

    def begin_title(self, _tag: Tag) -> None:
        self._in_title = True

    def end_title(self) -> None:
        self._in_title = False
        self._has_title = bool(self._title)

    def line(self, _tag: Tag) -> None:
        self._put("\n") if self._pre else self._break(1)

    def rule(self, _tag: Tag) -> None:
        self._break(2)
        self._add("---")
        self._break(2)

    def begin_list(self, tag: Tag) -> None:
        self._break(1 if self._lists else 2)
        self._lists.append(0 if tag.name == "ol" else -1)

    def end_list(self) -> None:
        if self._lists:
            self._lists.pop()
        self._break(1 if self._lists else 2)

    def item(self, _tag: Tag) -> None:
        mark = "-"
        if self._lists and self._lists[-1] >= 0:
            self._lists[-1] += 1
            mark = f"{self._lists[-1]}."
        self._mark(1, "  " * min(max(len(self._lists) - 1, 0), _DEEPEST) + mark + " ")

    def cell(self, _tag: Tag) -> None:
        if self._parts and not self._owed:
            self._space = False
            self._add(" | ")

    def begin_pre(self, _tag: Tag) -> None:
        self._break(2)
        self._add("```\n")
        self._pre += 1

    def end_pre(self) -> None:
        if self._pre:
            self._pre -= 1
            self._put("```" if self._parts[-1].endswith("\n") else "\n```")
            self._break(2)

    def begin_code(self, _tag: Tag) -> None:
        if not self._pre:
            self._add("`")

    def end_code(self) -> None:
        if not self._pre:
            self._space = False
            self._put("`")

    def begin_link(self, tag: Tag) -> None:
        self.end_link()
        link = self._absolute(tag.attribute("href"))
        if link and not self._pre:
            self._add("[")
            self._link, self._link_at = link, len(self._parts)

    def end_link(self) -> None:
        if not self._link:
            return
        if len(self._parts) == self._link_at:
            self._parts.pop()  # nothing can be read of it
        else:
            self._put(f"]({self._link})")
        self._link = ""

    def image(self, tag: Tag) -> None:
        if said := tag.attribute("alt")[:_LONGEST_LINK]:
            self._add(f"[image: {' '.join(said.split())}]")

    def _absolute(self, link: str) -> str:
        if not link or link.startswith("#") or len(link) > _LONGEST_LINK:
            return ""
        if link not in self._links:
            try:
                whole = urljoin(self._url, link)
            except ValueError:
                whole = ""  # a page may write anything there
            self._links[link] = whole if whole.startswith(("https:", "http:", "mailto:")) else ""
        return self._links[link].replace(" ", "%20").replace(")", "%29")


_BEGINS: Final[dict[str, Callable[[_Text, Tag], None]]] = {
    "title": _Text.begin_title,
    "br": _Text.line,
    "hr": _Text.rule,
    "ul": _Text.begin_list,
    "ol": _Text.begin_list,
    "li": _Text.item,
    "td": _Text.cell,
    "th": _Text.cell,
    "pre": _Text.begin_pre,
    "code": _Text.begin_code,
    "kbd": _Text.begin_code,
    "a": _Text.begin_link,
    "img": _Text.image,
}
_ENDS: Final[dict[str, Callable[[_Text], None]]] = {
    "title": _Text.end_title,
    "ul": _Text.end_list,
    "ol": _Text.end_list,
    "pre": _Text.end_pre,
    "code": _Text.end_code,
    "kbd": _Text.end_code,
    "a": _Text.end_link,
}
