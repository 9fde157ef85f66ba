"""The routes by which sessions begin: the form, what is found for a folder, and the deed."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Accepted, Settled
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.commands import CreateSession, SessionConfig, SessionMode
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, SessionExists
from hearth.resolving import named
from hearth.servers.dashboard.html import Html
from hearth.servers.dashboard.sidebar.answering import go_to, markup
from hearth.servers.dashboard.sidebar.forms import (
    Place,
    Wanted,
    dialog,
    found_nothing,
    found_projects,
    new_session,
    rename,
    usual,
)
from hearth.servers.dashboard.sidebar.overview import Overview
from hearth.servers.dashboard.sidebar.shapes import NewWanted
from hearth.servers.dashboard.sidebar.whose import desk_of
from hearth.servers.http.answers import trouble_of
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, body_of
from hearth.servers.http.commanding import ask
from hearth.servers.http.naming import fresh_id
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.seeing import seen

PATIENCE: Final = 5.0
"""Seconds that a disk has to say what is in a folder."""
SLOW: Final = "It takes long to look there. The session can be begun all the same."

_said = logging.getLogger(__name__)


class Creating:
    """How sessions begin."""

    def __init__(self, around: Around, overview: Overview) -> None:
        self._hearth = around.hearth
        self._projects = around.projects
        self._overview = overview

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/dashboard/new"): self.form,
            ("POST", "/dashboard/new"): self.begin,
            ("GET", "/dashboard/projects"): self.projects,
            ("GET", "/dashboard/rename"): self.rename,
        }

    async def form(self, request: Request) -> Response:
        """The dialog for a new session."""
        wanted = usual(await self._overview.looked(desk_of(request)))
        return markup(await self._dialog(wanted))

    async def begin(self, request: Request) -> Response:
        """Begin a session, and have the tab go there; or the form again, with what is wrong."""
        said = await body_of(request, NewWanted)
        directory = _expanded(said.directory)
        wrong = await _unfit(directory)
        if not wrong:
            config = SessionConfig(
                directory=directory, name=said.name.strip(), mode=SessionMode(said.mode)
            )
            begun = await self._begin(request, config)
            if not isinstance(begun, Refused):
                return markup(go_to(begun))
            wrong = {"": " ".join((f"{begun.why}.", *_sentences(begun)))}
        offered = usual(await self._overview.looked(desk_of(request))).offered
        wanted = Wanted(said.directory, said.name, said.mode, offered, wrong)
        return markup(await self._dialog(wanted))

    async def projects(self, request: Request) -> Response:
        """What is found for a directory."""
        place: Place = "home" if request.query_params.get("place") == "home" else "dialog"
        said = request.query_params.get("directory", "")[:4096]
        return markup(await self._found(place, _expanded(said)))

    async def rename(self, request: Request) -> Response:
        """The dialog that gives a session another name."""
        said = request.query_params.get("session", "")
        session = await named(self._hearth, said)
        if isinstance(session, Refused):
            raise Declined(trouble_of(session))
        row = await self._row(session)
        return markup(rename(session, row.name if row else ""))

    # -- the deeds ----------------------------------------------------------------------------

    async def _begin(self, request: Request, config: SessionConfig) -> SessionId | Refusal:
        """Begin it under an id that is free; how it warms up is seen on its page."""
        while True:
            session = fresh_id()
            answered = await ask(self._hearth, request, session, CreateSession(config))
            match answered:
                case Settled() | Accepted():
                    return session
                case SessionExists():
                    continue
                case _:
                    return answered

    async def _row(self, session: SessionId) -> SessionRow | None:
        listed, _ = await seen(self._hearth, "sessions", Sessions)
        return next((row for row in listed.rows if row.session == session), None)

    async def _dialog(self, wanted: Wanted) -> Html:
        found = await self._found("dialog", _expanded(wanted.directory))
        return dialog("New session", new_session(wanted, place="dialog", found=found))

    async def _found(self, place: Place, directory: str) -> Html:
        if self._projects is None or await _unfit(directory):
            return found_nothing(place, "")
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self._projects.found(directory)
        except TimeoutError:
            return found_nothing(place, SLOW)
        except Exception as error:  # noqa: BLE001 - a folder may be anything; it is told
            _said.exception("the projects of %r cannot be found", directory)
            return found_nothing(place, f"What is there cannot be said: {error}"[:300])
        return found_projects(place, found)


def _expanded(said: str) -> str:
    """The path that somebody means, who may write `~` for their home."""
    path = said.strip()
    if path == "~" or path.startswith("~/"):
        return f"{Path.home()}{path[1:]}"
    return path


async def _unfit(directory: str) -> dict[str, str]:
    """What is wrong with a directory, by the field of it."""
    if not directory:
        return {"directory": "Say in which directory it works."}
    if not directory.startswith("/") or "\0" in directory:
        return {"directory": "Write an absolute path, such as /home/ann/project or ~/project."}
    try:
        async with asyncio.timeout(PATIENCE):
            is_there = await asyncio.to_thread(_is_folder, directory)
    except TimeoutError:
        return {}
    return {} if is_there else {"directory": "There is no such directory on this machine."}


def _is_folder(directory: str) -> bool:
    try:
        return Path(directory).is_dir()
    except (OSError, ValueError):
        return False


def _sentences(refusal: Refusal) -> tuple[str, ...]:
    """What would help, as far as it is said in words."""
    return tuple(one for one in refusal.remedy if not one.isidentifier())
