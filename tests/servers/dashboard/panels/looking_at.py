"""What tests of panels share: somebody who looks, and a reader that trusts no markup.

read = tame(await show(looking(daemon.around), SESSION, NOW))
assert "text" in read.text
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any, Final

from hearth.api import Hearth, Viewed
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.servers.dashboard.expressions import EXPRESSIONS
from hearth.servers.dashboard.html import VOID
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.http.around import Around

SESSION: Final = SessionId("session-aaaaaa")
NOW: Final = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
HOSTILE: Final = (
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"
    '<b data-on:click="evil()" style="x">\u202eevil\x1b[31m</b></pre></details>' + "y" * 1_000_000
)
"""What somebody might call a file, a variable or themselves."""
MOST_CHARACTERS: Final = 400_000

_NEVER: Final = {"script", "img", "iframe", "object", "style", "link", "meta", "base"}
_KNOWN: Final = {one.source for one in EXPRESSIONS}


@dataclass
class Element:
    """One element as a browser would see it."""

    tag: str
    attributes: dict[str, str]
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    @property
    def fields(self) -> dict[str, str]:
        """What it sends when it is used."""
        found: dict[str, str] = json.loads(self.attributes.get("data-fields", "{}"))
        return found


class Read(HTMLParser):
    """Markup as elements and text; it fails on whatever could do harm."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        assert len(html) < MOST_CHARACTERS, f"{len(html)} characters"
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self._words: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, f"left open: {[one.tag for one in self._open]}"

    @property
    def text(self) -> str:
        return " ".join("".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in _NEVER, tag
        given = {name: value or "" for name, value in attrs}
        for name, value in given.items():
            assert not name.startswith("on"), name
            assert name != "style"
            if name.startswith("data-on"):
                assert value in _KNOWN, value
            assert "\u202e" not in value
        self._part(tag)
        one = Element(tag, given)
        self.elements.append(one)
        if tag not in VOID:
            self._open.append(one)

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"nothing to close: {tag}"
        assert self._open[-1].tag == tag, f"{self._open[-1].tag} is closed by {tag}"
        self._open.pop()
        self._part(tag)

    def handle_data(self, data: str) -> None:
        assert "\u202e" not in data
        assert "\x1b" not in data
        self._words.append(data)
        for one in self._open:
            one.words.append(data)

    def _part(self, tag: str) -> None:
        """What stands in two elements is two words, but for a name that may be broken."""
        if tag != "wbr":
            self._words.append(" ")
            for one in self._open:
                one.words.append(" ")

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Every element of this kind that has these attributes."""
        wanted = {name.rstrip("_").replace("_", "-"): one for name, one in attributes.items()}
        return [
            one
            for one in self.elements
            if one.tag == tag
            and all(one.attributes.get(name) == value for name, value in wanted.items())
        ]

    def button(self, text: str) -> Element:
        """The one button with these words."""
        found = [one for one in self.all("button") if one.text == text]
        assert len(found) == 1, [one.text for one in self.all("button")]
        return found[0]

    def buttons(self) -> list[str]:
        return [one.text for one in self.all("button")]


def tame(html: str) -> Read:
    """The markup, if nothing in it can do harm."""
    return Read(html)


class Instead:
    """A daemon in which some views are what a test says."""

    def __init__(self, hearth: Hearth, views: Mapping[str, Any]) -> None:
        self._hearth = hearth
        self._views = views

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hearth, name)

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        found = self._views.get(name)
        if found is None:
            return await self._hearth.view(name, session)
        refusal: Refusal = found
        return refusal if isinstance(found, Refused) else Viewed(found, 1)


def looking(around: Around, session: SessionId | None = SESSION, /, **wanted: str) -> Looking:
    """Somebody who looks at a panel of this session."""
    return Looking(around, session, wanted)


def instead(around: Around, **views: Any) -> Around:
    """The same, with other views."""
    return dataclasses.replace(around, hearth=Instead(around.hearth, views))
