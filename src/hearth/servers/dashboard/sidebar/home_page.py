"""Draws the page of all sessions: what needs you first, and a place to begin."""

from typing import Final

from hearth.servers.dashboard.actions import local
from hearth.servers.dashboard.html import (
    EMPTY,
    Html,
    a,
    article,
    bdi,
    button,
    div,
    h1,
    h2,
    h3,
    p,
    section,
    span,
)
from hearth.servers.dashboard.sidebar.arrangement import Looked, arranged
from hearth.servers.dashboard.sidebar.forms import new_session, usual
from hearth.servers.dashboard.sidebar.lines import Line, State
from hearth.servers.dashboard.sidebar.pieces import ago, dot, flame, place_of, short
from hearth.servers.dashboard.sidebar.rows import badges, marks, model

BROKEN: Final = frozenset({State.FAULTED, State.SET_ASIDE})
MOST_EARLIER: Final = 6


def home(looked: Looked) -> Html:
    """The page."""
    listed = arranged(looked.lines, looked.desk)
    wanted = usual(looked)
    begin = section(
        h2("New session", id_="home-new-title"),
        new_session(wanted, place="home"),
        aria_labelledby="home-new-title",
        class_="home-new card stack",
    )
    said = p(f"This may be old: {looked.trouble[:300]}", class_="side-said", role="status")
    if not looked.lines:
        return div(_welcome(), said if looked.trouble else EMPTY, begin, id_="home", class_="home")
    needs = [line for line in listed.open if line.needs]
    others = [line for line in listed.open if not line.needs]
    return div(
        div(
            _drawer(),
            h1("Sessions"),
            _counted(listed.open, len(needs)),
            class_="home-head",
        ),
        said if looked.trouble else EMPTY,
        _group(looked, "Needs you", needs),
        _group(looked, "Open", sorted(others, key=_urgency)),
        begin,
        _group(looked, "Earlier", list(listed.earlier)[:MOST_EARLIER]),
        id_="home",
        class_="home",
    )


def _welcome() -> Html:
    return div(
        _drawer(),
        flame(),
        h1("Light the hearth"),
        p(
            "A session is a live interpreter that you and your agents share. Begin one: run code,"
            " talk to an agent about it, leave, and find everything as it was.",
            class_="muted",
        ),
        class_="home-welcome",
    )


def _drawer() -> Html:
    """Brings the sidebar back, where it is put away."""
    return button(
        span("☰", aria_hidden="true"),
        span("Sessions", class_="sr"),
        type_="button",
        class_="btn btn-quiet home-drawer",
        title="Sessions",
        **local("toggleSidebar"),
    )


def _counted(opened: tuple[Line, ...], needs: int) -> Html:
    one = "1 open session" if len(opened) == 1 else f"{len(opened)} open sessions"
    words = f"{one}, {needs} of them waiting for you" if needs else one
    return p(words, class_="muted")


def _urgency(line: Line) -> bool:
    """What is broken stands first; all else stays as the person arranged it."""
    return line.state not in BROKEN


def _group(looked: Looked, words: str, lines: list[Line]) -> Html:
    if not lines:
        return EMPTY
    title = f"home-{words.lower().replace(' ', '-')}"
    return section(
        h2(words, id_=title, class_="home-title"),
        div(*(_card(looked, line) for line in lines), class_="home-cards"),
        aria_labelledby=title,
        class_="home-group",
    )


def _card(looked: Looked, line: Line) -> Html:
    about = line.trouble or line.preview
    return article(
        a(
            h3(
                dot(line.state),
                span(bdi(line.name), class_="cut grow"),
                marks(looked, line),
                class_="row",
            ),
            span(
                span(line.state.value, class_=f"session-state state-{line.state.name.lower()}"),
                ago(line.at, looked.now),
                model(line),
                class_="session-about",
            ),
            p(about[:200], class_="home-preview muted small") if about else None,
            span(
                span(bdi(short(line.directory)), class_="cut grow", title=line.directory),
                badges(looked, line),
                class_="session-where",
            ),
            href=place_of(line.session),
            class_="home-open",
        ),
        class_=f"card home-card card-{line.state.name.lower()}",
    )
