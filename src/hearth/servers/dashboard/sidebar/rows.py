"""Draws one session of the sidebar, and what is said of sessions wherever they are listed."""

from typing import Final

from hearth.servers.dashboard.actions import local
from hearth.servers.dashboard.html import EMPTY, Html, a, bdi, button, div, joined, li, span
from hearth.servers.dashboard.sidebar.arrangement import Arranged, Looked
from hearth.servers.dashboard.sidebar.lines import Line, State
from hearth.servers.dashboard.sidebar.pieces import (
    ago,
    badge,
    dot,
    icon,
    is_me,
    place_of,
    row_id,
    short,
)

MOST_BADGES: Final = 2
MENU: Final = "side-menu"
MENU_OVER: Final = "side-menu-over"


def marks(looked: Looked, line: Line) -> Html:
    """What a person should know of a session at once, as a shape and in words."""
    if line.needs:
        what = "question waits" if line.needs == 1 else "questions wait"
        words = f"{line.needs} {what} for you"
        shown = span(str(line.needs), class_="mark-needs", aria_hidden="true", title=words)
        return Html(shown + span(words, class_="sr"))
    if looked.is_unread(line):
        dot_ = span(class_="mark-unread", aria_hidden="true", title="something new")
        return Html(dot_ + span("something new", class_="sr"))
    return EMPTY


def badges(looked: Looked, line: Line) -> Html:
    """Who was active, the latest first; nobody, if it was the person alone."""
    if all(is_me(one, looked.person) for one in line.authors):
        return EMPTY
    shown = [badge(one, looked.person) for one in line.authors[:MOST_BADGES]]
    more = len(line.authors) - MOST_BADGES
    if more > 0:
        shown.append(span(f"+{more}", class_="badge", title="others, too"))
    return span(*shown, class_="badges") if shown else EMPTY


def model(line: Line) -> Html:
    """The model that last answered."""
    if not line.model:
        return EMPTY
    return span(line.model, class_="cut session-model", title=line.model)


def row(looked: Looked, listed: Arranged, line: Line) -> Html:
    """One session."""
    is_archived = line.session in listed.archived
    is_over = is_archived or line.stopped
    words = "archived" if is_archived and line.state is State.STOPPED else line.state.value
    shown = short(line.directory)
    found = f"{line.name} {line.directory} {line.model} {words}".lower()
    return li(
        a(
            span(
                dot(line.state),
                span(bdi(line.name), class_="session-name cut"),
                marks(looked, line),
                class_="session-top",
            ),
            span(
                span(words, class_=f"session-state state-{line.state.name.lower()}"),
                ago(line.at, looked.now),
                model(line),
                class_="session-about",
            ),
            span(
                span(bdi(shown), class_="cut grow", title=line.directory),
                badges(looked, line),
                class_="session-where",
            )
            if shown or line.authors
            else None,
            href=place_of(line.session),
            class_="session-open",
            title=line.trouble[:500] or None,
            draggable="false",
        ),
        _more(line, MENU_OVER if is_over else MENU),
        id_=row_id(line.session),
        class_="session session-over" if is_over else "session",
        data_session=line.session,
        data_name=line.name,
        data_find=found[:1000],
        draggable=None if is_over else "true",
    )


def menus() -> Html:
    """What can be done with a session without opening it: one menu for all, see `sidebar.js`."""
    return joined(
        div(
            _does("rename", "Rename", "F2"),
            _does("fork", "Fork"),
            _does("up", "Move up", "Alt ↑"),
            _does("down", "Move down", "Alt ↓"),
            _does("archive", "Archive …", "Del"),
            id_=MENU,
            popover=True,
            class_="session-menu",
            data_preserve_attr="style",
        ),
        div(
            _does("resume", "Resume"),
            _does("fork", "Fork"),
            id_=MENU_OVER,
            popover=True,
            class_="session-menu",
            data_preserve_attr="style",
        ),
    )


def _more(line: Line, menu: str) -> Html:
    return button(
        icon("more"),
        type_="button",
        class_="btn btn-small btn-quiet session-more",
        aria_label=f"More about {line.name}",
        popovertarget=menu,
    )


def _does(act: str, words: str, keys: str = "") -> Html:
    return button(
        words,
        span(keys, class_="session-key muted", aria_hidden="true") if keys else None,
        type_="button",
        class_="btn btn-quiet btn-danger" if act == "archive" else "btn btn-quiet",
        **local("withSession", does=act),
    )
