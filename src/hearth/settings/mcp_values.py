"""What is written of MCP servers of others: how each is started or reached, and kept."""

from typing import Annotated, Literal

import msgspec

from hearth.settings.values import Count, Group, Seconds, Text, Unlimited, says

Patience = Annotated[float, msgspec.Meta(ge=0)]


class McpServer(Group, frozen=True):
    """How an MCP server is started (`command`) or reached (`url`)."""

    type: Literal["stdio", "http"] | None = None
    command: Text | None = None
    args: tuple[str, ...] = ()
    env: dict[Text, str] = msgspec.field(default_factory=dict)
    cwd: Text | None = None
    url: Text | None = None
    headers: dict[Text, str] = msgspec.field(default_factory=dict)
    idle_timeout: Patience | None = None
    timeout: Seconds | None = None
    disabled: bool = False
    scopes: tuple[Text, ...] = ()
    client_id: Text | None = None


class McpPool(Group, frozen=True):
    """How long MCP servers wait for somebody who needs them. A project cannot set it."""

    idle_timeout: Annotated[
        Patience | None,
        says(
            "A server that nobody uses is ended after so many seconds.",
            "a number of seconds, 0 or more, like 300",
        ),
    ] = None
    cleanup_interval: Annotated[
        Seconds | None,
        says("So often hearth looks for such servers.", "a number of seconds above 0, like 30"),
    ] = None
    max_idle_servers: Annotated[
        Count | Unlimited | None,
        says(
            "Of more unused servers than this, the one used longest ago is ended.",
            'a whole number above 0, or "unlimited"',
        ),
    ] = None


class McpGroup(Group, frozen=True):
    """Which MCP servers agents have."""

    enabled: Annotated[
        tuple[Text, ...] | None,
        says(
            "The servers that agents have; without it all. A project can add its own, and take "
            "others away.",
            'a list of names of servers, like ["github"]',
        ),
    ] = None
