"""Whether a request was meant for us, by its Host and by where a browser says it comes from.

A web page can make a browser send requests here. It cannot choose what the browser says about it:
which host it thinks it talks to (also after a name of the attacker's was pointed at this machine),
and which page it is from.
"""

from typing import Final, Literal

from hearth.servers.http.answers import Trouble

Over = Literal["tcp", "unix"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
ON_A_SOCKET: Final = frozenset({"hearth", "localhost"})
"""What a client may call us that reached us by a path, not by an address."""

FOREIGN: Final = frozenset({"cross-site", "same-site"})
"""Other pages; also those of other ports of this machine, which are the same site."""


def hosts(over: Over, port: int | None) -> frozenset[str]:
    """The hosts that are us, for a connection that came this way."""
    if over == "unix":
        return ON_A_SOCKET
    return frozenset(f"{host}:{port}" for host in LOOPBACK)


def misdirected(
    host: str | None, origin: str | None, site: str | None, ours: frozenset[str]
) -> Trouble | None:
    """The reason for which a request is not for us, if there is one."""
    if host is None or host.lower() not in ours:
        shown = "no Host" if host is None else f"the Host {host[:100]!r}"
        hint = f"use one of {', '.join(sorted(ours))}"
        return Trouble(403, "bad_host", f"a request to {shown} is not for this daemon", hint)
    if origin is not None and not _is_ours(origin, ours):
        hint = "the daemon talks to its own pages and to programs, never to other web pages"
        return Trouble(403, "bad_origin", f"a page of {origin[:100]!r} asks", hint)
    if site is not None and site.lower() in FOREIGN:
        hint = "open it from its own page, or from a terminal with `hearth open`"
        return Trouble(403, "bad_origin", "another web page asks", hint)
    return None


def _is_ours(origin: str, ours: frozenset[str]) -> bool:
    scheme, separator, host = origin.lower().partition("://")
    return scheme == "http" and bool(separator) and host in ours
