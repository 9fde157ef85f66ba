"""A server with tools of every kind, as those of tests that need no process of their own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, TypeAlias

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.performers.tools.tool import Outcome, Scene, Wanted

PNG: Final = b"\x89PNG\r\n\x1a\n and so on"
PICTURE: Final = Blob(sha256(PNG).hexdigest(), len(PNG), "image/png")
NUMBER: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "wheels": {"type": "integer", "description": "how many of them"},
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "note": {"type": "string", "default": ""},
    },
    "required": ["wheels"],
}
ANYTHING: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}


@dataclass(frozen=True)
class Definition:
    """What a server says about a tool."""

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=lambda: ANYTHING)


Call: TypeAlias = Callable[[str, str, dict[str, Any]], Awaitable[Outcome]]
OFFERED: Final = (
    Definition("turn", "Turn some wheels.", NUMBER),
    Definition(
        "say-it", "Say it back.", {"type": "object", "properties": {"text": {"type": "string"}}}
    ),
    Definition("paint", "Paint."),
    Definition("break", "Break."),
    Definition("grind", "Take for ever."),
    Definition(
        "flood", "Say much.", {"type": "object", "properties": {"bytes": {"type": "integer"}}}
    ),
    Definition("risky", "Ask first."),
    Definition("forbidden", "Never."),
)


class Mill:
    """Servers of one name, as the pool of them has it."""

    def __init__(self) -> None:
        self.called: list[tuple[str, str, dict[str, Any]]] = []
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()
        self.go_on = asyncio.Event()
        self.problems: tuple[str, ...] = ()
        self.offered: dict[str, Sequence[Definition]] = {"the-mill": OFFERED}
        self.at_once = self.most_at_once = 0

    async def prepare(self, scene: Scene) -> tuple[str, ...]:
        """Everything is known already."""
        del scene
        return self.problems

    def catalogue(self, scene: Scene) -> Mapping[str, Sequence[Definition]]:
        """What the mill can do."""
        del scene
        return self.offered

    def tool(self, name: str, scene: Scene) -> "MillTool | None":
        """One of them, by its full name."""
        del scene
        return next((MillTool(one, self.call) for one in OFFERED if name.endswith(one.name)), None)

    async def call(  # noqa: PLR0911 - one return per tool
        self, server: str, tool: str, arguments: dict[str, Any]
    ) -> Outcome:
        """Do it."""
        self.called.append((server, tool, arguments))
        match tool:
            case "turn":
                return Outcome("turned", structured={"turned": arguments.get("wheels")})
            case "say-it":
                return Outcome(str(arguments.get("text")))
            case "paint":
                return Outcome("", pictures=(PICTURE,))
            case "break":
                return Outcome("a cog is missing", is_error=True)
            case "grind":
                return await self._grind()
            case "flood":
                return Outcome("x" * int(arguments["bytes"]))
            case _:
                return Outcome("done")

    async def _grind(self) -> Outcome:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise
        finally:
            self.at_once -= 1
        return Outcome("ground")


class MillTool:
    """One of them as agents have it."""

    read_only = False

    def __init__(self, definition: Definition, call: Call | None = None) -> None:
        self._definition = definition
        self._call = call
        self.name = f"the-mill__{definition.name}"
        self.description = definition.description or "It does something."
        self.input_schema = definition.input_schema

    def is_offered(self, scene: Scene) -> bool:
        """Everywhere."""
        del scene
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """As an MCP tool: by its name, and asked for."""
        del arguments, scene
        name = self._definition.name
        return Wanted((Need(self.name, name, usual=Verdict.ASK, pattern=name),))

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Have the mill do it."""
        del scene
        assert self._call is not None, "agents do not call it themselves in these tests"
        return await self._call("the-mill", self._definition.name, arguments)


MILL_TOOLS: Final = tuple(map(MillTool, OFFERED))
