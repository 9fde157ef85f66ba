"""What tools are called with: as one line, as text, and as what would become of files."""

import json
from collections.abc import Mapping
from typing import Any, Final

from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, code, div, joined, pre, span
from hearth.servers.dashboard.rendering.bounding import bounded, is_whole, text_of
from hearth.servers.dashboard.rendering.diffs import diff_lines
from hearth.servers.dashboard.rendering.highlighting import highlighted
from hearth.servers.dashboard.rendering.rich import pretty
from hearth.servers.dashboard.rendering.visible import one_line, visible
from hearth.servers.dashboard.rendering.wording import short

LONGEST_GIST: Final = 140
TELLING: Final = ("command", "code", "query", "pattern", "url", "path", "file", "name")
"""Of the arguments of a tool, those that say most; the first that is there is shown."""
_MOST_ARGUMENTS: Final = 50


def decoded(arguments: Text) -> Mapping[str, Any] | None:
    """What a call is made with; None where that cannot be told."""
    if not is_whole(arguments):
        return None
    try:
        said = json.loads(text_of(arguments) or "{}")
    except (ValueError, RecursionError):
        return None  # cut off, or never JSON: it is shown as it is
    return said if isinstance(said, dict) else None


def gist(arguments: Text) -> str:
    """What a call is made with, on one short line."""
    said = decoded(arguments)
    if said is None:
        return short(text_of(arguments), LONGEST_GIST)
    found = next((said[one] for one in TELLING if said.get(one)), None)
    if found is None and len(said) == 1:
        found = next(iter(said.values()))
    if isinstance(found, str):
        return short(found, LONGEST_GIST)
    return short(", ".join(f"{key}={_plain(one)}" for key, one in said.items()), LONGEST_GIST)


def written(arguments: Text, session: SessionId) -> Html | None:
    """The arguments, pretty if they are JSON, else just as the model wrote them."""
    words, about = bounded(arguments, session)
    if not words.strip() or words.strip() == "{}":
        return None
    shown = pretty(words) if is_whole(arguments) and not about else words
    return joined(pre(code(highlighted(shown, "json")), class_="code", tabindex="0"), about)


def deed(details: Text, session: SessionId) -> Html:
    """What is to be done, in full, with everything in it that hides made visible."""
    words, about = bounded(details, session)
    said = decoded(words) if words.startswith("{") and is_whole(details) and not about else None
    shown = _told(said) if said else [_exactly(words)] if words else []
    return div(*shown, about, class_="deed")


def _told(said: Mapping[str, Any]) -> list[Html]:
    """A change of a file as what goes and what comes; other arguments a line each."""
    rest = dict(list(said.items())[:_MOST_ARGUMENTS])
    made: list[Html] = []
    if isinstance(rest.get("command"), str):
        made.append(_exactly(f"$ {rest.pop('command')}"))
    if isinstance(rest.get("code"), str):
        made.append(_exactly(rest.pop("code")))
    if isinstance(rest.get("path"), str):
        made.append(pre(one_line(rest.pop("path")), class_="exact exact-path"))
    if isinstance(rest.get("content"), str):
        made.append(diff_lines(_marked("+", rest.pop("content"))))
    edits = rest.get("edits")
    if isinstance(edits, list) and edits and all(map(_is_edit, edits)):
        del rest["edits"]
        made.append(diff_lines([line for edit in edits for line in _edited(edit)]))
    made += [_named(key, one) for key, one in rest.items()]
    return made


def _named(key: str, given: Any) -> Html:
    return div(
        span(f"{one_line(key)}: ", class_="muted"),
        span(visible(_plain(given)), class_="exact-value"),
        class_="exact mono",
    )


def _exactly(words: str) -> Html:
    return pre(visible(words.rstrip("\n")), class_="exact", tabindex="0")


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_edit(one: Any) -> bool:
    return isinstance(one, dict) and all(isinstance(one.get(key), str) for key in ("old", "new"))


def _edited(edit: Mapping[str, Any]) -> list[str]:
    everywhere = " (everywhere)" if edit.get("all") else ""
    return [f"@@{everywhere}", *_marked("-", edit["old"]), *_marked("+", edit["new"])]


def _marked(sign: str, words: str) -> list[str]:
    return [f"{sign}{line}" for line in words.removesuffix("\n").split("\n")] if words else []
