"""Objects that cells show: the best of what they can be shown as."""

import json
from dataclasses import dataclass
from typing import Final

from hearth.core.vocabulary.content import RichData, Text
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, code, div, frame, joined, pre, span
from hearth.servers.dashboard.rendering.bounding import bounded, is_whole, note, text_of
from hearth.servers.dashboard.rendering.highlighting import highlighted
from hearth.servers.dashboard.rendering.markdown import as_block
from hearth.servers.dashboard.rendering.pictures import KINDS, SVG, fetched, inside
from hearth.servers.dashboard.rendering.terminal import screen
from hearth.servers.dashboard.rendering.wording import short

HTML: Final = "text/html"
_ROWS: Final = ((5, "frame-s"), (14, "frame-m"))
"""Up to so many rows of a table, a frame of this height."""
_MOST_VALUE: Final = 32 * 1024


@dataclass(frozen=True, slots=True)
class Kept:
    """Where the outputs of a cell can be asked for."""

    session: SessionId
    place: str = ""
    """`version/cell` of a cell that has ended; empty: there is no address yet."""

    def address(self, what: str, number: int) -> str:
        """Of one output."""
        return f"/dashboard/s/{self.session}/{what}/{self.place}/{number}"


def rich(data: RichData, number: int, kept: Kept) -> Html | None:
    """An object as markup; None if it has nothing but text, which is shown as such."""
    bundle = data.bundle
    for kind in (*KINDS, SVG):
        if kind in bundle:
            return _picture(kind, bundle, number, kept)
    if HTML in bundle:
        return _framed(bundle, number, kept)
    if "text/markdown" in bundle:
        words, about = bounded(bundle["text/markdown"], kept.session)
        return joined(as_block(words), about)
    if "application/json" in bundle:
        return _json(bundle["application/json"], kept.session)
    return None


def plain(data: RichData) -> Text:
    """An object as text."""
    for kind in ("text/plain", "text/latex"):
        if kind in data.bundle:
            return data.bundle[kind]
    return f"({', '.join(short(kind, 60) for kind in list(data.bundle)[:8])})"


def value(words: Text, kind: str, session: SessionId) -> Html:
    """What a cell came to, with its type."""
    shown, about = bounded(words, session, _MOST_VALUE)
    return div(
        pre(screen(shown), class_="out out-value", tabindex="0"),
        typed(kind),
        about,
        class_="value",
    )


def typed(kind: str) -> Html | None:
    """The type of a value, as a remark."""
    if not kind:
        return None
    return span(span("type ", class_="sr"), short(kind, 120), class_="value-type mono muted")


def _picture(kind: str, bundle: dict[str, Text], number: int, kept: Kept) -> Html:
    about = short(text_of(bundle.get("text/plain", "")), 200) or "picture"
    data = bundle[kind]
    shown = inside(kind, data, about) if isinstance(data, str) else None
    if shown is None and kept.place:
        shown = fetched(kept.address("output", number), about)
    return shown or note(f"{about}: a large picture; it is shown when the cell has ended.")


def _framed(bundle: dict[str, Text], number: int, kept: Kept) -> Html:
    words = text_of(bundle[HTML])
    if not kept.place:
        shown, about = bounded(bundle.get("text/plain", ""), kept.session)
        waits = note("This is HTML, which is shown when the cell has ended.")
        return joined(pre(screen(shown), class_="out"), about, waits)
    rows = words.lower().count("<tr")
    size = "frame-l"
    if rows and is_whole(bundle[HTML]):
        size = next((name for most, name in _ROWS if rows <= most), size)
    named = short(text_of(bundle.get("text/plain", "")), 80) or "HTML"
    return div(frame(kept.address("frame", number), f"output {number}: {named}"), class_=size)


def _json(words: Text, session: SessionId) -> Html:
    shown, about = bounded(words, session)
    if is_whole(words) and not about:
        shown = pretty(shown)
    return joined(pre(code(highlighted(shown, "json")), class_="code", tabindex="0"), about)


def pretty(words: str) -> str:
    """JSON on lines of its own, or the text as it is if it is none."""
    try:
        return json.dumps(json.loads(words), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return words
