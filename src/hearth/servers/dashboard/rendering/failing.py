"""Failures as people read them: what happened in a line, the traceback folded below it."""

from typing import assert_never

from hearth.core.vocabulary.content import Text
from hearth.core.vocabulary.failures import (
    CheckFailed,
    CodeRaised,
    Failure,
    Interrupted,
    ProjectNotFound,
    TimedOut,
    WarmUpFailed,
    WorkerCrashed,
)
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.html import Html, details, div, li, p, pre, span, strong, summary, ul
from hearth.servers.dashboard.rendering.bounding import bounded
from hearth.servers.dashboard.rendering.terminal import screen, stripped
from hearth.servers.dashboard.rendering.wording import seconds, short

MOST_NAMED = 20
MOST_SAID = 4000


def failed(failure: Failure, session: SessionId) -> Html:  # noqa: PLR0911 - a closed match
    """A failure: its name and message, and what else is known of it."""
    match failure:
        case CodeRaised():
            return _told(
                failure.name, failure.message, session, _traced(failure.traceback, session)
            )
        case TimedOut():
            return _told("stopped", f"it ran longer than {seconds(failure.limit)}", session)
        case Interrupted():
            return _told("cut off", failure.message, session)
        case WorkerCrashed():
            names = ", ".join(short(name, 80) for name in failure.names[:MOST_NAMED])
            lost = p("Lost with it: ", names, class_="muted") if names else None
            trace = _traced(failure.traceback, session)
            return _told("the interpreter died", failure.message, session, trace, lost)
        case WarmUpFailed():
            trace = _traced(failure.traceback, session)
            return _told("it could not be started", failure.message, session, trace)
        case ProjectNotFound():
            return _told("no project", f"there is none at {failure.path}", session)
        case CheckFailed():
            return _told("not run", "it has errors", session, _found(failure))
        case _:
            assert_never(failure)


def _told(name: str, message: Text, session: SessionId, *more: Html | None) -> Html:
    said, about = bounded(message, session, MOST_SAID)
    return div(
        div(
            span("✗ ", class_="sign", aria_hidden="true"),
            strong(short(name, 200), class_="failure-name"),
            ": " if said else None,
            span(stripped(said).strip("\n"), class_="failure-said"),
        ),
        about,
        *more,
        class_="failure",
    )


def _traced(traceback: Text, session: SessionId) -> Html | None:
    words, about = bounded(traceback, session)
    if not words.strip():
        return None
    return details(
        summary("Traceback"),
        pre(screen(words.strip("\n")), class_="out out-trace", tabindex="0"),
        about,
        class_="fold",
        data_preserve_attr="open",
    )


def _found(failure: CheckFailed) -> Html:
    return ul(
        *(
            li(f"line {one.start_line}: {short(one.message, 400)}")
            for one in failure.diagnostics[:MOST_NAMED]
        ),
        class_="found",
    )
