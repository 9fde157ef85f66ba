"""Puts together what agents work with: their tools, who judges them, and what contains them."""

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hearth.core.rules.permission import Layer, judge
from hearth.core.rules.tooling import KEEP_VARIANT, RUN_CODE, TRY_CODE, UNDO_CODE
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import StoreGrant
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.permitting import EXECUTE, Grant, Need, Verdict
from hearth.log.looking import Read
from hearth.performers.interpreter.walls import Walls
from hearth.performers.judging.paths import Place
from hearth.performers.judging.when_needed import analyse, python_wants
from hearth.performers.language_server.detecting import ServerChange, ServerSpec, specs_of
from hearth.performers.language_server.diagnostics import Diagnostics
from hearth.performers.language_server.server import Ways
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.mcp_client.resolving import unchosen
from hearth.performers.mcp_client.servers import Around as AroundServers
from hearth.performers.mcp_client.servers import McpServers, no_servers
from hearth.performers.sandbox.bubblewrap import Sandbox
from hearth.performers.sandbox.cleaning import RedactingPerformer
from hearth.performers.sandbox.environment import scrubbed
from hearth.performers.sandbox.known_secrets import KnownSecrets
from hearth.performers.sandbox.places import hearth_places, hearth_programs
from hearth.performers.sandbox.redacting import Redactor
from hearth.performers.snapshots.performer import Rewinding
from hearth.performers.snapshots.snapshots import Snapshots
from hearth.performers.tools.add_knowledge import AddKnowledge
from hearth.performers.tools.fetching.fetch_url import FETCH_URL, FetchUrl
from hearth.performers.tools.files.edit_file import EditFile
from hearth.performers.tools.files.grep import Grep
from hearth.performers.tools.files.list_files import ListFiles
from hearth.performers.tools.files.read_file import ReadFile
from hearth.performers.tools.files.seen import Seen
from hearth.performers.tools.files.write_file import WriteFile
from hearth.performers.tools.files.writing import Writing
from hearth.performers.tools.judging import Judging, Settings
from hearth.performers.tools.looking_again import LookingAgain
from hearth.performers.tools.performer import Fetch, Tools
from hearth.performers.tools.registry import Registry
from hearth.performers.tools.shell.asking_jobs import (
    SHELL_KILL,
    SHELL_OUTPUT,
    ShellKill,
    ShellOutput,
)
from hearth.performers.tools.shell.jobs import Jobs
from hearth.performers.tools.shell.run_shell import RUN_SHELL, RunShell
from hearth.performers.tools.tool import Keep, Scene, Tool, Wanted
from hearth.settings.agents import AgentSettings
from hearth.settings.grants import GrantBook, Occasion
from hearth.settings.mcp import McpSettings

if TYPE_CHECKING:
    from hearth.performers.judging.shell.analysis import Analysis

RESULTS: Final = "results"
JOBS: Final = "jobs"
"""Where long results and what jobs wrote are kept below hearth's home: agents may read theirs."""
_SHOWN: Final = 200
_NOWHERE: Final = "/nowhere that anybody knows"
_LISTING: Final = re.compile(r"(?:ls|pwd)(?: -[A-Za-z0-9]+)*")
OFF_UNLESS_WANTED: Final = frozenset({FETCH_URL})
GOES_WITH: Final = {
    SHELL_OUTPUT: RUN_SHELL,
    SHELL_KILL: RUN_SHELL,
    TRY_CODE: RUN_CODE,
    KEEP_VARIANT: RUN_CODE,
    UNDO_CODE: RUN_CODE,
}
"""Tools that are off where another is: they do what it does, or are good for nothing without it."""


@dataclass(frozen=True)
class Outside:
    """What the equipment needs of the rest of hearth."""

    home: Path
    agents: Callable[[str], AgentSettings]
    permissions: Settings
    read: Read
    fetch: Fetch
    keep: Keep
    environ: Mapping[str, str]
    keys: Callable[[], Iterable[str]] = tuple
    """The keys of providers that are in use."""
    mcp: Callable[[str], McpSettings] = no_servers
    """Which MCP servers of others there are in a directory. May wait for the disk."""
    chosen: Callable[[SessionId], tuple[str, ...] | None] = unchosen
    """Which of them a person chose for a session; None: the settings say."""


class BookOfGrants:
    """What people allowed for always, as judging needs it."""

    def __init__(self, book: GrantBook) -> None:
        self.book = book

    def for_root(self, root: str) -> tuple[Grant, ...]:
        """What holds in a project."""
        return self.book.for_root(root)

    def allow(self, effect: StoreGrant, session: SessionId, root: str) -> None:
        """Remember what was allowed. OSError, ValueError."""
        occasion = Occasion(datetime.now(UTC), effect.by, session, effect.why)
        for grant in effect.grants:
            self.book.add(grant, root, occasion)


class Equipment:
    """All that agents work with. `close` ends what it started."""

    def __init__(self, outside: Outside, more: Sequence[Tool] = ()) -> None:
        self._outside = outside
        home = str(outside.home)
        self._holding: tuple[Scene, tuple[Layer, ...], tuple[Grant, ...]] | None = None
        self._own = hearth_places(home, outside.environ)
        self.sandbox = Sandbox(self._own, outside.environ)
        self.snapshots = Snapshots(outside.home)
        self.grants = GrantBook(outside.home)
        self.jobs = Jobs(outside.home / JOBS)
        ways = Ways(environment=self._environment, wrap=self._contained)
        self.servers = LanguageServers(self._specs, ways)
        self.mcp = McpServers(
            AroundServers(
                outside.home,
                outside.environ,
                outside.mcp,
                self._kept_variables,
                outside.chosen,
            )
        )
        self.redactor = Redactor(KnownSecrets(home, outside.environ, self._keys))
        self.registry = Registry([*self._tools(), *more], self._is_off, [self.mcp.of_turns])
        self.judging = Judging(
            self.registry,
            outside.permissions,
            places=self.place_of,
            grants=BookOfGrants(self.grants),
            files=self.snapshots,
            code={RUN_CODE: code_wants, TRY_CODE: code_wants},
        )

    def performers(self) -> tuple[Performer, ...]:
        """Those that carry out what agents do."""
        outside = self._outside
        tools = Tools(
            self.registry,
            fetch=outside.fetch,
            keep=outside.keep,
            end_session=self.jobs.end_session,
            clean=self.redactor.text,
        )
        return (
            RedactingPerformer(tools, self.redactor),
            self.judging,
            LookingAgain(Rewinding(self.snapshots, outside.read), self._look_again),
        )

    async def open(self) -> None:
        """End what a daemon that is gone has left running."""
        await self.mcp.open()

    async def close(self) -> None:
        """End all jobs and servers."""
        await self.jobs.close()
        await self.mcp.close()
        await self.servers.close()

    def place_of(self, scene: Scene) -> Place:
        """Where a call happens, and what is closed to it. May wait for the disk."""
        outside = self._outside
        home = str(outside.home)
        said = outside.permissions(_where(scene), scene.agent)
        return Place(
            directory=scene.directory,
            root=scene.root,
            forbidden=self._own,
            auto_allow=said.auto_allow,
            readable=tuple(f"{home}/{kept}/{scene.session}" for kept in (RESULTS, JOBS)),
        )

    def _tools(self) -> tuple[Tool, ...]:
        outside, seen = self._outside, Seen()
        writing = Writing(seen, self.servers.after_write, self.servers.before_write)
        return (
            AddKnowledge(outside.agents),
            ReadFile(self.place_of, seen),
            WriteFile(self.place_of, writing),
            EditFile(self.place_of, writing),
            ListFiles(self.place_of, self._verdict),
            Grep(self.place_of, self._verdict),
            RunShell(self.place_of, self.sandbox, outside.permissions, self.jobs, outside.environ),
            ShellOutput(self.jobs),
            ShellKill(self.jobs),
            Diagnostics(self.servers, self.place_of),
            FetchUrl(str(outside.home), self._verdict),
        )

    def _verdict(self, scene: Scene, need: Need) -> Verdict:
        # Asked for every file that is found: what holds for a call is looked up once.
        known = self._holding
        if known is None or known[0] is not scene:
            said = self._outside.permissions(_where(scene), scene.agent)
            known = self._holding = (scene, said.layers, self.grants.for_root(scene.root))
        return judge(need, known[1], known[2]).verdict

    def _is_off(self, scene: Scene, name: str) -> bool:
        said = self._outside.permissions(_where(scene), scene.agent)
        if name in OFF_UNLESS_WANTED and name not in said.enabled_tools:
            return True
        return not {name, GOES_WITH.get(name, name)}.isdisjoint(said.disabled_tools)

    def _specs(self, root: str) -> tuple[ServerSpec, ...]:
        said = self._outside.permissions(root, "").language_servers
        changes = {
            name: ServerChange(
                command=one.command[0] if one.command else "",
                args=one.command[1:] if one.command else None,
                files=one.files,
                options=one.options,
                is_on=one.is_on,
            )
            for name, one in said.items()
        }
        return specs_of(root, changes, is_trusted=self._outside.agents(root).trusted)

    def _contained(self, argv: tuple[str, ...], root: str) -> tuple[str, ...]:
        """A language server in the sandbox, where there is one: it reads what agents write."""
        if not self.sandbox.probed().is_on:
            return argv
        programs = hearth_programs()
        return self.sandbox.wrapped(argv, directory=root, root=root, shown=programs)

    def walls_of(self, root: str) -> Walls:
        """How the interpreters of a project are kept apart. May wait for the disk."""
        said = self._outside.permissions(root, "")
        sandbox = said.sandbox
        return Walls(
            contained=sandbox.interpreter,
            network=sandbox.network,
            writable=sandbox.writable,
            readable=sandbox.readable,
            keep=said.environment_keep,
        )

    async def _look_again(self, root: str) -> None:
        """Have the language servers that run in a project see what became of its files."""
        real = await asyncio.to_thread(os.path.realpath, root)
        if any(one.root == real and one.pid for one in self.servers.status()):
            await self.servers.of_project(root)

    def _keys(self) -> Iterable[str]:
        return (*self._outside.keys(), *self.mcp.secrets())

    def _kept_variables(self) -> tuple[str, ...]:
        return self._outside.permissions("", "").environment_keep

    def _environment(self) -> Mapping[str, str]:
        return scrubbed(self._outside.environ)


def _where(scene: Scene) -> str:
    """The directory whose settings count; "" for a session that belongs to no project."""
    return scene.directory if scene.root else ""


def code_wants(code: str, config: SessionConfig, place: Place) -> Wanted:
    """What it takes to run code in the interpreter of a session, whatever its language."""
    if config.interpreter in {"", "python", "python3"}:
        return python_wants(code, place)
    if config.interpreter == "bash":
        return _bash_wants(code, place)
    why = f"what code of {config.interpreter} does cannot be told"
    shown = " ".join(code.split())[:_SHOWN]
    return Wanted((Need(EXECUTE, shown, least=Verdict.ASK, why=why),), may_change=True)


def _bash_wants(code: str, place: Place) -> Wanted:
    """What a cell of bash takes, in whatever directory the cells before it have left the shell.

    So what depends on the directory has to be asked about, unless the cell itself says where it
    is: `cd /the/project && cat a.txt`. Only what is in the directory may be listed: whoever left
    the project was asked about that.
    """
    found = analyse(code, place)
    elsewhere = analyse(code, replace(place, directory=_NOWHERE))
    if _facts(found) == _facts(elsewhere) or all(map(_LISTING.fullmatch, found.parts)):
        return Wanted(found.needs, not found.reads_only)
    why = "an earlier cell may have changed the directory: begin with cd and an absolute path"
    shown = " ".join(code.split())[:_SHOWN]
    doubt = Need(EXECUTE, shown, usual=Verdict.ASK, least=Verdict.ASK, why=why)
    return Wanted((*found.needs, doubt), not found.reads_only)


def _facts(found: "Analysis") -> tuple[list[tuple[object, ...]], bool]:
    """What a verdict depends on."""
    needs: list[tuple[object, ...]] = [
        (one.permission, one.target, one.resolved, one.usual, one.least) for one in found.needs
    ]
    return needs, found.reads_only
