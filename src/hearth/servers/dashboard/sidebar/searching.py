"""The search over code, output and chat of all sessions."""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import (
    Child,
    Html,
    a,
    bdi,
    div,
    form,
    h3,
    input_,
    label,
    li,
    mark,
    p,
    section,
    span,
    ul,
)
from hearth.servers.dashboard.sidebar.answering import markup
from hearth.servers.dashboard.sidebar.arrangement import Looked
from hearth.servers.dashboard.sidebar.forms import dialog
from hearth.servers.dashboard.sidebar.lines import Author
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.dashboard.sidebar.pieces import ago, badge, place_of, short
from hearth.servers.dashboard.sidebar.whose import desk_of
from hearth.servers.http.around import Around, Found
from hearth.servers.http.routing import Endpoint, Key

MOST: Final = 50
LONGEST: Final = 200
"""Characters of a query."""
PATIENCE: Final = 15.0
WORDS: Final = re.compile(r"[^\W_]+")
KINDS: Final[Mapping[str, str]] = {
    "session_started": "session",
    "session_renamed": "name",
    "cell_started": "code",
    "cell_queued": "code",
    "cell_finished": "output",
    "cell_failed": "error",
    "cell_cancelled": "output",
    "cell_output_added": "output",
    "script_loaded": "script",
    "user.text_block": "message",
    "assistant.text_block": "answer",
    "assistant.thinking_block": "thinking",
    "assistant.tool_call_block": "tool call",
    "tool.tool_result_block": "tool result",
    "system.error_block": "error",
    "system.notice_block": "notice",
}
"""What was found, in words."""

_said = logging.getLogger(__name__)


class Searching:
    """Finds things in all sessions."""

    def __init__(self, around: Around, overview: Overview) -> None:
        self._search = around.search
        self._overview = overview

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("GET", "/dashboard/search"): self.search}

    async def search(self, request: Request) -> Response:
        """What was found for a query; without one, the dialog that takes it."""
        query = request.query_params.get("q")
        said = (query or request.query_params.get("for", ""))[:LONGEST].strip()
        found = await self._found(request, said)
        return markup(found if query is not None else _asked(said, found))

    async def _found(self, request: Request, query: str) -> Html:
        words = tuple(dict.fromkeys(one.lower() for one in WORDS.findall(query)))
        if not words:
            return _told("Code, output and chat of all sessions, the archived ones too.")
        if self._search is None:
            return _told("Nothing can be searched here.")
        try:
            async with asyncio.timeout(PATIENCE):
                hits = await self._search(query, MOST)
        except TimeoutError:
            return _told("The search took too long. Try again, or with other words.")
        except Exception as error:  # noqa: BLE001 - any error means: not now
            _said.exception("a search could not be made")
            return _told(f"It cannot be searched now: {str(error)[:300]}")
        if not hits:
            return _told("Nothing was found. All words of a search must be in what is found.")
        return _listed(await self._overview.looked(desk_of(request)), hits, words)


def marked(excerpt: str, words: Sequence[str]) -> list[Child]:
    """An excerpt with the words marked in it."""
    pattern = re.compile("|".join(re.escape(one) for one in words), re.IGNORECASE)
    parts: list[Child] = []
    end = 0
    for match in pattern.finditer(excerpt):
        parts += [excerpt[end : match.start()], mark(match[0])]
        end = match.end()
    return [*parts, excerpt[end:]]


def _asked(query: str, found: Html) -> Html:
    return dialog(
        "Search all sessions",
        form(
            label("Search for", for_="search-for", class_="sr"),
            input_(
                id_="search-for",
                name="q",
                type_="search",
                value=query,
                placeholder="Words in code, output or chat",
                maxlength=LONGEST,
                autocomplete="off",
                autofocus=True,
            ),
            id_="search",
            role="search",
        ),
        found,
    )


def _told(words: str) -> Html:
    return div(p(words, class_="muted small"), id_="found", aria_live="polite")


def _listed(looked: Looked, hits: Sequence[Found], words: Sequence[str]) -> Html:
    grouped: dict[SessionId, list[Found]] = {}
    for hit in hits:
        grouped.setdefault(hit.session, []).append(hit)
    many = f"{len(hits)} or more found" if len(hits) >= MOST else f"{len(hits)} found"
    return div(
        p(many, class_="muted small", role="status"),
        *(_group(looked, session, found, words) for session, found in grouped.items()),
        id_="found",
        class_="stack",
    )


def _group(looked: Looked, session: SessionId, hits: Sequence[Found], words: Sequence[str]) -> Html:
    line = next((one for one in looked.lines if one.session == session), None)
    return section(
        h3(
            a(bdi(line.name if line else session), href=place_of(session), class_="cut"),
            span(short(line.directory), class_="muted small cut") if line else None,
            class_="row",
        ),
        ul(*(_hit(looked, hit, words) for hit in hits), role="list", class_="found-list"),
        class_="found-group",
    )


def _hit(looked: Looked, hit: Found, words: Sequence[str]) -> Html:
    now: datetime = looked.now
    author = Author(hit.author.actor, hit.author.name, None)
    return li(
        a(
            span(
                span(KINDS.get(hit.kind, hit.kind.replace("_", " ")), class_="found-kind"),
                badge(author, looked.person),
                ago(hit.at, now),
                class_="session-about",
            ),
            span(bdi(*marked(hit.excerpt[:500], words)), class_="found-words mono"),
            href=place_of(hit.session, hit.version),
            class_="found-open",
        )
    )
