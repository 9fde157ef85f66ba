"""Which servers there are for an agent in a place, and why one cannot be used.

May wait for the disk.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from hearth.core.rules.scoping import Levels, effective
from hearth.performers.tools.tool import Scene
from hearth.settings.mcp import McpSettings, ServerSpec
from hearth.settings.mcp_approvals import McpApprovals


@dataclass(frozen=True)
class Bound:
    """A server as it would be used in one place."""

    spec: ServerSpec
    """With all variables filled in, and the folder it works in."""
    shown: str
    """What would run, without secrets, for people."""
    problem: str = ""
    """Why it cannot be used, and what would help."""
    state: str = ""
    """The same in a word: `disabled`, `unapproved`, `incomplete`; "" if it can be used."""

    @property
    def key(self) -> str:
        """The digest of all that decides what runs."""
        return self.spec.digest


@dataclass(frozen=True)
class Resolved:
    """What holds in one place."""

    bounds: Mapping[str, Bound] = field(default_factory=dict)
    """By name, sorted."""
    problems: tuple[str, ...] = ()
    """What is wrong with the settings, in sentences."""


@dataclass(frozen=True)
class Resolver:
    """Knows which servers an agent has."""

    settings: Callable[[str], McpSettings]
    approvals: McpApprovals
    environ: Mapping[str, str]

    def resolved(self, scene: Scene) -> Resolved:
        """The servers of an agent, those that cannot be used among them."""
        said = self.settings(scene.directory if scene.root else "")
        there_are = [name for name, spec in said.servers.items() if not spec.disabled]
        agent = said.of_agent(scene.agent) if scene.agent else None
        scope = effective(Levels(overall=said.enabled, agent=agent), there_are)
        unknown = [
            f"the MCP server {name} is wanted by the settings, but there is none of this name"
            for name in scope.unknown
            if name not in said.servers
        ]
        bounds = {name: self._bound(said.servers[name], scene.root) for name in scope.names}
        return Resolved(bounds, (*map(str, said.problems), *unknown))

    def every(self, directory: str) -> Resolved:
        """All servers of a directory, whoever has them."""
        said = self.settings(directory)
        bounds = {
            name: self._bound(spec, said.root if directory else "")
            for name, spec in sorted(said.servers.items())
        }
        return Resolved(bounds, tuple(map(str, said.problems)))

    def _bound(self, spec: ServerSpec, root: str) -> Bound:
        shown = spec.shown()
        filled, missing = spec.filled(self.environ)
        if not spec.is_http:
            home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
            filled = replace(filled, cwd=spec.cwd or root or home)
        if spec.disabled:
            return Bound(filled, shown, f"{spec.name} is disabled in {spec.source}", "disabled")
        if not self.approvals.is_approved(spec):
            why = (
                f"the MCP server {spec.name} of this project is not started before you have seen "
                f"what would run: {shown}; `hearth mcp approve {spec.name}` approves it"
            )
            return Bound(filled, shown, why, "unapproved")
        if missing:
            names = ", ".join(missing)
            why = f"the MCP server {spec.name} needs {names}, which the daemon's environment lacks"
            return Bound(filled, shown, why, "incomplete")
        return Bound(filled, shown)
