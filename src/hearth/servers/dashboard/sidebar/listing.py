"""Draws the sidebar: the same bytes for all tabs of a person."""

from typing import Final

from hearth.servers.dashboard.actions import get, local, post
from hearth.servers.dashboard.html import (
    EMPTY,
    Child,
    Html,
    a,
    button,
    details,
    div,
    h2,
    header,
    input_,
    label,
    li,
    nav,
    p,
    span,
    summary,
    ul,
)
from hearth.servers.dashboard.sidebar.arrangement import Arranged, Looked, arranged
from hearth.servers.dashboard.sidebar.desks import MOST_EARLIER, Desk
from hearth.servers.dashboard.sidebar.pieces import flame, icon
from hearth.servers.dashboard.sidebar.rows import menus, row

UNFOUND: Final = "Nothing here is called so. Enter searches all sessions."
THEMES: Final = (("system", "Auto"), ("light", "Light"), ("dark", "Dark"))


def sidebar(looked: Looked) -> Html:
    """The sidebar as a whole."""
    desk = looked.desk
    listed = arranged(looked.lines, desk)
    return nav(
        _head(),
        _said(looked),
        _filter(listed),
        _open(looked, listed),
        _earlier(looked, listed),
        _foot(desk),
        menus(),
        id_="sidebar",
        aria_label="Sessions",
        data_theme=desk.theme,
        data_collapsed="1" if desk.collapsed else "0",
        data_filter=desk.filter,
        data_needs=sum(line.needs for line in looked.lines),
    )


def _head() -> Html:
    return header(
        a(
            flame(),
            span("hearth", class_="side-name"),
            href="/dashboard",
            class_="side-home",
            title="All sessions",
        ),
        button(
            icon("new"),
            span("New", class_="side-word"),
            type_="button",
            class_="btn btn-small btn-primary",
            title="New session",
            aria_label="New session",
            **get("/dashboard/new"),
        ),
        button(
            icon("search"),
            type_="button",
            class_="btn btn-small btn-quiet",
            title="Search all sessions",
            aria_label="Search all sessions",
            **get("/dashboard/search"),
        ),
        button(
            icon("fold"),
            type_="button",
            class_="btn btn-small btn-quiet",
            title="Put the sidebar away",
            aria_label="Put the sidebar away",
            **local("toggleSidebar"),
        ),
        class_="side-head",
    )


def _said(looked: Looked) -> Html:
    """What is wrong, in words; what was known before is shown all the same."""
    if not looked.trouble:
        return EMPTY
    words = f"This list may be old: {looked.trouble[:300]}"
    return p(words, class_="side-said", role="status")


def _filter(listed: Arranged) -> Html:
    few = len(listed.open) + len(listed.earlier) < 2
    return div(
        label("Filter the list", for_="side-filter", class_="sr"),
        # Its value is never sent: it would overwrite what somebody types.
        input_(
            id_="side-filter",
            type_="search",
            placeholder="Filter · Enter searches all",
            autocomplete="off",
            spellcheck="false",
            maxlength=200,
            data_preserve_attr="value",
        ),
        class_="side-filter",
        hidden=few,
    )


def _open(looked: Looked, listed: Arranged) -> Html:
    rows: list[Child] = [row(looked, listed, line) for line in listed.open]
    if not rows:
        words = "No session is open." if looked.lines else "No sessions yet."
        rows = [li(words, class_="side-none muted small", id_="side-none")]
    if listed.unlisted:
        rows.append(li(f"and {listed.unlisted} more", class_="side-none muted small"))
    return ul(
        *rows,
        li(UNFOUND, id_="side-unfound", class_="side-none muted small", hidden=True),
        id_="side-open",
        class_="side-list",
        role="list",
    )


def _earlier(looked: Looked, listed: Arranged) -> Html:
    if not listed.earlier:
        return EMPTY
    all_of_them = len(listed.earlier) + listed.older
    more: Html = EMPTY
    if listed.older and looked.desk.earlier < MOST_EARLIER:
        wanted = min(MOST_EARLIER, looked.desk.earlier * 2)
        more = button(
            f"More ({listed.older})",
            type_="button",
            class_="btn btn-small btn-quiet side-more",
            **post("/dashboard/desk", earlier=str(wanted)),
        )
    elif listed.older:
        words = f"{listed.older} older ones are found by searching."
        more = p(words, class_="side-none muted small")
    return details(
        summary(
            h2("Earlier", class_="side-title"),
            span(str(all_of_them), class_="muted small"),
            class_="side-earlier-sum",
        ),
        ul(
            *(row(looked, listed, line) for line in listed.earlier),
            class_="side-list",
            role="list",
        ),
        more,
        id_="side-earlier",
        class_="side-earlier",
        data_preserve_attr="open",
    )


def _foot(desk: Desk) -> Html:
    return div(
        *(
            button(
                words,
                type_="button",
                class_="btn btn-small btn-quiet",
                aria_pressed="true" if desk.theme == theme else "false",
                **local("theme", to=theme),
            )
            for theme, words in THEMES
        ),
        class_="side-foot row",
        role="group",
        aria_label="Colours",
    )
