"""Looks through markup as a browser would, for anything that has no place in a page of ours."""

import re
from html.parser import HTMLParser
from typing import Final

from hearth.servers.dashboard.expressions import EXPRESSIONS
from hearth.servers.dashboard.html import VOID

TAGS: Final = frozenset(
    [
        "a",
        "article",
        "b",
        "blockquote",
        "br",
        "button",
        "code",
        "del",
        "details",
        "div",
        "em",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "iframe",
        "img",
        "input",
        "label",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "section",
        "span",
        "strong",
        "summary",
        "table",
        "tbody",
        "td",
        "textarea",
        "th",
        "thead",
        "time",
        "tr",
        "ul",
    ]
)
ATTRIBUTES: Final = frozenset(
    [
        "id",
        "class",
        "title",
        "role",
        "tabindex",
        "open",
        "disabled",
        "type",
        "name",
        "rows",
        "maxlength",
        "autocomplete",
        "spellcheck",
        "datetime",
        "start",
        "alt",
        "width",
        "height",
        "loading",
        "href",
        "target",
        "rel",
        "src",
        "sandbox",
        "aria-label",
        "aria-hidden",
        "data-key",
        "data-order",
        "data-preserve-attr",
        "data-command",
        "data-session",
        "data-fills",
        "data-wait",
        "data-local",
        "data-block",
        "data-of",
        "data-post",
        "data-fields",
        "data-approval",
    ]
)
_EXPRESSIONS: Final = {one.source for one in EXPRESSIONS}
_ADDRESS: Final = re.compile(r"/dashboard/[\w/.?=-]+|https?://\S+|mailto:\S+")
_PICTURE: Final = re.compile(
    r"data:image/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=]+|/dashboard/[\w/.?=-]+"
)
_PAGE: Final = re.compile(r"/dashboard/s/[\w-]+")
"""Of a session: to go there is to leave this one, in the same tab."""
_CLASS: Final = re.compile(r"[A-Za-z][\w-]*(?: [A-Za-z][\w-]*)*")


class Looking(HTMLParser):
    """What is wrong with some markup."""

    def __init__(self, prefix: str) -> None:
        super().__init__(convert_charrefs=True)
        self.prefix = prefix
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.ids: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(f"<{tag}>")
        if tag not in VOID:
            self.open.append(tag)
        known = dict(attrs)
        if len(known) != len(attrs):
            self.wrong.append(f"<{tag}> has an attribute twice")
        for name, value in attrs:
            self._attribute(tag, name, value or "")
        if tag == "details" and known.get("data-preserve-attr") != "open":
            self.wrong.append("<details> that closes by itself")
        if tag == "iframe" and known.get("sandbox", "x"):
            self.wrong.append("<iframe> that is no sandbox")
        is_page = _PAGE.fullmatch(known.get("href") or "") is not None
        if (
            tag == "a"
            and not is_page
            and (known.get("target"), "noopener" in (known.get("rel") or ""))
            != (
                "_blank" if "href" in known else known.get("target"),
                True,
            )
        ):
            self.wrong.append(f"<a> {attrs}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!-- {data[:20]}")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"<!{decl[:20]}")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"<![{data[:20]}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"<?{data[:20]}")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name.startswith("data-on:"):
            if value not in _EXPRESSIONS:
                self.wrong.append(f"{name}={value[:40]}")
        elif name not in ATTRIBUTES:
            self.wrong.append(f"<{tag} {name}>")
        elif name == "id":
            self.ids.append(value)
            if not value.startswith(self.prefix):
                self.wrong.append(f"id={value[:40]}")
        elif name == "class" and value and not _CLASS.fullmatch(value):
            self.wrong.append(f"class={value[:40]}")
        elif (name == "href" and not _ADDRESS.fullmatch(value)) or (
            name == "src" and not _PICTURE.fullmatch(value)
        ):
            self.wrong.append(f"{name}={value[:60]}")


def looked_at(html: str, prefix: str = "i-x1") -> Looking:
    """Markup that was looked through; it fails where something is wrong with it."""
    html.encode()
    looking = Looking(prefix)
    looking.feed(html)
    looking.close()
    assert looking.wrong == []
    assert looking.open == []
    assert len(looking.ids) == len(set(looking.ids))
    return looking
