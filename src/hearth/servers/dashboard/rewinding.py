"""The dialog that takes a session back: four ways, each with what it would change."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Hearth, Settled
from hearth.core.vocabulary.commands import ReturnTo
from hearth.core.vocabulary.ids import BlockId, SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.core.vocabulary.undoing import ForkHow, ReturnPreviewed, RewindScope, SessionPart
from hearth.resolving import named
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.html import Html, button, div, form, h3, li, p, ul
from hearth.servers.dashboard.rendering.turning import paths
from hearth.servers.dashboard.rendering.wording import short
from hearth.servers.dashboard.shapes import REWIND, RewindWanted
from hearth.servers.dashboard.sidebar.answering import markup
from hearth.servers.dashboard.sidebar.forms import dialog
from hearth.servers.http.answers import Trouble, trouble_of
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, body_of
from hearth.servers.http.commanding import ask
from hearth.servers.http.routing import Endpoint, Key

PATIENCE: Final = 30.0
"""Seconds that a page waits to be told what would change."""
MOST_CELLS: Final = 20
UNDOABLE: Final = "Nothing is deleted, and a rewind can be undone."


class Way(NamedTuple):
    """One way to go back."""

    name: str
    words: str
    scope: RewindScope


WAYS: Final = (
    Way("conversation", "Conversation only", RewindScope()),
    Way("interpreter", "With the interpreter", RewindScope(interpreter=True)),
    Way("files", "With the files", RewindScope(files=True)),
    Way("all", "All three", RewindScope(interpreter=True, files=True)),
)


class Rewinding:
    """Where pages ask what going back would change."""

    def __init__(self, around: Around) -> None:
        self._hearth = around.hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {("POST", REWIND): self.preview}

    async def preview(self, request: Request) -> Response:
        """The dialog. Declined."""
        said = await body_of(request, RewindWanted)
        session = await named(self._hearth, said.session)
        if isinstance(session, Refused):
            raise Declined(trouble_of(session))
        block, not_now = BlockId(said.block), ""
        wanted = ReturnTo(block, RewindScope(interpreter=True, files=True), preview=True)
        answered = await _previewed(self._hearth, request, session, wanted)
        if isinstance(answered, Refused):
            # The interpreter may be busy, which keeps the other ways open.
            not_now = answered.why
            rest = ReturnTo(block, RewindScope(files=True), preview=True)
            answered = await _previewed(self._hearth, request, session, rest)
        if isinstance(answered, Refused):
            raise Declined(trouble_of(answered))
        return markup(rewind(session, block, answered, not_now))


async def _previewed(
    hearth: Hearth, request: Request, session: SessionId, wanted: ReturnTo
) -> ReturnPreviewed | Refusal:
    answered: Settled | Accepted | Refusal
    answered = await ask(hearth, request, session, wanted, usual=PATIENCE)
    if isinstance(answered, Refused):
        return answered
    event = answered.outcome.event if isinstance(answered, Settled) else None
    if isinstance(event, ReturnPreviewed):
        return event
    why = getattr(event, "why", "") or "nobody answered in time"
    what = f"it cannot be told what going back would change: {why}"
    raise Declined(Trouble(409, "not_previewed", what, "try again when the session is ready"))


def rewind(session: SessionId, block: BlockId, found: ReturnPreviewed, not_now: str = "") -> Html:
    """The dialog with its four ways. `not_now`: why the interpreter cannot go along."""
    problems = [short(one, 400) for one in found.problems]
    return dialog(
        "Rewind to here",
        p(UNDOABLE, class_="muted small"),
        div(*(_way(session, block, way, found, not_now) for way in WAYS), class_="rewind-ways"),
        div(
            h3("What could not be taken back", class_="small"),
            ul(*map(li, problems), class_="obstacles"),
        )
        if problems
        else None,
    )


def _way(
    session: SessionId, block: BlockId, way: Way, found: ReturnPreviewed, not_now: str
) -> Html:
    why = not_now if way.scope.interpreter else ""
    name = f"rewind-{way.name}"
    changes = [_said(found)]
    if way.scope.interpreter:
        changes.append(p(f"Not now: {short(why, 300)}.") if why else _interpreter(found))
    if way.scope.files:
        changes.append(_files(found))
    sent = {} if why else command(session, ReturnTo(block, way.scope), on="submit")
    return form(
        div(h3(way.words, id_=f"{name}-title"), *changes, id_=f"{name}-changes", class_="grow"),
        button(
            "Rewind",
            type_="submit",
            class_="btn btn-primary",
            aria_label=f"Rewind: {way.words.lower()}",
            aria_describedby=f"{name}-changes",
            disabled=bool(why),
            autofocus=way.name == "conversation",
        ),
        id_=name,
        class_="rewind-way row",
        data_closes="1",
        **sent,
    )


def _said(found: ReturnPreviewed) -> Html:
    if not found.blocks:
        return p("The conversation is there already.")
    left = "1 block" if found.blocks == 1 else f"{found.blocks} blocks"
    return p(f"Leaves {left} of the conversation behind, as a branch of its own.")


def _interpreter(found: ReturnPreviewed) -> Html:
    cells = ", ".join(found.cells[:MOST_CELLS])
    if len(found.cells) > MOST_CELLS:
        cells += f" and {len(found.cells) - MOST_CELLS} more"
    match found.how:
        case None:
            return p("The interpreter holds what it held then.")
        case ForkHow.COPY:
            return p(f"Taken back by a copy that is kept: {cells}.")
        case _:
            again = "The interpreter is replaced, and the cells before are run again."
            return p(again, f" Taken back: {cells}." if cells else None)


def _files(found: ReturnPreviewed) -> Html:
    if any(one.startswith(SessionPart.FILES) for one in found.problems):
        return p("The files cannot go along: see below.")
    changed = paths(found.changes, found.left_out)
    return changed if changed is not None else p("No files would be changed.")
