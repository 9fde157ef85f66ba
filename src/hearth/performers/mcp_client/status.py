"""How servers are, for people, without secrets."""

from collections.abc import Mapping
from dataclasses import dataclass

from hearth.performers.mcp_client.entries import Running


@dataclass(frozen=True)
class ServerStatus:
    """How a server is, without secrets."""

    name: str
    shown: str
    state: str
    """`ready`, `idle`, `starting`, `stopped`, `failed`, `disabled`, `unapproved`, `incomplete` or
    `needs_login`."""
    why: str = ""
    pid: int = 0
    users: int = 0
    since: str = ""
    tools: int = 0
    noise: int = 0
    """Lines it wrote that are no messages."""
    source: str = ""


def of_running(one: Running, known: Mapping[str, tuple[str, str, str]]) -> ServerStatus:
    """How a server in the pool is; `known` is the name, what is shown and the file of each."""
    name, shown, source = known.get(one.key, ("", "", ""))
    return ServerStatus(
        name=name,
        shown=shown,
        state=one.state,
        pid=one.pid,
        users=one.users,
        since=one.since,
        tools=one.tools,
        noise=one.noise,
        source=source,
    )


def failed(why: str) -> str:
    """The state of a server that could not be used for this reason."""
    return "needs_login" if "needs a login" in why else "failed"
