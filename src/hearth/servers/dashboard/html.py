"""HTML that is escaped by construction: text is text, and markup is made here and nowhere else.

    div("1 < 2", span(name, class_="name"), id_="x", data_kind="cell")

Every child that is not `Html` is escaped. Attributes are checked by name: those by which a page
could run something take an `Expression`, addresses must be our own or plainly web links.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Final, TypeAlias

from hearth.servers.dashboard.expressions import Expression


class Html(str):
    """Markup that may be sent as it is."""

    __slots__ = ()


Child: TypeAlias = "Html | str | int | float | Iterable[Child] | None"
Attribute: TypeAlias = str | int | float | bool | None

EMPTY: Final = Html("")

VOID: Final = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})
_NAME: Final = re.compile(r"[a-z][a-z0-9-]*")
_CAMEL: Final = frozenset({"viewBox", "preserveAspectRatio"})
"""Attributes of pictures that have capitals."""
_ADDRESSES: Final = frozenset({"href", "src", "action"})
_FORBIDDEN: Final = frozenset({"style", "srcdoc", "formaction"})
_DATASTAR: Final = (
    *("data-on", "data-init", "data-bind", "data-signals", "data-text", "data-show", "data-class"),
    *("data-attr", "data-style", "data-computed", "data-effect", "data-indicator", "data-ref"),
    *("data-json-signals", "data-scope"),
)
_OWN: Final = re.compile(r"/(?![/\\])[^\s\\]*|#[\w-]*")
_WEB: Final = re.compile(r"https?://[^\s\"'<>\\]+", re.IGNORECASE)
_MARKS: Final = {
    # What would turn the text around it the other way is shown instead of done.
    **{ord(one): f"⟨U+{ord(one):04X}⟩" for one in "\u202a\u202b\u202c\u202d\u202e"},
    **{ord(one): f"⟨U+{ord(one):04X}⟩" for one in "\u2066\u2067\u2068\u2069\u200e\u200f\u061c"},
    # A browser reads these as something else, or not at all.
    **{number: chr(0x2400 + number) for number in range(32) if chr(number) not in "\t\n\r"},
    **dict.fromkeys((*range(0x7F, 0xA0), 0xFFFE, 0xFFFF), "\ufffd"),
    # Halves of characters, which cannot be sent at all.
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}


class UnsafeMarkup(Exception):
    """Something was to be put into a page that has no place there: a defect of ours."""


def text(words: str) -> Html:
    """Text, whatever is in it."""
    return Html(escape(words.translate(_MARKS), quote=True))


def joined(*children: Child) -> Html:
    """Children one behind the other."""
    return Html("".join(_parts(children)))


def element(
    tag: str,
    children: Iterable[Child] = (),
    attributes: Mapping[str, Attribute | Expression] | None = None,
) -> Html:
    """An element by the name of its tag."""
    if not _NAME.fullmatch(tag) or tag in {"script", "style", "iframe", "object", "embed"}:
        raise UnsafeMarkup(f"no element {tag!r}")
    opened = f"<{tag}{_attributes(attributes or {})}>"
    if tag in VOID:
        return Html(opened)
    if tag in {"pre", "textarea"}:
        opened += "\n"  # the first line break in them is not shown: there is one that need not be
    return Html(f"{opened}{''.join(_parts(children))}</{tag}>")


def frame(address: str, about: str) -> Html:
    """A page of its own, from which nothing can get out; the address is one of ours."""
    if not _OWN.fullmatch(address) or not address.startswith("/dashboard/"):
        raise UnsafeMarkup("a frame shows what we serve")
    source, named = text(address), text(about)
    return Html(f'<iframe sandbox loading="lazy" src="{source}" title="{named}"></iframe>')


def web_link(address: str) -> str | None:
    """An address that a person may follow, or None if it is anything but a plain web address."""
    return address if _WEB.fullmatch(address) else None


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str):
            yield text(child)
        elif isinstance(child, int | float):
            yield str(child)
        else:
            yield from _parts(child)


def _attributes(attributes: Mapping[str, Attribute | Expression]) -> str:
    made = []
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        if isinstance(value, Expression):
            if not name.startswith("data-on:"):
                raise UnsafeMarkup(f"{name} takes no expression")
            made.append(f' {name}="{escape(value.source, quote=True)}"')
            continue
        _check(name, value)
        made.append(f" {name}" if value is True else f' {name}="{text(str(value))}"')
    return "".join(made)


def _check(name: str, value: Attribute) -> None:
    known = _NAME.fullmatch(name) or name in _CAMEL
    if not known or name.startswith("on") or name in _FORBIDDEN:
        raise UnsafeMarkup(f"no attribute {name!r}")
    if name.startswith(_DATASTAR):
        raise UnsafeMarkup(f"{name} is the browser's to compile")
    if name in _ADDRESSES and not _is_address(str(value)):
        raise UnsafeMarkup(f"{name} leads out of here")


def _is_address(address: str) -> bool:
    return bool(_OWN.fullmatch(address)) or web_link(address) is not None


def _named(python: str) -> str:
    """`class_` is class, `data_kind` is data-kind, `on_click` is Datastar's data-on:click."""
    name = python.rstrip("_").replace("_", "-")
    return f"data-on:{name[3:]}" if name.startswith("on-") else name


def _maker(tag: str) -> Callable[..., Html]:
    def make(*children: Child, **attributes: Attribute | Expression) -> Html:
        return element(tag, children, {_named(name): one for name, one in attributes.items()})

    make.__name__ = make.__qualname__ = tag
    make.__doc__ = f"A {tag} element."
    return make


a, article, aside, b, bdi, br, button = map(
    _maker, ("a", "article", "aside", "b", "bdi", "br", "button")
)
caption, code, dd, details, dialog, div, dl, dt, em = map(
    _maker, ("caption", "code", "dd", "details", "dialog", "div", "dl", "dt", "em")
)
fieldset, figcaption, figure, footer, form = map(
    _maker, ("fieldset", "figcaption", "figure", "footer", "form")
)
h1, h2, h3, header, hr, img, input_, kbd = map(
    _maker, ("h1", "h2", "h3", "header", "hr", "img", "input", "kbd")
)
label, legend, li, main, mark, nav, ol, option, output, p, pre = map(
    _maker,
    ("label", "legend", "li", "main", "mark", "nav", "ol", "option", "output", "p", "pre"),
)
progress, samp, section, select, small, span, strong, summary = map(
    _maker, ("progress", "samp", "section", "select", "small", "span", "strong", "summary")
)
table, tbody, td, textarea, tfoot, th, thead, time, title, tr, ul = map(
    _maker,
    ("table", "tbody", "td", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "ul"),
)
