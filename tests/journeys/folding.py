"""A page without a browser: markup, and patches that are folded into it by ids, as pages do."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "path", "meter", "col"})


@dataclass(eq=False)
class Element:
    """An element, or a text (then it has no tag)."""

    tag: str = ""
    about: dict[str, str] = field(default_factory=dict)
    said: str = ""
    inside: "list[Element]" = field(default_factory=list)
    around: "Element | None" = None

    @property
    def id(self) -> str:
        return self.about.get("id", "")

    @property
    def text(self) -> str:
        return self.said + "".join(one.text for one in self.inside)

    def every(self) -> "Iterator[Element]":
        """It and all that it has in it."""
        yield self
        for one in self.inside:
            yield from one.every()

    def find(self, name: str) -> "Element | None":
        """The first with this id."""
        return next((one for one in self.every() if one.id == name), None)

    def put(self, ones: "list[Element]", place: int) -> None:
        """Take these in."""
        self.inside[place:place] = ones
        for one in ones:
            one.around = self


class _Reading(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("root")
        self._now = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        one = Element(tag, {name: value or "" for name, value in attrs}, around=self._now)
        self._now.inside.append(one)
        if tag not in VOID:
            self._now = one

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert (tag, self._now.around is None) == (self._now.tag, False), self._now
            self._now = self._now.around or self._now

    def handle_data(self, data: str) -> None:
        self._now.inside.append(Element(said=data, around=self._now))


def read(markup: str) -> Element:
    """Markup as elements."""
    reading = _Reading()
    reading.feed(markup)
    reading.close()
    return reading.root


def fold(page: Element, frame: str) -> None:
    """Apply one frame of a stream, if it is a patch."""
    said = _said(frame)
    if said.get("event") != "datastar-patch-elements":
        return
    fresh = read(said.get("elements", "").strip()).inside
    if "selector" not in said:
        for one in fresh:
            _renew(page, one)
    elif (target := page.find(said["selector"].removeprefix("#"))) is not None:
        _put(page, target, said["mode"], fresh)


def _said(frame: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for line in frame.split("\n"):
        name, _, value = line.partition(": ")
        if name == "event":
            said[name] = value
        elif name == "data":
            word, _, rest = value.partition(" ")
            said[word] = f"{said[word]}\n{rest}" if word in said else rest
    return said


def _put(page: Element, target: Element, mode: str, fresh: list[Element]) -> None:
    assert target.around is not None
    match mode:
        case "append":
            # Appended twice is shown once: pages morph what they have.
            new = [one for one in fresh if not _renew(page, one)]
            target.put(new, len(target.inside))
        case "before":
            target.around.put(fresh, target.around.inside.index(target))
        case "remove":
            _replace(target, [])
        case _:
            raise AssertionError(mode)


def _renew(page: Element, fresh: Element) -> bool:
    """Whether it was there."""
    old = page.find(fresh.id)
    if old is None:
        return False
    _replace(old, [fresh])
    return True


def _replace(old: Element, fresh: list[Element]) -> None:
    assert old.around is not None
    place = old.around.inside.index(old)
    del old.around.inside[place]
    old.around.put(fresh, place)
