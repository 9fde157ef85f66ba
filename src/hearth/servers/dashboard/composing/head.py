"""The head of a session's page: what it is, what it does, what it is talked with, what can be done.

Every button is an action that the session takes now; one that it does not take says why.
"""

from typing import Final

from hearth.core.views.status import Status
from hearth.core.views.talk import Talk
from hearth.core.vocabulary.commands import RenameSession
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.actions import Attributes, command, local, post
from hearth.servers.dashboard.composing.model import model
from hearth.servers.dashboard.composing.offers import Offer, others, stopping
from hearth.servers.dashboard.composing.standings import Standing, short, standings
from hearth.servers.dashboard.composing.undoing import taking_back, undo_menu
from hearth.servers.dashboard.html import (
    Child,
    Html,
    bdi,
    button,
    dd,
    details,
    div,
    dl,
    dt,
    form,
    h1,
    header,
    hr,
    input_,
    label,
    li,
    small,
    span,
    summary,
    time,
    ul,
)

MOST_NOTICES: Final = 10


def head(status: Status, talk: Talk, *, models: tuple[str, ...] = ()) -> Html:
    """`header#head`. `models`: names that are proposed where a model is chosen."""
    session = status.session
    return header(
        _drawer("toggleSidebar", "☰", "Show or hide the sidebar"),
        _name(status),
        _standing(standings(status, talk)),
        _marks(status),
        span(class_="grow"),
        model(session, talk, models),
        div(
            (_button(session, one, "btn btn-small") for one in stopping(status, talk)),
            class_="head-stops row",
        ),
        _undo(status),
        _more(status, talk),
        _drawer("togglePanel", "◨", "Show or hide the panel"),
        id_="head",
        class_="head",
    )


def _drawer(name: str, sign: str, words: str) -> Html:
    return button(
        span(sign, aria_hidden="true"),
        type_="button",
        class_="btn btn-quiet",
        title=words,
        aria_label=words,
        id_=f"head-{name}",
        **local(name),
    )


def _name(status: Status) -> Html:
    """The name, and the form in which it is given another."""
    name = short(status.name, 200) or str(status.session)
    return details(
        summary(
            h1(bdi(name), class_="head-name cut"),
            span(f"in {status.directory}", class_="head-directory muted cut")
            if status.directory
            else None,
            class_="head-title",
            title=f"{name}\n{status.directory}\nRename",
        ),
        form(
            div(
                label("Name of the session", for_="head-rename"),
                input_(
                    id_="head-rename",
                    name="name",
                    value=status.name,
                    maxlength=200,
                    required=True,
                    autocomplete="off",
                ),
                class_="field",
            ),
            button("Rename", type_="submit", class_="btn btn-primary"),
            class_="menu-in menu-in-start stack",
            **command(status.session, RenameSession("x"), on="submit", fills="name"),
        ),
        id_="head-name",
        class_="menu head-what",
        data_preserve_attr="open",
    )


def _standing(now: tuple[Standing, ...]) -> Html:
    return div(
        span(class_=f"dot dot-{now[0].kind}", aria_hidden="true"),
        div(
            (_words(one) for one in now),
            class_="head-words cut",
            title=" · ".join(one.said for one in now),
        ),
        id_="head-state",
        class_=f"head-state row is-{now[0].kind}",
    )


def _words(one: Standing) -> Html:
    parts: list[Child] = [one.words]
    if one.since is not None:
        since = one.since.isoformat()
        parts += [" ", time(datetime=since, data_since=since)]
    if one.until is not None:
        until = one.until.isoformat()
        parts += [" ", time(datetime=until, data_until=until)]
    if one.behind:
        parts += [" ", one.behind]
    return span(parts, class_="head-doing")


def _marks(status: Status) -> Html:
    """What a person should know besides: an older Python, results that no longer hold, notices."""
    marks: list[Child] = []
    if status.version:
        marks.append(span(_language(status), class_="badge head-python", title=status.python))
    if status.waiting:
        waits = "1 cell waits" if status.waiting == 1 else f"{status.waiting} cells wait"
        marks.append(span(waits, class_="badge badge-info"))
    if status.stale_events:
        stale = f"{status.stale_events} stale"
        about = "Cells whose results no longer hold: what they used has changed since"
        marks.append(span(stale, class_="badge badge-warn", title=about))
    if status.notices:
        marks.append(_notices(status.notices))
    return div(marks, class_="head-marks row")


def _language(status: Status) -> str:
    return short(f"{status.language.capitalize() or 'Python'} {status.version}", 40)


def _notices(notices: tuple[str, ...]) -> Html:
    count = "1 notice" if len(notices) == 1 else f"{len(notices)} notices"
    return details(
        summary(count, class_="badge badge-warn"),
        ul(
            (li(short(one, 400)) for one in notices[:MOST_NOTICES]),
            role="list",
            class_="menu-in stack",
            tabindex=0,
            aria_label="Notices",
        ),
        id_="head-notices",
        class_="menu",
        data_preserve_attr="open",
    )


def _undo(status: Status) -> Html:
    undo, redo = (_button(status.session, one, "btn") for one in taking_back(status))
    return undo_menu(status, undo, redo)


def _more(status: Status, talk: Talk) -> Html:
    session = status.session
    return details(
        summary("More", class_="btn btn-small", aria_label="More actions"),
        div(
            _facts(status),
            hr(),
            (_button(session, one, "btn") for one in others(status, talk)),
            hr(),
            _plain(
                "fork",
                "Fork",
                "Another session goes on from here, with a copy of the interpreter",
                post("/dashboard/fork"),
            ),
            _plain(
                "copy",
                "Copy the conversation",
                "As text, with how the session stands",
                local("copyConversation"),
            ),
            _plain("keys", "Keys", "What can be done with the keyboard", local("keys")),
            _plain(
                "archive",
                "Archive",
                "Out of the list; nothing is lost",
                post("/dashboard/archive"),
            ),
            class_="menu-in",
        ),
        id_="head-more",
        class_="menu",
        data_preserve_attr="open",
    )


def _facts(status: Status) -> Html:
    facts = (
        ("Session", str(status.session)),
        ("Directory", status.directory),
        ("Interpreter", status.python),
        ("Version", _language(status) if status.version else ""),
    )
    return dl(
        ((dt(name), dd(bdi(short(said, 300)))) for name, said in facts if said),
        class_="head-facts",
    )


def _button(session: SessionId, offer: Offer, look: str) -> Html:
    danger = " btn-danger" if offer.danger else ""
    said = offer.why_not or offer.about
    attributes: Attributes = {}
    if not offer.why_not:
        attributes = command(session, offer.command, confirm=offer.confirm)
    return button(
        span(offer.label, class_="btn-label"),
        small(said, class_="btn-about muted", aria_hidden="true") if said else None,
        type_="button",
        id_=f"do-{offer.name}",
        class_=f"{look}{danger}",
        disabled=bool(offer.why_not),
        title=said or None,
        aria_description=said or None,
        **attributes,
    )


def _plain(name: str, words: str, about: str, acts: Attributes) -> Html:
    """What can always be done, and is not asked of the session."""
    return button(
        span(words, class_="btn-label"),
        small(about, class_="btn-about muted", aria_hidden="true"),
        type_="button",
        id_=f"do-{name}",
        class_="btn",
        aria_description=about,
        **acts,
    )
