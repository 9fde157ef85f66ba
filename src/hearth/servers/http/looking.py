"""The routes that only look."""

import re
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from hearth.api import Viewed
from hearth.core.views.approvals import Approvals
from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownSession
from hearth.daemon.versions import VERSION
from hearth.resolving import named
from hearth.servers.http import telling
from hearth.servers.http.answers import Trouble, answer, refused, unreadable
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, directory_of, said_session
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.shapes import Health, Info, SeenStatus

_HASH = re.compile(r"[0-9a-f]{64}")

_SEALED = {
    # Whatever is in it, a browser must neither show nor run it.
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}


class Looking:
    """Views, content, and what the daemon says of itself."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._hearth = around.hearth

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("GET", "/health"): self.health,
            ("GET", "/api/daemon-info"): self.info,
            ("GET", "/sessions"): self.sessions,
            ("GET", "/sessions/{id}"): self.session,
            ("GET", "/sessions/{id}/views/{name}"): self.view,
            ("GET", "/views/{name}"): self.view_of_all,
            ("GET", "/blobs/{sha256}"): self.blob,
            ("GET", "/config"): self.config,
            ("GET", "/trust"): self.trust,
        }

    async def health(self, _: Request) -> Response:
        """Whether the daemon lives: nothing is asked of anybody."""
        return answer(Health("ok", VERSION))

    async def info(self, _: Request) -> Response:
        """Which daemon this is."""
        now = self._around.daemon.info()
        viewed = await self._hearth.view("sessions")
        known = viewed.value if isinstance(viewed, Viewed) else None
        rows = known.rows if isinstance(known, Sessions) else ()
        asked = await self._hearth.view("approvals")
        waiting = asked.value if isinstance(asked, Viewed) else None
        guarded = await self._around.agents.guarded()
        return answer(
            Info(
                pid=now.pid,
                port=now.port,
                socket=now.socket,
                started_at=now.started_at,
                version=now.version,
                home=now.home,
                sessions=sum(not row.stopped for row in rows),
                store=now.store,
                resumed=now.resumed,
                connections=dict(self._around.attendance.counts()),
                approvals=len(waiting.rows) if isinstance(waiting, Approvals) else 0,
                permission_mode=guarded.mode,
                sandbox=guarded.sandbox,
                language_servers=guarded.servers,
            )
        )

    async def sessions(self, _: Request) -> Response:
        """All sessions."""
        return _seen(await self._hearth.view("sessions"))

    async def session(self, request: Request) -> Response:
        """One session, and who is connected to it."""
        viewed = await self._of_one("status", said_session(request))
        if isinstance(viewed, Refused):
            return refused(viewed)
        if not isinstance(viewed.value, Status):
            raise TypeError(f"a status is a {type(viewed.value).__name__}")
        connected = self._around.attendance.counts(viewed.value.session)
        return answer(SeenStatus(viewed.value, viewed.seq, dict(connected)))

    async def view(self, request: Request) -> Response:
        """A view of one session."""
        return _seen(await self._of_one(request.path_params["name"], said_session(request)))

    async def view_of_all(self, request: Request) -> Response:
        """A view of all sessions."""
        return _seen(await self._hearth.view(request.path_params["name"]))

    async def blob(self, request: Request) -> Response:
        """Content, by its hash."""
        digest = request.path_params["sha256"]
        if not _HASH.fullmatch(digest):
            raise Declined(Trouble(404, "unknown_blob", "this is no hash of any content"))
        try:
            content = await self._around.fetch(digest)
        except KeyError:
            what = "no content has this hash"
            raise Declined(Trouble(404, "unknown_blob", what)) from None
        except Exception as error:
            raise Declined(unreadable(error)) from error
        return Response(content, 200, _SEALED, media_type="application/octet-stream")

    async def config(self, request: Request) -> Response:
        """The settings that count in a directory."""
        return answer(await self._around.config.shown(directory_of(request)))

    async def trust(self, request: Request) -> Response:
        """Whether what the project of a directory wants to run may run."""
        return answer(await self._around.trust.look(directory_of(request)))

    async def _of_one(self, name: str, said: SessionId) -> Viewed | Refusal:
        """A view of the session of exactly this id, else of the one that is meant."""
        viewed = await self._hearth.view(name, said)
        session = said
        if isinstance(viewed, UnknownSession):
            found = await named(self._hearth, said)
            if isinstance(found, Refused):
                return found
            session = found
            viewed = await self._hearth.view(name, session)
        telling.on(session)
        return viewed


def _seen(viewed: Viewed | Refusal) -> Response:
    return refused(viewed) if isinstance(viewed, Refused) else answer(viewed)
