"""Who asked, and through which door. On every event."""

from enum import StrEnum

from hearth.core.vocabulary.wire import Part


class Actor(StrEnum):
    """The kinds of author an event can have."""

    PERSON = "person"
    AGENT = "agent"
    MCP_CLIENT = "mcp_client"
    FILE_WATCHER = "file_watcher"
    SYSTEM = "system"


class Door(StrEnum):
    """The ways in."""

    HTTP = "http"
    MCP = "mcp"
    DASHBOARD = "dashboard"
    REPL = "repl"
    CLI = "cli"
    TUI = "tui"
    ACP = "acp"
    WATCHER = "watcher"
    TIMER = "timer"
    ENGINE = "engine"


class Origin(Part, frozen=True):
    """An author: what kind, by what name (a person's login, a client's name, a file's path)."""

    actor: Actor
    name: str = ""
    door: Door = Door.ENGINE


SYSTEM = Origin(Actor.SYSTEM)
"""hearth itself."""
