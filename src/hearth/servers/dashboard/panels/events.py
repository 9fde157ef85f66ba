"""The raw log of the session: what was written, word for word."""

from datetime import datetime
from typing import Final

import msgspec

from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import (
    EMPTY,
    Html,
    code,
    details,
    div,
    joined,
    li,
    nav,
    ol,
    pre,
    span,
    summary,
)
from hearth.servers.dashboard.panels.event_pages import PAGE, Page, Row, page
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    LONGEST_FILTER,
    author,
    breakable,
    choice,
    filtering,
    hint,
    nothing,
    part,
    when,
)
from hearth.servers.dashboard.panels.wording import counted, one_line, size
from hearth.servers.http.seeing import seen

NAME: Final = "events"
SHORT: Final = 1500
"""Characters of an event that are there before anybody asks for all of it."""
LONGEST: Final = 64_000
"""And after."""
MOST_FORMATTED: Final = 300_000
_LONGEST_NUMBER: Final = 15


async def show(looking: Looking, session: SessionId, now: datetime) -> Html:
    """A page of it."""
    wanted = looking.wanted.get("filter", "").strip()[:LONGEST_FILTER]
    before = _number(looking.wanted.get("before", ""))
    whole = _number(looking.wanted.get("whole", ""))
    status, _ = await seen(looking.around.hearth, "status", Status, session)
    found = await page(looking.around, status, before, wanted)
    where = str(found.before) if found.before <= found.newest else ""
    if found.rows:
        rows = [_row(one, now, whole, {"before": where, "filter": wanted}) for one in found.rows]
        listed = ol(rows, class_="p-events", role="list")
    else:
        listed = nothing("None of these events fits." if wanted else "Nothing happened yet.")
    looked = f"Looked at {counted(found.looked_at, 'event')} for these." if wanted else ""
    return joined(
        filtering(NAME, "Filter by type or author", wanted),
        part(
            "Events",
            hint(looked) if looked else EMPTY,
            listed,
            _pages(found, wanted),
            note=_place(found, wanted),
        ),
    )


def _place(found: Page, wanted: str) -> str:
    total = counted(found.newest, "event")
    if wanted or not found.rows:
        return total
    return f"{found.rows[-1].version:,}–{found.rows[0].version:,} of {total}"  # noqa: RUF001 - a range


def _pages(found: Page, wanted: str) -> Html:
    is_newest = found.before > found.newest
    buttons = []
    if not is_newest:
        buttons.append(choice("Newest", NAME, {"filter": wanted}))
        if not wanted and found.before + PAGE <= found.newest:
            buttons.append(choice("Newer", NAME, {"before": str(found.before + PAGE)}))
    if found.older:
        buttons.append(choice("Older", NAME, {"before": str(found.older), "filter": wanted}))
    if not buttons:
        return EMPTY
    return nav(buttons, class_="row row-wrap p-pages", aria_label="Pages of the log")


def _row(row: Row, now: datetime, whole: int, wanted: dict[str, str]) -> Html:
    at = when(row.at, now, is_clock=True) if row.at is not None else EMPTY
    by = author(row.origin) if row.origin is not None else EMPTY
    kind = (
        code(breakable(one_line(row.type, 60)))
        if row.type
        else span("unreadable", class_="badge badge-bad")
    )
    return li(
        details(
            summary(span(row.version, class_="p-version muted"), kind, div(at, by, class_="p-by")),
            _json(row, row.version == whole, wanted),
            open=row.version == whole,
            data_preserve_attr="open",
            id_=f"p-event-{row.version}",
        )
    )


def _json(row: Row, is_whole: bool, wanted: dict[str, str]) -> Html:  # noqa: FBT001 - private, and read by name
    shown = written(row.data)
    most = LONGEST if is_whole else SHORT
    if len(shown) <= most:
        return pre(shown, class_="p-json", tabindex=0)
    left = f"… and {size(len(shown) - most)} more"
    if is_whole:
        return pre(f"{shown[:most]}\n{left}", class_="p-json", tabindex=0)
    more = choice("Show all of it", NAME, {**wanted, "whole": str(row.version)})
    return joined(pre(f"{shown[:most]}\n{left}", class_="p-json", tabindex=0), more)


def written(data: bytes) -> str:
    """An event as lines that can be read, whatever is in it."""
    if len(data) <= MOST_FORMATTED:
        try:
            return msgspec.json.format(data, indent=2).decode(errors="replace")
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            pass
    return data.decode(errors="replace")


def _number(said: str) -> int:
    is_one = said.isascii() and said.isdecimal() and len(said) <= _LONGEST_NUMBER
    return int(said) if is_one else 0
