"""What settings mean for MCP servers of others: which there are, and what of them would run.

A project's file may add servers. It may not change one that the person has under the same name:
then the person's counts. What `${NAME}` stands for is filled in when a server is started, and is
kept nowhere.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import Entry
from hearth.settings.masking import masked_address, masked_arguments, masked_variables
from hearth.settings.mcp_values import McpServer
from hearth.settings.problems import Problem
from hearth.settings.snapshot import Snapshot

SERVERS: Final = "mcpServers."
USUAL_TIMEOUT: Final = 120.0
"""So many seconds a call may take if nobody says how many."""
NAME: Final = re.compile(r"[A-Za-z0-9-]{1,40}")
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_RIGHT: Final = '{"command": "npx", "args": ["-y", "…"]} or {"url": "https://…"}'


@dataclass(frozen=True)
class ServerSpec:
    """One MCP server: all that decides what is started or reached. No secret is in its `repr`."""

    name: str
    command: str = field(default="", repr=False)
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str = ""
    """An absolute path; "": the root of the project that it is used in."""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    scopes: tuple[str, ...] = ()
    client_id: str = ""
    idle_timeout: float | None = None
    """None: as the pool is set."""
    timeout: float = USUAL_TIMEOUT
    """Seconds that a call may take."""
    disabled: bool = False
    source: str = ""
    """The file that says so."""
    is_project: bool = False
    """It comes from a project's file: nothing of it runs before the person has seen it."""
    root: str = ""
    """The root of that project."""

    @property
    def is_http(self) -> bool:
        """Whether it is reached over the network and not started here."""
        return bool(self.url)

    @property
    def digest(self) -> str:
        """A hash over everything that decides what runs, secrets included."""
        whole = [
            self.name,
            self.command,
            list(self.args),
            sorted(self.env.items()),
            self.cwd,
            self.url,
            sorted(self.headers.items()),
            list(self.scopes),
            self.client_id,
        ]
        return sha256(msgspec.json.encode(whole)).hexdigest()

    def shown(self) -> str:
        """What would run or be reached, on one line for people, secrets masked."""
        if self.is_http:
            headers = (f"{name}: {one}" for name, one in masked_variables(self.headers).items())
            said = "".join(f" --header {shlex.quote(one)}" for one in headers)
            return _visible(f"{masked_address(self.url)}{said}")
        variables = masked_variables(self.env).items()
        before = "".join(f"{name}={shlex.quote(value)} " for name, value in variables)
        line = shlex.join([self.command, *masked_arguments(self.args)])
        where = f" (in {self.cwd})" if self.cwd else ""
        return _visible(f"{before}{line}{where}")

    def filled(self, environ: Mapping[str, str]) -> "tuple[ServerSpec, tuple[str, ...]]":
        """The same with `${NAME}` and `${NAME:-otherwise}` replaced, and which are not set."""
        missing: dict[str, None] = {}

        def found(reference: re.Match[str]) -> str:
            name, otherwise = reference[1], reference[2]
            value = environ.get(name) or otherwise
            if value is None:
                missing[name] = None
            return value or ""

        def put(text: str) -> str:
            return _REFERENCE.sub(found, text)

        made = replace(
            self,
            command=put(self.command),
            args=tuple(map(put, self.args)),
            env={name: put(value) for name, value in self.env.items()},
            url=put(self.url),
            headers={name: put(value) for name, value in self.headers.items()},
        )
        return made, tuple(missing)


@dataclass(frozen=True)
class PoolSettings:
    """How long servers wait for somebody who needs them."""

    idle_timeout: float = 300.0
    cleanup_interval: float = 30.0
    max_idle_servers: int | None = 50
    """None: any number."""


@dataclass(frozen=True)
class McpSettings:
    """What holds for MCP servers of others in one place."""

    servers: Mapping[str, ServerSpec] = field(default_factory=dict)
    """By name; those that are disabled are among them."""
    pool: PoolSettings = field(default_factory=PoolSettings)
    enabled: tuple[str, ...] | None = None
    """The servers that agents have here; None: all."""
    of_agents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The same for some agents, by pattern of the agent's name."""
    problems: tuple[Problem, ...] = ()
    root: str = ""
    trusted: bool = False

    def of_agent(self, agent: str) -> tuple[str, ...] | None:
        """Which servers this agent has by its own name; None: nothing is said of it."""
        found = [names for pattern, names in self.of_agents.items() if fnmatchcase(agent, pattern)]
        return found[-1] if found else None


def mcp_settings(keeper: SettingsKeeper) -> Callable[[str], McpSettings]:
    """What holds in a directory, as of now; "" is for those that belong to no project.

    May be asked from any thread, and may wait for the disk.
    """

    def settings(directory: str) -> McpSettings:
        return servers_of(keeper.current(Path(directory) if directory else None))

    return settings


def servers_of(snapshot: Snapshot) -> McpSettings:
    """What a snapshot of all settings means for MCP servers of others."""
    servers: dict[str, ServerSpec] = {}
    problems: list[Problem] = []
    for key in snapshot.values:
        if key.startswith(SERVERS):
            made = _server(snapshot, key)
            if isinstance(made, ServerSpec):
                servers[made.name] = made
            elif made is not None:
                problems.append(made)
    own = frozenset(name for name, one in servers.items() if one.is_project)
    pool, usual = snapshot.settings.mcp_pool, PoolSettings()
    most = pool.max_idle_servers
    return McpSettings(
        servers=MappingProxyType(servers),
        pool=PoolSettings(
            usual.idle_timeout if pool.idle_timeout is None else pool.idle_timeout,
            pool.cleanup_interval or usual.cleanup_interval,
            None if most == "unlimited" else usual.max_idle_servers if most is None else most,
        ),
        enabled=(enabled := _names(snapshot, "mcp.enabled", own, None)),
        of_agents=MappingProxyType(dict(_of_agents(snapshot, own, enabled))),
        problems=tuple(problems),
        root=snapshot.root,
        trusted=snapshot.trusted,
    )


def _server(snapshot: Snapshot, key: str) -> ServerSpec | Problem | None:
    """The server of a key; None for one that is switched off."""
    said = [one.entry for one in snapshot.said[key] if one.counts]
    entry = said[-1]
    if entry.value is False:
        return None
    if entry.value is True:
        # It says that one is wanted, and not which: what is below says it, if anything does.
        said = [one for one in said if isinstance(one.value, dict)]
        if not said:
            what = "true does not say how it is started or reached"
            return Problem(entry.source, what, _RIGHT, key, entry.line)
        entry = said[-1]
    # A project that says the same of a server as the person does adds nothing to it.
    entry = next(one for one in said if one.value == entry.value)
    written = msgspec.convert(entry.value, McpServer)
    if wrong := _wrong(written):
        return Problem(entry.source, wrong, _RIGHT, key, entry.line)
    is_project = _is_of_project(snapshot, entry)
    return ServerSpec(
        name=key.removeprefix(SERVERS),
        command=written.command or "",
        args=written.args,
        env=MappingProxyType(dict(written.env)),
        cwd=_folder(written.cwd, entry.source),
        url=written.url or "",
        headers=MappingProxyType(dict(written.headers)),
        scopes=written.scopes,
        client_id=written.client_id or "",
        idle_timeout=written.idle_timeout,
        timeout=written.timeout or USUAL_TIMEOUT,
        disabled=written.disabled,
        source=entry.source,
        is_project=is_project,
        root=snapshot.root if is_project else "",
    )


def _wrong(said: McpServer) -> str:
    """Why nothing can be started or reached by this."""
    if (said.command is None) == (said.url is None):
        both = "says both a command and a url" if said.command else "says neither command nor url"
        return f"{both}; it is one of the two"
    if said.type is not None and (said.type == "http") != (said.url is not None):
        return f'is of the type "{said.type}", which does not fit the rest'
    if said.url is not None and not re.match(r"https?://[^\s/]|\$\{", said.url):
        return "has a url that is no address of http or https"
    return _wrong_texts(said)


def _wrong_texts(said: McpServer) -> str:
    """Why no program can be given this, and no server told."""
    texts = (said.command or "", *said.args, *said.env, *said.env.values(), said.cwd or "")
    if any("\0" in one for one in texts):
        return "holds a character that no program can be given"
    if any("=" in name for name in said.env):
        return "names a variable with = in it"
    lines = (*said.headers, *said.headers.values())
    if any("\n" in one or "\r" in one for one in lines):
        return "has a header of several lines"
    return ""


def _names(
    snapshot: Snapshot, key: str, own: frozenset[str], bound: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """The names of a list that counts. A project's gives no more than the person's, and its own."""
    found = bound
    for one in (said.entry for said in snapshot.said.get(key, ()) if said.counts):
        names = one.value if isinstance(one.value, tuple) else ()
        if _is_of_project(snapshot, one) and found is not None:
            names = tuple(name for name in names if name in found or name in own)
        found = names
    return found


def _of_agents(
    snapshot: Snapshot, own: frozenset[str], enabled: tuple[str, ...] | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key in snapshot.values:
        if key.startswith("agents.") and key.endswith(".mcpServers"):
            names = _names(snapshot, key, own, enabled)
            yield key.split(".")[1], names or ()


def _is_of_project(snapshot: Snapshot, entry: Entry) -> bool:
    return bool(snapshot.project) and entry.source == snapshot.project


def _folder(said: str | None, source: str) -> str:
    """A folder as it is meant: from that of the file which says it."""
    if said is None:
        return ""
    home = os.path.expanduser(said)  # noqa: PTH111 - Path.expanduser raises for unknown people
    return os.path.normpath(Path(source).parent / home)


def _visible(text: str) -> str:
    """The text with everything that could hide or turn around a part of it written out."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
