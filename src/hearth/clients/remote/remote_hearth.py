"""`hearth.api.Hearth` from outside the daemon. The same contract suite holds for the engine."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, Final, Self
from urllib.parse import quote
from uuid import uuid4

import msgspec

from hearth.api import Accepted, Following, Viewed
from hearth.clients.remote.connection import Answer, Lost
from hearth.clients.remote.following import OK, UNAUTHORIZED, RemoteFollowing
from hearth.clients.remote.line import ANSWER, PATIENCE, Line, Where, pauses
from hearth.clients.remote.troubles import Rejected
from hearth.clients.remote.words import (
    bad_id,
    body_of,
    decoded,
    refusal,
    unknown_session,
    unknown_view,
    viewed,
)
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.refusals import DuplicateCommand, Refusal, Refused
from hearth.daemon.discovery import Found

CREATED_WITHIN: Final = 120.0
"""Seconds for an interpreter to come up."""
NOT_FOUND: Final = 404
TOO_MANY: Final = 429
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_VIEW = re.compile(r"[a-z0-9_]{1,64}")


class RemoteHearth:
    """A daemon, as whoever is connected to it sees it. Close it when done.

    A request is tried again while the daemon is away, for `patience` seconds; then DaemonGone.
    Streams wait for as long as it takes. WrongVersion and Rejected come at once.
    """

    def __init__(  # noqa: PLR0913 - what a connection is made of, by name
        self,
        where: str | int,
        token: str,
        *,
        door: Door,
        name: str = "",
        locate: Callable[[], Found | None] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        """`where`: the path of its socket, or its port. `locate` finds it after a restart."""
        socket, port = (where, 0) if isinstance(where, str) else ("", where)
        self.me = Origin(Actor.PERSON, name, door)
        self._patience = patience
        self._client = uuid4().hex
        """However many streams it has, it is one who is connected."""
        self._line = Line(Where(socket, port, token), _named(self.me), locate)
        self._following: set[RemoteFollowing] = set()

    @classmethod
    def at(
        cls,
        found: Found,
        *,
        door: Door,
        name: str = "",
        locate: Callable[[], Found | None] | None = None,
        patience: float = PATIENCE,
    ) -> Self:
        """The daemon that was found: `async with RemoteHearth.at(found, door=…) as hearth`."""
        where = found.socket or found.port
        return cls(where, found.token, door=door, name=name, locate=locate, patience=patience)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End every stream and hang up."""
        ending = [following.task for following in self._following]
        for following in tuple(self._following):
            following.close()
        await asyncio.gather(*ending, return_exceptions=True)
        await self._line.close()

    # -- the three verbs ----------------------------------------------------------------------

    async def submit(
        self,
        session: SessionId,
        command: Command,
        origin: Origin,
        *,
        input_id: InputId | None = None,
    ) -> Accepted | Refusal:
        """Ask for something. An answer that was lost is asked for again; it is done once."""
        key = uuid4().hex if input_id is None else input_id
        if not _ID.fullmatch(key):
            return bad_id(InputId(key))
        content = body_of(command)
        if isinstance(content, Refused):
            return content
        if not _is_one_step(session):
            return unknown_session(session)
        # Whoever followed "from now on" before asking must see what the asking leads to.
        await self._streams_begun()
        headers = {**_named(origin), "Idempotency-Key": key}
        path = f"/sessions/{quote(session, safe='')}/commands"
        response, attempts = await self._answer("POST", path, headers=headers, content=content)
        if response.is_success:
            return decoded(response.content, Accepted)
        said = refusal(response.status, response.content)
        if isinstance(said, DuplicateCommand) and attempts > 1:
            return Accepted(id=said.id, session=session, seq=said.seq)
        return said

    async def view(self, name: str, session: SessionId | None = None) -> Viewed | Refusal:
        """How something looks now."""
        if not _VIEW.fullmatch(name):
            return unknown_view(name)
        if session is not None and not _is_one_step(session):
            return unknown_session(session)
        place = "" if session is None else f"/sessions/{quote(session, safe='')}"
        response, _ = await self._answer("GET", f"{place}/views/{name}")
        if response.status == OK:
            return viewed(name, response.content)
        return refusal(response.status, response.content)

    def follow(self, session: SessionId | None = None, *, after: int | None = None) -> Following:
        """The log from a cursor on (None: from now), of one session or of all, then live."""
        # A session may be followed before it is created.
        path = "/events?" if session is None else f"/sessions/{quote(session, safe='')}/events?"
        path += f"client={self._client}" + ("" if session is None else "&expect=new")
        following = RemoteFollowing(self._line, path, after, self._following.discard)
        self._following.add(following)
        return following

    # -- what else a client of a daemon can do --------------------------------------------------

    async def fetch(self, sha256: str) -> bytes:
        """Content that is kept as a blob. KeyError if there is none."""
        response, _ = await self._answer("GET", f"/blobs/{quote(sha256, safe='')}")
        if response.status == OK:
            return response.content
        if response.status == NOT_FOUND:
            raise KeyError(sha256)
        raise _rejected(response)

    async def info(self) -> Mapping[str, Any]:
        """What the daemon says of itself (`GET /api/daemon-info`)."""
        return await self._json("GET", "/api/daemon-info")

    async def create(
        self, directory: str, *, reuse: bool = True, within: float = CREATED_WITHIN, **more: Any
    ) -> SessionId | Refusal:
        """A session that is up, for this directory: the live one, or a new one.

        `more`: `name`, `projects`, `interpreter`, `mode`, `id`. Rejected if it cannot be started.
        """
        wanted = {"directory": directory, "reuse": reuse, **more}
        headers = {"Prefer": f"wait={within:g}"}
        if not reuse:
            # Chosen here, so that an answer that was lost can be asked for again.
            wanted.setdefault("id", f"session-{uuid4().hex[:6]}")
            headers["Idempotency-Key"] = uuid4().hex
        response, attempts = await self._answer(
            "POST",
            "/sessions",
            headers=headers,
            content=codec.encode(wanted),
            within=within + ANSWER,
        )
        if response.is_success:
            return SessionId(decoded(response.content, _Created).session)
        said = refusal(response.status, response.content)
        if isinstance(said, DuplicateCommand) and attempts > 1:
            return SessionId(wanted["id"])
        return said

    async def who(self, session: SessionId) -> list[dict[str, Any]]:
        """Who is connected to a session: kind, door, name and since when."""
        response, _ = await self._answer("GET", f"/sessions/{quote(session, safe='')}/who")
        if response.status == OK:
            return decoded(response.content, list[dict[str, Any]])
        raise _rejected(response)

    async def trust(self, directory: str) -> Mapping[str, Any]:
        """Whether what the project of this directory wants to run may run, and what that is."""
        return await self._json("GET", f"/trust?directory={quote(directory, safe='')}")

    async def grant(self, root: str, digest: str) -> Mapping[str, Any]:
        """Trust this content of a project. Rejected if it is another by now."""
        content = codec.encode({"root": root, "digest": digest})
        return await self._json("POST", "/trust", content=content)

    async def _json(self, method: str, path: str, content: bytes | None = None) -> dict[str, Any]:
        response, _ = await self._answer(method, path, content=content)
        if not response.is_success:
            raise _rejected(response)
        return decoded(response.content, dict[str, Any])

    # -- asking until there is an answer ----------------------------------------------------------

    async def _answer(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within: float = ANSWER,
    ) -> tuple[Answer, int]:
        """An answer, and how many attempts it took. DaemonGone."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._patience
        waits = pauses()
        for attempt in count(1):
            answer: Answer | Lost
            try:
                answer = await self._line.ask(
                    method, path, headers=headers, content=content, within=within
                )
            except Lost as lost:
                answer = lost
            pause = next(waits)
            if not await self._may_help_again(answer) or loop.time() + pause > until:
                if isinstance(answer, Lost):
                    raise self._line.gone(answer, self._patience)
                return answer, attempt
            await asyncio.sleep(pause)
            await self._line.find_again()
        raise AssertionError("numbers never end")

    async def _may_help_again(self, answer: Answer | Lost) -> bool:
        """Whether another attempt may be answered otherwise."""
        if isinstance(answer, Lost):
            return True
        if answer.status == UNAUTHORIZED:
            return await self._line.find_again()
        return answer.status == TOO_MANY

    async def _streams_begun(self) -> None:
        """Wait for streams that are being opened; not for a daemon that is away."""
        waiting = [one.connected for one in self._following if not one.connected.is_set()]
        if waiting:
            await _at_most(asyncio.gather(*(one.wait() for one in waiting)), self._patience)


def _is_one_step(session: SessionId) -> bool:
    """Whether it can stand in a path without being taken for something else."""
    return session not in {"", ".", ".."} and "/" not in session


class _Created(msgspec.Struct):
    session: str


def _named(origin: Origin) -> dict[str, str]:
    """The header that says who asks; ASCII, whatever the name is."""
    said = {"actor": str(origin.actor), "name": origin.name, "door": str(origin.door)}
    return {"Hearth-Origin": json.dumps(said)}


def _rejected(response: Answer) -> Rejected:
    said = refusal(response.status, response.content)
    code = str(said.__struct_config__.tag)
    return Rejected(response.status, code, said.why, *said.remedy[:1])


async def _at_most(waiting: Awaitable[object], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await waiting
    except TimeoutError:
        pass  # the request itself will tell that nobody answers
