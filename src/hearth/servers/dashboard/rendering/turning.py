"""What a session's own line says besides its words: forks, returns, and their way out."""

from typing import Final
from urllib.parse import quote

from hearth.core.vocabulary import undoing as u
from hearth.core.vocabulary.commands import ReturnTo
from hearth.core.vocabulary.deeds import PathChange
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.dashboard.actions import command, post
from hearth.servers.dashboard.html import Html, a, button, div, li, p, span, ul
from hearth.servers.dashboard.rendering.look import Look
from hearth.servers.dashboard.rendering.taking_back import obstacles
from hearth.servers.dashboard.rendering.wording import counted, short

MOST_PATHS: Final = 50
FORK: Final = "/dashboard/fork"
_WAYS_OUT: Final = (
    (u.ForkHow.REPLAY, "Fork by replay", "Its interpreter is rebuilt by running the cells again"),
    (u.ForkHow.NEW, "Fork with an empty interpreter", "Only the conversation goes on"),
)
NO_COPY: Final = "no fork was made: the interpreter cannot be copied now"
QUIET: Final = (u.CopiesDropped, u.UndoChosen)
BAD: Final = (u.UndoFailed, u.ForkFailed, u.ReturnFailed)


def kind_of(event: u.UndoEvent | None) -> str:
    """The classes of the line about an event, behind `notice`."""
    if isinstance(event, BAD):
        return " is-bad"
    return " is-quiet" if isinstance(event, QUIET) else ""


def words_about(event: u.UndoEvent | None, words: str) -> str:
    """What the line says: not what is told below it in full."""
    if isinstance(event, u.ForkFailed) and event.obstacles:
        return NO_COPY
    return words


def more_about(event: u.UndoEvent | None, look: Look, *, is_last: bool) -> Html | None:
    """What is to be seen or done about it; None: its words say it all."""
    match event:
        case u.SessionForked():
            return _forked(event)
        case u.ForkFailed():
            return _not_forked(event)
        case u.SessionReturned():
            return _returned(event, look, is_last=is_last)
        case _:
            return None


def ways_out(session: str = "", block: str = "") -> Html:
    """The buttons that fork without a copy."""
    where = {name: said for name, said in (("session", session), ("block", block)) if said}
    return div(
        *(
            button(
                words,
                type="button",
                class_="btn btn-small",
                title=about,
                **post(FORK, on="click", confirm="", how=how.value, **where),
            )
            for how, words, about in _WAYS_OUT
        ),
        class_="acts row row-wrap",
    )


def _forked(event: u.SessionForked) -> Html:
    return div(
        p(link_to(event.to, f"Open {event.name or event.to}")),
        p(short(event.notice, 1000), class_="muted") if event.notice else None,
        class_="turned",
    )


def link_to(session: SessionId, words: str = "") -> Html:
    """To the page of a session."""
    return a(short(words, 80) or session, href=f"/dashboard/s/{quote(session, safe='')}")


def _not_forked(event: u.ForkFailed) -> Html | None:
    if not event.obstacles:
        return None  # it was no copy that failed, and from where it was wanted is not told here
    return div(obstacles(event.obstacles), ways_out(), class_="turned")


def _returned(event: u.SessionReturned, look: Look, *, is_last: bool) -> Html | None:
    parts = [
        p(f"Taken back: {', '.join(event.cells)}, {_by(event.how)}.") if event.cells else None,
        paths(event.changes, event.left_out),
        ul(*(li(short(one, 400)) for one in event.problems), class_="obstacles")
        if event.problems
        else None,
        _undo(look) if is_last and event.to and look.can_talk else None,
    ]
    return div(*parts, class_="turned") if any(parts) else None


def _by(how: u.ForkHow | None) -> str:
    return (
        "by a copy that was kept" if how is u.ForkHow.COPY else "by running the cells before again"
    )


def paths(changes: tuple[PathChange, ...], left_out: int) -> Html | None:
    """What becomes of files."""
    if not changes and not left_out:
        return None
    shown = changes[:MOST_PATHS]
    more = len(changes) - len(shown) + left_out
    return ul(
        *(
            li(span(f"{one.kind} ", class_="muted"), short(one.path, 300), class_="mono")
            for one in shown
        ),
        li(f"… and {counted(more, 'more file')}") if more else None,
        class_="paths",
    )


def _undo(look: Look) -> Html:
    return div(
        button(
            "Undo this rewind",
            type="button",
            class_="btn btn-small",
            title="The session becomes what it was before it went back",
            **command(look.session, ReturnTo()),
        ),
        class_="acts row row-wrap",
    )
