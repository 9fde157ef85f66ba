"""Markup as a browser reads it, as far as the tests of this folder need it; and talks to draw."""

from html.parser import HTMLParser
from typing import NamedTuple

from tests.contracts.given import READY, Spoken, given
from tests.contracts.playing_talks import Talk as Played
from tests.contracts.playing_talks import folded

from hearth.core.views.session_fold import SessionFold
from hearth.core.views.status import Status, status
from hearth.core.views.talk import Talk
from hearth.core.vocabulary import modelling as m
from hearth.servers.dashboard.html import VOID


class Found(NamedTuple):
    """One element, with all text in it."""

    tag: str
    attributes: dict[str, str]
    text: str


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.found: list[Found] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in VOID:
            self.found.append(Found(tag, attributes, ""))
        else:
            self.open.append((tag, attributes, []))

    def handle_endtag(self, tag: str) -> None:
        name, attributes, words = self.open.pop()
        assert name == tag, f"<{name}> is closed by </{tag}>"
        self.found.append(Found(tag, attributes, "".join(words)))
        if self.open:
            self.open[-1][2].append("".join(words))

    def handle_data(self, data: str) -> None:
        if self.open:
            self.open[-1][2].append(data)


def read(markup: str) -> list[Found]:
    """All elements; markup that is not well formed is an error."""
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    assert not reader.open, f"{reader.open[-1][0]} is never closed"
    return reader.found


def by_id(markup: str, wanted: str) -> Found:
    """The one element that has an id."""
    (found,) = [one for one in read(markup) if one.attributes.get("id") == wanted]
    return found


def ids(markup: str) -> list[str]:
    """All ids, in no particular order."""
    return [one.attributes["id"] for one in read(markup) if "id" in one.attributes]


def enabled(markup: str) -> set[str]:
    """The ids of all buttons that can be pressed."""
    return {
        one.attributes.get("id", "")
        for one in read(markup)
        if one.tag == "button" and "disabled" not in one.attributes
    }


def seen(*words: Spoken) -> tuple[Status, Talk]:
    """A session after these words."""
    return _both(folded(given(*(words or READY))))


def talked(talk: Played) -> tuple[Status, Talk]:
    """A session in which something was said."""
    return _both(talk.folded())


def retrying() -> Played:
    """The model is about to be asked again."""
    talk = Played().says("hello")
    return talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.OVERLOADED, "too busy", 529))


def failed() -> Played:
    """The last turn failed for good."""
    talk = Played().says("hello")
    return talk.goes(m.ModelFailed(talk.asked.request, m.Trouble.CREDENTIALS, "no key", 401))


def _both(fold: SessionFold) -> tuple[Status, Talk]:
    return status(fold), fold.talk
