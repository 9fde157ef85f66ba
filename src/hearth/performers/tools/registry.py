"""Which tools there are, and how models are told of them: always in the same bytes."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from hearth.core.rules.tooling import DECLARED, Declaration
from hearth.performers.tools.tool import Scene, Tool

_FIT: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OF_THE_SESSION: Final = frozenset(one.name for one in DECLARED)


IsOff: TypeAlias = Callable[[Scene, str], bool]
"""Whether the tool of a name is switched off. May wait for the disk."""


class Source(Protocol):
    """Tools that are not the same everywhere and always."""

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        """Find out what there is here, within bounds; what is wrong, in sentences. Never raises."""

    def tools(self, scene: Scene) -> Sequence[Tool]:
        """Those that agents are told of here. May wait for the disk."""

    def tool(self, name: str, scene: Scene) -> Tool | None:
        """One by its name, whether agents are told of it or not. May wait for the disk."""


def _never(_scene: Scene, _name: str) -> bool:
    return False


class _Told(msgspec.Struct, frozen=True):
    """A tool as it stands in a request."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Offered:
    """The tools that agents may call in one place."""

    declarations: str
    """JSON: a list of objects with name, description and input_schema, sorted by name."""
    names: tuple[str, ...]
    """Sorted."""
    read_only: tuple[str, ...]
    """The names of those that change nothing."""
    switched_off: tuple[str, ...] = ()
    """The names of the session's own that are not among them."""


class Registry:
    """Knows every tool by its name. ValueError for names that models could not tell apart."""

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        is_off: IsOff = _never,
        sources: Sequence[Source] = (),
    ) -> None:
        """`is_off` says which are switched off somewhere, also of the session's own.

        Of `sources` are those that there are in some places only.
        """
        self._is_off = is_off
        self._sources = sources
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if not _FIT.fullmatch(tool.name):
                raise ValueError(f"{tool.name!r} is no name that every provider takes")
            if tool.name in self._tools or tool.name in _OF_THE_SESSION:
                raise ValueError(f"there are two tools of the name {tool.name}")
            self._tools[tool.name] = tool

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        """Find out what there is here before it is told; what is wrong, in sentences."""
        return tuple([said for one in self._sources for said in await one.prepare(scene)])

    def tool(self, name: str, scene: Scene) -> Tool | None:
        """The tool of this name, if it is one of ours. May wait for the disk."""
        if name in self._tools or name in _OF_THE_SESSION:
            return self._tools.get(name)
        found = (one.tool(name, scene) for one in self._sources)
        return next((tool for tool in found if tool is not None), None)

    def offers(self, tool: Tool, scene: Scene) -> bool:
        """Whether a tool may be called here. May wait for the disk."""
        return tool.is_offered(scene) and not self._is_off(scene, tool.name)

    def may_be_called(self, name: str, scene: Scene) -> bool:
        """Whether there is a tool of this name here. May wait for the disk."""
        if (tool := self.tool(name, scene)) is not None:
            return self.offers(tool, scene)
        return name in _OF_THE_SESSION and not self._is_off(scene, name)

    def offered(self, scene: Scene) -> Offered:
        """What may be called here, with all that must be known of it. May wait for the disk."""
        declared = self._declared(scene)
        told = [_Told(one.name, one.description, one.input_schema) for one in declared]
        return Offered(
            msgspec.json.encode(told, order="deterministic").decode(),
            tuple(one.name for one in declared),
            tuple(one.name for one in declared if one.read_only),
            tuple(sorted(_OF_THE_SESSION - {one.name for one in declared})),
        )

    def _declared(self, scene: Scene) -> list[Declaration]:
        ours = (
            Declaration(one.name, one.description, dict(one.input_schema), one.read_only)
            for one in (*self._tools.values(), *self._others(scene))
            if self.offers(one, scene)
        )
        own = (one for one in DECLARED if not self._is_off(scene, one.name))
        return sorted((*own, *ours), key=lambda one: one.name)

    def _others(self, scene: Scene) -> Iterator[Tool]:
        """The tools of sources whose names are nobody else's, and fit."""
        taken = {*self._tools, *_OF_THE_SESSION}
        for source in self._sources:
            for tool in source.tools(scene):
                if tool.name not in taken and _FIT.fullmatch(tool.name):
                    taken.add(tool.name)
                    yield tool
