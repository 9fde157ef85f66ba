"""Which servers there are for an agent in a place, and why one cannot be used.

May wait for the disk.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hearth.core.rules.scoping import Levels, Scope, effective
from hearth.core.vocabulary.ids import SessionId
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


def unchosen(_session: SessionId) -> tuple[str, ...] | None:
    """What was chosen for a session where nobody chooses."""
    return None


@dataclass(frozen=True)
class Resolver:
    """Knows which servers an agent has."""

    settings: Callable[[str], McpSettings]
    approvals: McpApprovals
    environ: Mapping[str, str]
    chosen: Callable[[SessionId], tuple[str, ...] | None] = unchosen
    """By a person, for a session; None: nothing is said of it."""

    def resolved(self, scene: Scene) -> Resolved:
        """The servers of an agent, those that cannot be used among them."""
        said = self.settings(scene.directory if scene.root else "")
        there_are = [name for name, spec in said.servers.items() if not spec.disabled]
        agent = said.of_agent(scene.agent) if scene.agent else None
        session = self.chosen(scene.session)
        scope = effective(Levels(overall=said.enabled, session=session, agent=agent), there_are)
        is_chosen = session is not None and agent is None
        problems = [*map(str, said.problems), *_missing(scope, said, is_chosen=is_chosen)]
        if session is not None and agent is not None and frozenset(session) != frozenset(agent):
            problems.append(
                f"the MCP servers that were chosen for this session do not count for {scene.agent}:"
                " the settings name its own, in agents"
            )
        bounds = {name: self._bound(said.servers[name], scene.root) for name in scope.names}
        return Resolved(bounds, tuple(problems))

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


def _missing(scope: Scope, said: McpSettings, *, is_chosen: bool) -> Iterator[str]:
    """What is wanted and is not there, in sentences."""
    by = "chosen for this session" if is_chosen else "wanted by the settings"
    for name in scope.unknown:
        if name not in said.servers:
            yield f"the MCP server {name} is {by}, but there is none of this name"
        elif is_chosen:  # of what the settings both name and disable they say so themselves
            where = said.servers[name].source
            yield f"the MCP server {name} is {by}, but it is disabled in {where}"
