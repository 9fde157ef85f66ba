"""The forms by which sessions begin and are renamed, with what is wrong at the field."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from hearth.core.vocabulary.commands import RenameSession
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.actions import command, local, post
from hearth.servers.dashboard.html import (
    EMPTY,
    Attribute,
    Child,
    Html,
    bdi,
    button,
    code,
    div,
    element,
    fieldset,
    form,
    h2,
    input_,
    label,
    legend,
    p,
    span,
)
from hearth.servers.dashboard.sidebar.arrangement import Looked
from hearth.servers.dashboard.sidebar.lines import Line
from hearth.servers.mcp.outside import FoundProjects

Place: TypeAlias = Literal["dialog", "home"]

MOST_OFFERED: Final = 30
MOST_PROJECTS: Final = 12
MODES: Final = (
    ("project", "Project", "its environment, its packages, its init script"),
    ("bare", "Bare", "a plain interpreter in that folder"),
)
SOURCES: Final[Mapping[str, str]] = {"directory": "no project was found above it"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What stands in the form for a new session."""

    directory: str = ""
    name: str = ""
    mode: str = "project"
    offered: tuple[str, ...] = ()
    """Directories of other sessions."""
    wrong: Mapping[str, str] = field(default_factory=dict)
    """What is wrong, by field; under the empty name what no field can help."""


def usual(looked: Looked) -> Wanted:
    """The form as it is before anybody wrote in it: in the folder of the last session."""
    last = looked.desk.active
    with_one = (line for line in looked.lines if line.directory)
    recent = sorted(with_one, key=lambda line: (line.session != last, _age(looked, line)))
    offered = tuple(dict.fromkeys(line.directory for line in recent))[:MOST_OFFERED]
    return Wanted(directory=offered[0] if offered else "~", offered=offered)


def dialog(title: str, *children: Child) -> Html:
    """What the dialog of the page shows; `sidebar.js` opens it when this comes."""
    return div(
        h2(title, id_="dialog-title"),
        *children,
        id_="dialog-in",
        class_="stack",
        data_opens="1",
    )


def new_session(wanted: Wanted, *, place: Place, found: Html = EMPTY) -> Html:
    """The form for a new session."""
    own = f"new-{place}"
    cancel = button("Cancel", type_="button", class_="btn", **local("close", of="dialog"))
    return form(
        _wrong(own, wanted, ""),
        div(
            label("Directory", for_=f"{own}-directory"),
            input_(
                id_=f"{own}-directory",
                name="directory",
                value=wanted.directory,
                list_=f"{own}-offered",
                required=True,
                class_="mono new-directory",
                spellcheck="false",
                autocomplete="off",
                autocapitalize="off",
                maxlength=4096,
                data_found=f"{own}-found",
                **_described(own, wanted, "directory"),
            ),
            element(
                "datalist",
                [element("option", (), {"value": one}) for one in wanted.offered],
                {"id": f"{own}-offered"},
            ),
            _wrong(own, wanted, "directory"),
            found or div(id_=f"{own}-found", class_="new-found small muted", aria_live="polite"),
            class_="field",
        ),
        div(
            label("Name", span(" (may be empty)", class_="muted"), for_=f"{own}-name"),
            input_(
                id_=f"{own}-name",
                name="name",
                value=wanted.name,
                autocomplete="off",
                maxlength=200,
                **_described(own, wanted, "name"),
            ),
            _wrong(own, wanted, "name"),
            class_="field",
        ),
        fieldset(
            legend("What it loads", class_="sr"),
            *(_mode(own, wanted, *one) for one in MODES),
            class_="new-modes",
        ),
        div(
            cancel if place == "dialog" else None,
            button("Begin session", type_="submit", class_="btn btn-primary"),
            class_="dialog-foot",
        ),
        id_=own,
        class_="new-session stack",
        **post("/dashboard/new", on="submit", place=place),
    )


def found_projects(place: Place, found: FoundProjects) -> Html:
    """What was found for a directory, below the field."""
    listed = [code(bdi(one)) for one in found.projects[:MOST_PROJECTS]]
    more = len(found.projects) - len(listed)
    how = SOURCES.get(found.source, f"found by {found.source}")
    return div(
        p("Works in ", code(bdi(found.root)), f", {how}."),
        p("Projects: ", *_spaced(listed), f" and {more} more" if more > 0 else None)
        if listed
        else None,
        *(p(one[:300], class_="new-notice") for one in found.notices[:5]),
        id_=f"new-{place}-found",
        class_="new-found small muted",
        aria_live="polite",
    )


def found_nothing(place: Place, why: str) -> Html:
    """That nothing can be said about a directory, and why."""
    return div(
        p(why) if why else None,
        id_=f"new-{place}-found",
        class_="new-found small muted",
        aria_live="polite",
    )


def rename(session: SessionId, name: str) -> Html:
    """The dialog that gives a session another name."""
    sent = command(session, RenameSession(name or "x"), on="submit", fills="name")
    return dialog(
        "Rename session",
        form(
            div(
                label("Name", for_="rename-name"),
                input_(
                    id_="rename-name",
                    name="name",
                    value=name,
                    required=True,
                    maxlength=200,
                    autocomplete="off",
                    autofocus=True,
                ),
                class_="field",
            ),
            div(
                button("Cancel", type_="button", class_="btn", **local("close", of="dialog")),
                button("Rename", type_="submit", class_="btn btn-primary"),
                class_="dialog-foot",
            ),
            id_="rename",
            data_closes="1",
            **sent,
        ),
    )


def _age(looked: Looked, line: Line) -> float:
    return (looked.now - line.at).total_seconds() if line.at is not None else math.inf


def _mode(own: str, wanted: Wanted, mode: str, words: str, about: str) -> Html:
    return label(
        input_(
            type_="radio",
            name="mode",
            value=mode,
            checked=wanted.mode == mode,
            id_=f"{own}-mode-{mode}",
        ),
        span(words),
        span(about, class_="muted small"),
        class_="new-mode",
    )


def _described(own: str, wanted: Wanted, name: str) -> dict[str, Attribute]:
    if name not in wanted.wrong:
        return {}
    return {"aria_invalid": "true", "aria_describedby": f"{own}-{name}-wrong"}


def _wrong(own: str, wanted: Wanted, name: str) -> Html:
    words = wanted.wrong.get(name, "")
    if not words:
        return EMPTY
    place = f"{own}-{name or 'all'}-wrong"
    return p(words[:500], id_=place, class_="new-wrong small", role="alert")


def _spaced(children: Iterable[Html]) -> list[Child]:
    spaced: list[Child] = []
    for child in children:
        spaced += [child, " "]
    return spaced[:-1]
