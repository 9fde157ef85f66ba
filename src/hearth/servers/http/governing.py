"""The routes of the person alone: tokens, trust, the way in for browsers, and the end."""

import asyncio
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from hearth.credentials.standing import Standing
from hearth.credentials.token_file import TokensUnusable
from hearth.credentials.tokens import CODE_LIFE, COOKIE_LIFE, NameUnfit
from hearth.servers.http.answers import Trouble, answer
from hearth.servers.http.around import Around
from hearth.servers.http.asked import Declined, Nothing, body_of, origin_of
from hearth.servers.http.guard import COOKIE
from hearth.servers.http.routing import Endpoint, Key
from hearth.servers.http.shapes import (
    CodeMade,
    NewToken,
    Shutdown,
    TokenListed,
    TokenMade,
    TokensListed,
    TrustGranted,
)

_HOME: Final = "/dashboard"
_T = TypeVar("_T")


class Governing:
    """Who may do what, and when it ends."""

    def __init__(self, around: Around, end_streams: Callable[[], None]) -> None:
        """`end_streams`: a stream was let in once; whoever is not any more must not go on."""
        self._around = around
        self._tokens = around.tokens
        self._end_streams = end_streams

    def endpoints(self) -> Mapping[Key, Endpoint]:
        """What answers which route."""
        return {
            ("POST", "/trust"): self.trust,
            ("POST", "/codes"): self.code,
            ("GET", "/login"): self.login,
            ("POST", "/logout"): self.logout,
            ("GET", "/tokens"): self.tokens,
            ("POST", "/tokens"): self.add,
            ("DELETE", "/tokens/{name}"): self.remove,
            ("POST", "/tokens/rotate"): self.rotate,
            ("POST", "/shutdown"): self.shutdown,
        }

    async def trust(self, request: Request) -> Response:
        """Trust what a project wants to run, as it is now."""
        granted = await body_of(request, TrustGranted)
        shown = await self._around.trust.grant(granted.root, granted.digest, origin_of(request))
        if isinstance(shown, str):
            hint = "look at it again: GET /trust has the present digest"
            raise Declined(Trouble(409, "changed_meanwhile", shown, hint))
        return answer(shown)

    async def code(self, request: Request) -> Response:
        """A code by which a browser gets in, once."""
        await body_of(request, Nothing)
        code = self._tokens.code()
        ends = datetime.fromtimestamp(int(time.time() + CODE_LIFE), UTC)
        port = self._around.daemon.info().port
        return answer(CodeMade(code, f"http://127.0.0.1:{port}/login?code={code}", ends))

    async def login(self, request: Request) -> Response:
        """Spend the code; the browser that brought it has a cookie from now on."""
        # Who types it in may take the whole link for it.
        said = request.query_params.get("code", "").rpartition("code=")[2].strip()
        cookie = self._tokens.redeem(said)
        if cookie is None:
            what = "this code is spent, too old, or was never given out"
            raise Declined(Trouble(401, "bad_code", what, "`hearth open` makes another"))
        response = Response(status_code=303, headers={"Location": _HOME})
        response.set_cookie(
            COOKIE, cookie, max_age=COOKIE_LIFE, path="/", httponly=True, samesite="strict"
        )
        return response

    async def logout(self, request: Request) -> Response:
        """End the cookie, here and in the browser."""
        await body_of(request, Nothing)
        if (cookie := request.cookies.get(COOKIE)) is not None:
            await _changed(partial(self._tokens.end_cookie, cookie))
        response = Response(status_code=204)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return response

    async def tokens(self, _: Request) -> Response:
        """Who has a token."""
        kept = self._tokens.listed()
        rows = tuple(TokenListed(one.name, one.standing, one.created_at) for one in kept)
        return answer(TokensListed(rows))

    async def add(self, request: Request) -> Response:
        """Give out a token."""
        wanted = await body_of(request, NewToken)
        standing = Standing(wanted.standing)
        try:
            token = await _changed(partial(self._tokens.add, wanted.name, standing))
        except NameUnfit as unfit:
            raise Declined(Trouble(409, "name_taken", str(unfit))) from unfit
        return answer(TokenMade(wanted.name, standing, token), 201)

    async def remove(self, request: Request) -> Response:
        """End a token."""
        name = request.path_params["name"]
        if not await _changed(partial(self._tokens.remove, name)):
            what = f"there is no token {name[:64]!r}"
            raise Declined(Trouble(404, "unknown_token", what, "GET /tokens lists them"))
        self._end_streams()
        return Response(status_code=204)

    async def rotate(self, request: Request) -> Response:
        """Another token for the person."""
        await body_of(request, Nothing)
        token = await _changed(self._tokens.rotate)
        self._around.daemon.rotated(token)
        self._end_streams()
        return answer(TokenMade("", Standing.PERSON, token))

    async def shutdown(self, request: Request) -> Response:
        """Begin to end. Everything that was accepted is in the log."""
        wanted = await body_of(request, Shutdown)
        self._around.daemon.stop(end_sessions=wanted.end_sessions)
        return answer(Nothing(), 202)


async def _changed(change: Callable[[], _T]) -> _T:
    """What a change of the tokens gives, made in a thread: it waits for the disk. Declined."""
    try:
        return await asyncio.to_thread(change)
    except TokensUnusable as error:
        raise Declined(Trouble(503, "store_unavailable", error.what, error.hint)) from error
