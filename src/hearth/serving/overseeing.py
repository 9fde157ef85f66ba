"""What is known of agents beside the log, as the HTTP door shows it and takes it back."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.content import Severity
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.permitting import Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.language_server.findings import Noted, ServerStatus
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.mcp_client.servers import McpServers
from hearth.performers.mcp_client.status import ServerStatus as McpServerStatus
from hearth.performers.sandbox.bubblewrap import Sandbox, Standing
from hearth.performers.tools.explaining import explain_command
from hearth.performers.tools.judging import Settings
from hearth.performers.tools.tool import Scene
from hearth.servers.http.agents.oversight import (
    Explained,
    FoundInFile,
    FoundInProject,
    FoundOne,
    GivenShown,
    GrantShown,
    GrantsListed,
    Guarded,
    McpServerShown,
    McpServersListed,
    SandboxShown,
    ServerShown,
    ServersListed,
    ToExplain,
)
from hearth.settings.grants import GrantBook, StoredGrant
from hearth.settings.roots import find_root_anyway

AT_ONCE: Final = 2
"""So many commands are explained at a time: whoever asks for thousands holds up no agent."""
SOON: Final = 1.0
"""Seconds in which it is known whether there is a sandbox, or said that it is not known yet."""
SWITCHED_OFF: Final = "it is switched off by settings: sandbox.commands"
UNKNOWN: Final = "it is being found out whether this machine can"

_said = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What is shown."""

    permissions: Settings
    grants: GrantBook
    sandbox: Sandbox
    servers: LanguageServers
    mcp: McpServers
    place_of: Callable[[Scene], Place]


class ShownAgents:
    """The rules, grants, walls and servers of agents. Files are read in a thread."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._explaining = asyncio.Semaphore(AT_ONCE)
        self._probing: asyncio.Task[Standing] | None = None

    async def guarded(self) -> Guarded:
        """How agents are contained where no project says otherwise."""
        said = await asyncio.to_thread(self._parts.permissions, "", "")
        if said.sandbox.commands:
            standing = await self._standing()
        else:
            standing = Standing(is_on=False, why=SWITCHED_OFF)
        sandbox = SandboxShown(standing.is_on, standing.why)
        return Guarded(said.mode, sandbox, self.servers().servers)

    async def grants(self) -> GrantsListed:
        """What was allowed for always, and what is wrong with the file."""
        book = self._parts.grants
        stored, problem = await asyncio.to_thread(lambda: (book.all(), book.problem()))
        return GrantsListed(tuple(map(_grant, stored)), "" if problem is None else str(problem))

    async def revoke(self, grant: str, by: Origin) -> bool:
        """Take a grant back. OSError."""
        is_revoked = await asyncio.to_thread(self._parts.grants.revoke, grant)
        if is_revoked:
            _said.info("the grant %s is revoked, by %s", grant, by.name or by.actor)
        return is_revoked

    async def explain(self, wanted: ToExplain) -> Explained:
        """What would be said to a command."""
        async with self._explaining:
            try:
                return await asyncio.to_thread(self._explain, wanted)
            except OSError as error:
                # Of a place that is closed to us nobody knows the rules; no agent works there.
                why = f"{wanted.directory} cannot be looked at: {error.strerror}"
                return _unexplained(why)

    def servers(self) -> ServersListed:
        """Every language server that was needed."""
        return ServersListed(tuple(map(_server, self._parts.servers.status())))

    async def mcp_servers(self, directory: str) -> McpServersListed:
        """Every MCP server of others that there is in a directory."""
        try:
            found, problems = await asyncio.to_thread(self._parts.mcp.shown, directory)
        except OSError as error:
            return McpServersListed((), (f"{directory} cannot be looked at: {error.strerror}",))
        return McpServersListed(tuple(map(_mcp_server, found)), problems)

    async def found(self, directory: str) -> FoundInProject:
        """What is known of the project of a directory, by file."""
        root = await asyncio.to_thread(_root_of, directory)
        noted = self._parts.servers.given(root)
        by_path = sorted(noted, key=lambda one: one.finding.path)
        files = (
            _file(path, tuple(ones))
            for path, ones in groupby(by_path, key=lambda one: one.finding.path)
        )
        # The files with the most that is wrong with them first.
        ordered = sorted(files, key=lambda one: (-one.errors, -one.warnings, one.path))
        return FoundInProject(root, tuple(ordered))

    async def _standing(self) -> Standing:
        """Whether there is a sandbox; however many want to know, it is tried once."""
        if self._probing is None:
            self._probing = asyncio.create_task(self._parts.sandbox.probe())
        await asyncio.wait({self._probing}, timeout=SOON)
        if not self._probing.done():
            return Standing(is_on=False, why=UNKNOWN)
        return self._probing.result()

    def _explain(self, wanted: ToExplain) -> Explained:
        parts = self._parts
        root = _root_of(wanted.directory)
        scene = Scene(SessionId(""), wanted.directory, root, agent=wanted.agent)
        said = explain_command(
            wanted.command,
            scene,
            parts.permissions(wanted.directory, wanted.agent),
            parts.grants.for_root(root),
            parts.place_of(scene),
        )
        return Explained(
            verdict=said.verdict,
            judged=said.judged,
            parts=said.parts,
            parse=said.parse,
            doubts=said.doubts,
            problem=said.problem,
            root=root,
        )


def _unexplained(why: str) -> Explained:
    return Explained(
        verdict=Verdict.DENY, judged=(), parts=(), parse="", doubts=(), problem=why, root=""
    )


def _root_of(directory: str) -> str:
    return str(find_root_anyway(Path(directory))[0].path)


def _grant(stored: StoredGrant) -> GrantShown:
    return GrantShown(
        id=stored.id,
        permission=stored.permission,
        pattern=stored.pattern,
        root=stored.root,
        at=stored.at,
        by=stored.by,
        session=stored.session,
        why=stored.why,
    )


def _server(status: ServerStatus) -> ServerShown:
    return ServerShown(
        root=status.root,
        server=status.server,
        state=status.state,
        why=status.why,
        restarts=status.restarts,
        open_files=status.open_files,
        pid=status.pid,
        since=status.since,
    )


def _mcp_server(status: McpServerStatus) -> McpServerShown:
    return McpServerShown(
        name=status.name,
        shown=status.shown,
        state=status.state,
        why=status.why,
        pid=status.pid,
        users=status.users,
        since=status.since,
        tools=status.tools,
        noise=status.noise,
        source=status.source,
    )


def _file(path: str, noted: tuple[Noted, ...]) -> FoundInFile:
    now = [one.finding.severity for one in noted if one.is_current]
    return FoundInFile(
        path,
        now.count(Severity.ERROR),
        now.count(Severity.WARNING),
        tuple(map(_finding, noted)),
    )


def _finding(noted: Noted) -> FoundOne:
    found = noted.finding
    return FoundOne(
        line=found.line,
        column=found.column,
        severity=found.severity,
        message=found.message,
        rule=found.rule,
        server=found.server,
        given=tuple(GivenShown(one.session, one.agent, one.at) for one in noted.given),
        current=noted.is_current,
    )
