"""How the guard says no."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hearth.credentials.standing import Credential
from hearth.servers.http import bodies
from hearth.servers.http.answers import Trouble, not_found, troubled
from hearth.servers.http.plain_pages import in_words, is_for_people
from hearth.servers.http.routing import Found, WrongMethod

NEEDS_PERSON: Final = "it takes the person's own token"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing, and of which no body is read."""


async def decline(
    trouble: Trouble, scope: Scope, receive: Receive, send: Send, unread: Mapping[bytes, bytes]
) -> None:
    """Answer, and let a client finish that is still sending.

    `unread` are the headers of a body that nobody has read; empty if there is none.
    """
    if is_for_people(scope):
        await in_words(trouble)(scope, receive, send)
        return
    if not trouble.close and bodies.is_small(unread):
        await troubled(trouble)(scope, receive, send)
        return
    response = troubled(trouble)
    response.headers["connection"] = "close"
    await send(
        {"type": "http.response.start", "status": trouble.status, "headers": response.raw_headers}
    )
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    await bodies.read_over(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def elsewhere(scope: Scope, found: WrongMethod | None) -> Response:
    """The answer where nothing is, or nothing of this method."""
    if found is None:
        return troubled(not_found(scope["path"][:200]))
    allowed = {"Allow": f"{found.allowed}, OPTIONS"}
    if scope["method"] == "OPTIONS":
        return Response(status_code=204, headers=allowed)
    what = f"{scope['method']} is not possible here"
    return troubled(Trouble(405, "wrong_method", what, f"use {found.allowed}", headers=allowed))


def not_allowed(credential: Credential, found: Found) -> Trouble:
    """Somebody is known, and it is not for them."""
    what = f"no {credential.standing} token may do this: {found.operation.summary.lower()}"
    return Trouble(403, "not_allowed", what, NEEDS_PERSON)


def no_token() -> Trouble:
    """Nobody says who they are."""
    return Trouble(
        401,
        "no_token",
        "this daemon answers to those who show a token",
        "send Authorization: Bearer and the token from daemon.json; in a browser, `hearth open`",
        headers={"WWW-Authenticate": "Bearer"},
    )


def bad_token() -> Trouble:
    """What somebody shows is no token of ours."""
    return Trouble(
        401,
        "bad_token",
        "this token or cookie is not, or no longer, good here",
        "read daemon.json again; in a browser, `hearth open`",
        headers={"WWW-Authenticate": "Bearer"},
    )


def unsaid() -> Trouble:
    """A browser always says from which page a change comes; this one did not."""
    hint = "browsers send Origin by themselves; programs use a token"
    return Trouble(403, "bad_origin", "with a cookie, a change must say where it is from", hint)
