"""What is known of agents and is in no log: grants for always, the sandbox, servers."""

from datetime import datetime
from typing import Annotated, Literal, Protocol

import msgspec

from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.permitting import Judged, Verdict
from hearth.core.vocabulary.wire import Part


class SandboxShown(Part, frozen=True):
    """Whether the commands of agents are contained."""

    on: bool
    why: str
    """Why not, or what is weaker than it could be; empty: nothing."""


class ServerShown(Part, frozen=True, kw_only=True):
    """A language server of a project that was needed, as it is now."""

    root: str
    server: str
    state: str
    """starting, ready, crashed, stopped, missing."""
    why: str
    """What is wrong with it, and what would help."""
    restarts: int
    open_files: int
    pid: int
    """0 if it does not run."""
    since: str


class ServersListed(Part, frozen=True):
    """Every language server that was needed."""

    servers: tuple[ServerShown, ...]


class McpServerShown(Part, frozen=True, kw_only=True):
    """An MCP server of others whose tools agents may have, as it is now. Without secrets."""

    name: str
    shown: str
    """What is started, or the address."""
    state: str
    """stopped, starting, ready, idle, failed, needs_login, unapproved, incomplete, disabled."""
    why: str
    """What is wrong with it, and what would help."""
    pid: int
    """0 if it does not run here."""
    users: int
    """So many sessions need it now."""
    since: str
    tools: int
    noise: int
    """Lines that it wrote and that are no messages."""
    source: str
    """The file that says so."""


class McpServersListed(Part, frozen=True):
    """Every MCP server of others that there is in a directory."""

    servers: tuple[McpServerShown, ...]
    problems: tuple[str, ...] = ()
    """What is wrong with the settings of others."""


class Guarded(Part, frozen=True):
    """What stands between agents and the machine, where no project says otherwise."""

    mode: Literal["ask", "auto"]
    """Whether people are asked, or what would be asked is allowed unseen."""
    sandbox: SandboxShown
    servers: tuple[ServerShown, ...]


class GrantShown(Part, frozen=True, kw_only=True):
    """What a person allowed for always, until it is revoked."""

    id: str
    permission: str
    pattern: str
    root: str
    """The project that it holds in."""
    at: datetime
    by: str
    session: str
    why: str
    """What it was asked for."""


class GrantsListed(Part, frozen=True):
    """Everything that was allowed for always, the oldest first."""

    grants: tuple[GrantShown, ...]
    problem: str
    """Why nothing is granted although there is a file of grants."""


class ToExplain(Part, frozen=True):
    """A command that an agent could want to run, and where."""

    command: Annotated[str, msgspec.Meta(max_length=100_000)]
    directory: Annotated[str, msgspec.Meta(pattern="^/[^\\x00]*$", max_length=4096)]
    agent: Annotated[str, msgspec.Meta(max_length=300)] = ""
    """Rules may be for some agents only."""


class Explained(Part, frozen=True, kw_only=True):
    """What would become of it, and by what. Nothing was run."""

    verdict: Verdict
    judged: tuple[Judged, ...]
    parts: tuple[str, ...]
    """The commands in it, as rules know them."""
    parse: str
    """How it was understood, in lines for people."""
    doubts: tuple[str, ...]
    problem: str
    """Why it would not be run, whoever allows it."""
    root: str
    """The project in which it was judged."""


class GivenShown(Part, frozen=True):
    """An agent that was given a finding, in which session and when."""

    session: SessionId
    agent: str
    at: str


class FoundOne(Part, frozen=True, kw_only=True):
    """One thing that a language server found. Lines and columns count from 1."""

    line: int
    column: int
    severity: Severity
    message: str
    rule: str
    server: str
    given: tuple[GivenShown, ...]
    """The agents that were told of it."""
    current: bool
    """False: an agent was told of it, and it is not found any more."""


class FoundInFile(Part, frozen=True):
    """What was found in one file, the worst first."""

    path: str
    errors: int
    """So many of those that are found now."""
    warnings: int
    findings: tuple[FoundOne, ...]


class FoundInProject(Part, frozen=True):
    """What language servers found in a project so far; nobody is asked for more."""

    root: str
    files: tuple[FoundInFile, ...]


class Oversight(Protocol):
    """Who knows all this."""

    async def guarded(self) -> Guarded:
        """How agents are contained. Soon: what takes long to find out is said not to be known."""

    async def grants(self) -> GrantsListed:
        """What is allowed for always."""

    async def revoke(self, grant: str, by: Origin) -> bool:
        """Take a grant back; False if there is none of this id. OSError."""

    async def explain(self, wanted: ToExplain) -> Explained:
        """What would be said to a command."""

    def servers(self) -> ServersListed:
        """Every language server that was needed."""

    async def mcp_servers(self, directory: str) -> McpServersListed:
        """Every MCP server of others that there is in a directory."""

    async def found(self, directory: str) -> FoundInProject:
        """What is known of the project of a directory."""
