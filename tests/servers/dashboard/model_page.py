"""A page as a browser has it: elements by their ids, to which frames are applied.

page = ModelPage()
page.take(frames)
assert "text" in page.text("timeline")

What Datastar and our scripts do is modelled as far as it changes what stands where: what is for an
element that is not there is let go, and what is appended twice is twice there.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from hearth.servers.dashboard.html import VOID

PARTS = frozenset(
    {"timeline", "head", "queue", "composer-state", "state", "sidebar", "home", "panel"}
)
"""What every page has; where it stands in one is no matter here."""


@dataclass
class Node:
    """An element, or the words in one."""

    tag: str = ""
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list["Node"] = field(default_factory=list)
    words: str = ""

    @property
    def id(self) -> str:
        return self.attributes.get("id") or ""

    @property
    def text(self) -> str:
        return self.words + "".join(one.text for one in self.children)

    def all(self) -> Iterator["Node"]:
        yield self
        for one in self.children:
            yield from one.all()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node()
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self._open[-1].children.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"{tag} closes {self._open[-1].tag}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(Node(words=data))

    def done(self) -> Node:
        self.close()
        assert len(self._open) == 1, f"{self._open[-1].tag} is not closed"
        return self.root


def parsed(markup: str) -> list[Node]:
    """What stands in markup; it must be well-formed."""
    reader = _Reader()
    reader.feed(markup)
    return reader.done().children


@dataclass
class Frame:
    """One frame of a stream."""

    event: str
    cursor: str
    said: dict[str, str]

    @property
    def tab(self) -> str:
        return self.said.get("tab", "")


def frames_in(stream: bytes) -> list[Frame]:
    """The frames of a stream, as the worker of a page reads them."""
    found = []
    for text in stream.decode().split("\n\n"):
        event, cursor = "", ""
        said: dict[str, str] = {}
        for line in text.split("\n"):
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "id":
                cursor = value
            elif name == "data":
                key, _, rest = value.partition(" ")
                said[key] = f"{said[key]}\n{rest}" if key in said else rest
        if event:
            found.append(Frame(event, cursor, said))
    return found


class ModelPage:
    """What one tab shows."""

    def __init__(self, markup: str = "") -> None:
        self.root = Node("body", children=parsed(markup))
        self.told: list[tuple[str, Any]] = []
        """What its scripts were told, by name."""
        self.patches = 0

    def take(self, stream: bytes, tab: str = "") -> None:
        """Frames, those of one tab alone if it is named."""
        for frame in frames_in(stream):
            if tab and frame.tab != tab:
                continue
            if frame.event == "datastar-patch-elements":
                self.patches += 1
                self._patch(frame.said)
            else:
                self.told.append((frame.event, json.loads(frame.said.get("json") or "{}")))

    def find(self, name: str) -> Node | None:
        return next((one for one in self.root.all() if one.id == name), None)

    def items(self) -> list[Node]:
        """What stands in the timeline."""
        timeline = self.find("timeline")
        assert timeline is not None
        return timeline.children

    def text(self, name: str) -> str:
        """What can be read in an element."""
        found = self.find(name)
        assert found is not None, f"there is no #{name}"
        return found.text

    def check(self) -> None:
        """Nothing is there twice."""
        ids = [one.id for one in self.root.all() if one.id]
        assert len(ids) == len(set(ids)), sorted(one for one in ids if ids.count(one) > 1)

    def _patch(self, said: dict[str, str]) -> None:
        nodes = parsed(said.get("elements", ""))
        mode, selector = said.get("mode", "outer"), said.get("selector", "")
        if mode == "outer":
            assert not selector
            for one in nodes:
                assert one.id, "what is put in its place has an id"
                self._replace(one)
            return
        assert selector.startswith("#")
        target = self.find(selector[1:])
        if target is None:
            return
        if mode == "append":
            target.children += nodes
            return
        holder = next(one for one in self.root.all() if any(x is target for x in one.children))
        place = next(number for number, one in enumerate(holder.children) if one is target)
        if mode == "remove":
            del holder.children[place]
        else:
            assert mode == "before"
            holder.children[place:place] = nodes

    def _replace(self, node: Node) -> None:
        for one in self.root.all():
            for place, child in enumerate(one.children):
                if child.id == node.id:
                    one.children[place] = node
                    return
        if node.id in PARTS:
            self.root.children.append(node)
