"""What panels are put together from, so that all of them look like one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Origin
from hearth.servers.dashboard.actions import Attributes, On, post
from hearth.servers.dashboard.html import (
    EMPTY,
    Child,
    Html,
    a,
    button,
    caption,
    dd,
    div,
    dl,
    dt,
    element,
    form,
    h3,
    input_,
    joined,
    label,
    p,
    section,
    small,
    span,
    table,
    tbody,
    td,
    th,
    thead,
    time,
    tr,
)
from hearth.servers.dashboard.panels.wording import ago, clock, counted, folder, name_of, one_line

MOST: Final = 200
"""Rows of one panel."""
CHOOSE: Final = "/dashboard/panel"
"""Where a choice within a panel goes."""
LONGEST_FILTER: Final = 200

Tone: TypeAlias = Literal["good", "warn", "bad", "info", ""]

_JOINTS: Final = re.compile(r"(?<=[._/:@-])(?=\w)")
_BADGES: Final = {
    Actor.PERSON: "badge-person",
    Actor.AGENT: "badge-agent",
    Actor.MCP_CLIENT: "badge-client",
    Actor.FILE_WATCHER: "badge-system",
    Actor.SYSTEM: "badge-system",
}


class Column(NamedTuple):
    """One column of a table."""

    title: Child
    kind: str = ""
    """What its cells are to the stylesheet: `num`, `name`, `words`."""
    sorted_by: Literal["ascending", "descending", "none", ""] = ""


def part(heading: Child, *children: Child, id_: str = "", note: Child = None) -> Html:
    """A part of a panel, with a heading and, at its end, a word about all of it."""
    said = small(note, class_="p-note muted") if note is not None else None
    return section(
        div(h3(heading, class_="p-heading"), said, class_="p-head"),
        *children,
        class_="p-part",
        id_=id_ or None,
    )


def nothing(words: str) -> Html:
    """There is nothing to show, which is an answer too."""
    return p(words, class_="empty p-empty")


def hint(*words: Child) -> Html:
    """A word beside what is shown."""
    return p(*words, class_="p-hint muted")


def trouble(words: str, remedy: str = "") -> Html:
    """Something is wrong, and what would help."""
    more = p(one_line(remedy, 500), class_="p-remedy") if remedy else EMPTY
    return div(p(one_line(words, 500)), more, class_="p-trouble", role="status")


def warning(words: str) -> Html:
    """Something that wants care."""
    mark = span("Warning: ", class_="p-mark")
    return p(mark, one_line(words, 500), class_="p-warning")


def badge(words: str, tone: Tone = "") -> Html:
    """A state in a word."""
    return span(one_line(words, 60), class_=f"badge badge-{tone}" if tone else "badge")


def author(origin: Origin) -> Html:
    """Who did something, with the colour of their kind."""
    name = one_line(name_of(origin), 60)
    about = f"{origin.actor.replace('_', ' ')} by way of {origin.door}"
    return span(name, class_=f"badge {_BADGES[origin.actor]}", title=about)


def when(then: datetime, now: datetime, *, is_clock: bool = False) -> Html:
    """A moment: how long ago, or as a time of day; the other on the mouse."""
    passed, exact = ago(then, now), clock(then, now)
    shown, other = (exact, passed) if is_clock else (passed, exact)
    return time(shown, datetime=then.isoformat(), title=other, class_="p-when")


def breakable(words: str) -> Html:
    """A name that is broken where its parts meet, if there is no room for it on one line."""
    parts = _JOINTS.split(words)
    return joined(parts[0], [(element("wbr"), one) for one in parts[1:]])


def facts(rows: Iterable[tuple[Child, Child]]) -> Html:
    """Names and what they are, one below the other."""
    return dl([(dt(name), dd(value)) for name, value in rows], class_="p-facts")


def rows_of(about: str, columns: Sequence[Column], rows: Iterable[Sequence[Child]]) -> Html:
    """A table; `about` says to those who hear it what it is."""
    heads = (
        th(
            one.title,
            scope="col",
            class_=f"p-{one.kind}" if one.kind else None,
            aria_sort=one.sorted_by or None,
        )
        for one in columns
    )
    kinds = [f"p-{one.kind}" if one.kind else None for one in columns]
    body = (
        tr([td(cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows
    )
    return table(
        caption(about, class_="sr"), thead(tr(list(heads))), tbody(list(body)), class_="p-table"
    )


def left_out(shown: int, total: int, what: str, several: str = "") -> Html:
    """How many more there are than are shown; nothing if none."""
    if total <= shown:
        return EMPTY
    more = counted(total - shown, f"more {what}", f"more {several or f'{what}s'}")
    return hint(f"{more} not shown")


def path(where: str, most: int = 300) -> Html:
    """Where something is, as people write it."""
    return span(breakable(one_line(folder(where), most)), class_="mono p-path")


def link(session: SessionId, name: str) -> Html:
    """To the page of a session."""
    shown = one_line(name, 80) or session
    return a(shown, href=f"/dashboard/s/{quote(session, safe='')}", class_="p-link")


def choice(
    words: Child,
    panel: str,
    wanted: Mapping[str, str] | None = None,
    *,
    is_on: bool = False,
    about: str = "",
) -> Html:
    """A button that shows another part of the panel, or the same in another way."""
    return button(
        words,
        type_="button",
        class_="btn btn-small",
        aria_pressed="true" if is_on else None,
        title=about or None,
        **_choosing("click", panel, wanted),
    )


def filtering(panel: str, about: str, now: str, wanted: Mapping[str, str] | None = None) -> Html:
    """A field that leaves fewer rows; what else was chosen stays chosen."""
    name = f"p-{panel}-filter"
    clear = choice("Clear", panel, wanted) if now else EMPTY
    return form(
        label(about, for_=name, class_="sr"),
        input_(
            id_=name,
            name="filter",
            type_="search",
            value=now,
            placeholder=about,
            maxlength=LONGEST_FILTER,
            autocomplete="off",
            spellcheck="false",
        ),
        button("Filter", type_="submit", class_="btn btn-small"),
        clear,
        class_="p-filter",
        role="search",
        aria_label=about,
        **_choosing("submit", panel, wanted),
    )


def _choosing(on: On, panel: str, wanted: Mapping[str, str] | None) -> Attributes:
    chosen = {name: value for name, value in (wanted or {}).items() if value}
    return post(CHOOSE, on=on, confirm="", panel=panel, **chosen)
