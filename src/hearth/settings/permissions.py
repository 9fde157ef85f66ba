"""What settings mean for what agents may do: rules, tools, the sandbox, language servers."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec

from hearth.core.rules import permission
from hearth.core.vocabulary import permitting as p
from hearth.settings import safety
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.rules import ask_all, rule_layers
from hearth.settings.snapshot import Snapshot

MOST_KEPT: Final = 200
"""For so many agents in so many places the rules are kept as they are judged by."""


@dataclass(frozen=True)
class SandboxSettings:
    """What walls commands and interpreters off."""

    commands: bool = True
    """Agents' commands run in a sandbox, where the machine can."""
    interpreter: bool = False
    network: bool = False
    """Whether what runs in it reaches the network unasked."""
    writable: tuple[str, ...] = ()
    """Absolute paths, besides the project."""
    readable: tuple[str, ...] = ()
    """Absolute paths that would be hidden and are not."""


@dataclass(frozen=True)
class ServerSettings:
    """How a language server is used."""

    is_on: bool = True
    command: tuple[str, ...] = ()
    """Empty: as hearth starts it."""
    files: tuple[str, ...] = ()
    """Patterns of the names of its files; empty: as hearth knows it."""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PermissionSettings:
    """What agents may do in one place."""

    layers: tuple[permission.Layer, ...] = ()
    auto_allow: tuple[str, ...] = ()
    """Absolute paths of folders that nobody is asked about."""
    mode: Literal["ask", "auto"] = "ask"
    """Whether people are asked, or whatever would be asked is allowed once."""
    disabled_tools: frozenset[str] = frozenset()
    enabled_tools: frozenset[str] = frozenset()
    """Those that are on although they would not be by themselves."""
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    environment_keep: tuple[str, ...] = ()
    """Patterns of variables that are passed on although they look like secrets."""
    language_servers: Mapping[str, ServerSettings] = field(default_factory=dict)
    """Those that somebody has said something about."""

    def judged(self, need: p.Need, grants: Sequence[p.Grant] = ()) -> p.Judged:
        """What holds for a need here, and by what."""
        judged = permission.judge(need, self.layers, grants)
        return permission.unasked(judged) if self.mode == "auto" else judged


def usual_permissions(_directory: str = "", _agent: str = "") -> PermissionSettings:
    """What holds where nobody has set anything."""
    return PermissionSettings()


def permissions_of(keeper: SettingsKeeper) -> Callable[[str, str], PermissionSettings]:
    """What an agent may do in a directory, as of now; "" is for those that belong to no project.

    May be asked from any thread, and may wait for the disk.
    """
    lock = threading.Lock()
    kept: dict[tuple[str, str], tuple[tuple[object, ...], PermissionSettings]] = {}

    def settings(directory: str, agent: str = "") -> PermissionSettings:
        snapshot = keeper.current(Path(directory) if directory else None)
        known = (snapshot.layers, snapshot.unread, snapshot.root)
        with lock:
            before = kept.pop((directory, agent), None)
            # The very same rules are judged by much faster than equal ones.
            now = (
                before
                if before is not None and before[0] == known
                else (known, permission_settings(snapshot, agent))
            )
            kept[directory, agent] = now
            if len(kept) > MOST_KEPT:
                del kept[next(iter(kept))]
        return now[1]

    return settings


def permission_settings(snapshot: Snapshot, agent: str = "") -> PermissionSettings:
    """What a snapshot of all settings means for what this agent may do."""
    said = snapshot.settings
    tools = dict(_free(snapshot, "tools."))
    sandbox = said.sandbox
    return PermissionSettings(
        layers=(
            *(one for layer in snapshot.layers for one in rule_layers(layer, agent)),
            *map(ask_all, snapshot.unread),
        ),
        auto_allow=_paths(snapshot, "permissions.autoAllow"),
        mode=said.permissions.mode or "ask",
        disabled_tools=frozenset(name for name, is_on in tools.items() if is_on is False),
        enabled_tools=frozenset(name for name, is_on in tools.items() if is_on is True),
        sandbox=SandboxSettings(
            commands=sandbox.commands is not False,
            interpreter=sandbox.interpreter is True,
            network=sandbox.network is True,
            writable=_paths(snapshot, "sandbox.writable"),
            readable=_paths(snapshot, "sandbox.readable"),
        ),
        environment_keep=said.environment.keep or (),
        language_servers=MappingProxyType(
            {name: _server(value) for name, value in _free(snapshot, "languageServers.")}
        ),
    )


def _free(snapshot: Snapshot, prefix: str) -> Iterator[tuple[str, object]]:
    """What is said under names that people chose."""
    for name, value in snapshot.values.items():
        if name.startswith(prefix):
            yield name.removeprefix(prefix), value


def _server(value: object) -> ServerSettings:
    if isinstance(value, bool):
        return ServerSettings(is_on=value)
    said = msgspec.convert(value, safety.Server)
    options = MappingProxyType(said.options)
    return ServerSettings(command=said.command, files=said.files, options=options)


def _paths(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Folders as they are meant: from the folder of the file that says them."""
    said = snapshot.values.get(name)
    if not isinstance(said, tuple):
        return ()
    folder = os.path.dirname(snapshot.given[name].source)  # noqa: PTH120 - all of it is text here
    return tuple(_path(one, folder) for one in said)


def _path(text: str, folder: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
    named = "$HOME"
    if text == named or text.startswith(f"{named}/"):
        text = f"{home}{text.removeprefix(named)}"
    path = os.path.join(folder, os.path.expanduser(text))  # noqa: PTH111, PTH118 - as above
    # As it is written, not as what links make of it: whoever uses it looks at both.
    return os.path.normpath(path)
