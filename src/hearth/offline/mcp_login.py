"""`hearth mcp login` and `logout`: a person lets hearth in at a server that wants to know them."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from hearth.clients.cli.opening import opened
from hearth.offline.answering import Answer, Trouble
from hearth.offline.mcp_callback import Callback, NotLoggedIn
from hearth.offline.mcp_settings import Here, check_name, here, say
from hearth.offline.words import Asked
from hearth.settings.mcp import ServerSpec, servers_of
from hearth.settings.mcp_approvals import McpApprovals
from hearth.settings.mcp_tokens import McpTokens

PATIENCE: Final = 300.0
"""Seconds for a person to log in."""
HELLO: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "hearth", "version": "1"},
    },
}
"""What is asked of a server to see whether it lets us in."""


def login(asked: Asked) -> Answer:
    """Log in at a server, in a browser. Trouble."""
    where = here(asked.given.get("--proj"))
    spec = _filled(_approved(where, _reached(where, asked.given["NAME"])))
    has_browser = "--no-browser" not in asked.given
    tokens = McpTokens(where.home)
    if (problem := tokens.problem()) is not None:
        say(f"warning: {problem}")
    had = tokens.login(spec.url).tokens is not None
    try:
        asyncio.run(_logged_in(spec, where.home, has_browser=has_browser))
    except NotLoggedIn as why:
        raise Trouble("not_logged_in", f"{spec.name}: {why}", "try it again") from None
    except OSError as error:
        what = f"{spec.name}: {error.strerror or error}"
        raise Trouble("not_logged_in", what, "look at the network, and at hearth's home") from None
    has = tokens.login(spec.url).tokens is not None
    value = {"name": spec.name, "url": spec.shown(), "loggedIn": has}
    if not has:
        return Answer((f"{spec.name} wants no login: it answers everybody",), value)
    return Answer((f"{spec.name}: you are {'still ' if had else ''}logged in",), value)


def logout(asked: Asked) -> Answer:
    """Forget a login. Trouble."""
    where = here(asked.given.get("--proj"))
    # Logins are kept by address: neither what is sent there nor what it may do matters for this.
    spec = _filled(replace(_reached(where, asked.given["NAME"]), headers={}))
    try:
        was = McpTokens(where.home).forget(spec.url)
    except OSError as error:
        what = f"the login cannot be forgotten: {error.strerror or error}"
        raise Trouble("not_written", what, "make hearth's home yours to write") from None
    how = "you are logged out: hearth has forgotten its tokens" if was else "nobody was logged in"
    return Answer((f"{spec.name}: {how}",), {"name": spec.name, "loggedOut": was})


def _reached(where: Here, name: str) -> ServerSpec:
    """The server that is meant, if it is one that is reached. Trouble."""
    spec = servers_of(where.snapshot()).servers.get(check_name(name))
    if spec is None:
        hint = "`hearth mcp list` shows which there are"
        raise Trouble("not_there", f"there is no server {name} here", hint)
    if not spec.is_http:
        what = f"{name} is started here: only servers that are reached over HTTP have logins"
        raise Trouble("no_login", what, "give it what it needs with --env")
    return spec


def _approved(where: Here, spec: ServerSpec) -> ServerSpec:
    """The server, if it may be reached. Trouble."""
    if not McpApprovals(where.home).is_approved(spec):
        what = f"{spec.name} is a server of this project that you have not approved"
        raise Trouble("unapproved", what, f"look at it first: hearth mcp approve {spec.name}")
    return spec


def _filled(spec: ServerSpec) -> ServerSpec:
    """The server with what its variables stand for. Trouble."""
    filled, missing = spec.filled(os.environ)
    if missing:
        what = f"{spec.name} needs {' and '.join(missing)}, which the environment does not have"
        raise Trouble("incomplete", what, "set it, and try again")
    return filled


async def _logged_in(spec: ServerSpec, home: Path, *, has_browser: bool) -> None:
    """Ask the server for something, with a browser at hand. NotLoggedIn, OSError."""
    # The protocol's library: it takes longer to import than all the rest.
    import httpx2  # noqa: PLC0415 - as the comment says
    from mcp.client.auth import (  # noqa: PLC0415 - as the comment says
        AuthorizationCodeResult,
        OAuthFlowError,
    )

    from hearth.performers.mcp_client import logins  # noqa: PLC0415 - as the comment says

    async with _callback(spec, home, logins.REDIRECT) as callback:

        async def redirect(address: str) -> None:
            callback.state = parse_qs(urlsplit(address).query).get("state", [""])[0]
            say("log in here:")
            say(f"  {address}")
            if has_browser and await asyncio.to_thread(opened, address):
                say("it is opened in the browser; this waits for you")

        async def came_back() -> AuthorizationCodeResult:
            back = await callback.wait(PATIENCE)
            return AuthorizationCodeResult(code=back.code, state=back.state, iss=back.iss)

        auth = await logins.provider(spec, home, redirect, came_back, callback.uri)
        headers = {**spec.headers, "Accept": "application/json, text/event-stream"}
        try:
            async with (
                httpx2.AsyncClient(auth=auth, timeout=30.0) as client,
                client.stream("POST", spec.url, json=HELLO, headers=headers) as response,
            ):
                status = response.status_code
        except OAuthFlowError as error:
            raise NotLoggedIn(str(error)) from None
        except httpx2.HTTPError as error:
            raise NotLoggedIn(
                f"it cannot be reached: {str(error) or type(error).__name__}"
            ) from None
        if status in {401, 403}:
            raise NotLoggedIn(f"it does not let hearth in (status {status})")
        await logins.remember(spec, home, auth)


def _callback(spec: ServerSpec, home: Path, usual: str) -> Callback:
    """Where the browser comes back to: where the server was told before, if that is still free."""
    tokens = McpTokens(home)
    client = tokens.login(spec.url).client or {}
    known = [str(one) for one in client.get("redirect_uris") or ()]
    if not known and not spec.client_id:
        return Callback()
    port = urlsplit(known[0] if known else usual).port or 0
    try:
        return Callback(port)
    except OSError:
        if spec.client_id:
            raise
        tokens.forget(spec.url)  # it is told anew, and with it where we are
        return Callback()
