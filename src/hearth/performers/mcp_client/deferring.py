"""Many tools behind two: one that finds them, and one that calls what was found.

The declarations of all would be most of a request, and of no use for nearly all questions. These
two are always declared in the same words, so that what stands before a conversation stays the same
whatever servers offer.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from hearth.performers.tools.arguments import NotValid, parsed
from hearth.performers.tools.tool import Outcome, Scene, Tool, Wanted

FIND_TOOLS: Final = "find_tools"
CALL_TOOL: Final = "call_tool"
MOST_DECLARED: Final = 24
MOST_BYTES: Final = 16 * 1024
"""With more tools than this, or more to be said of them, they are deferred."""
MOST_FOUND: Final = 8
LONGEST: Final = 24_000
_WORD: Final = re.compile(r"[a-z0-9]+")
_SHORTEST: Final = 3

Found = Callable[[Scene], Sequence[Tool]]
"""All tools of servers in a scene. May wait for the disk."""


def is_too_much(tools: Sequence[Tool]) -> bool:
    """Whether so many tools should not all be declared."""
    if len(tools) > MOST_DECLARED:
        return True
    told = [[one.name, one.description, one.input_schema] for one in tools]
    return len(msgspec.json.encode(told)) > MOST_BYTES


def best(tools: Sequence[Tool], query: str, most: int = MOST_FOUND) -> list[Tool]:
    """Those that the words of a query are about, the best first."""
    words = set(_words(query))
    texts = [Counter(_words(f"{one.name} {one.name} {one.description}")) for one in tools]
    holding = Counter(word for text in texts for word in set(text))
    scored = []
    for tool, text in zip(tools, texts, strict=True):
        length = sum(text.values()) or 1
        score = sum(
            math.log(1 + len(tools) / holding[word]) * text[word] / (text[word] + 0.5 + length / 50)
            for word in words
            if word in text
        )
        if score > 0:
            scored.append((-score, tool.name, tool))
    return [tool for _, _, tool in sorted(scored, key=lambda one: one[:2])[:most]]


class FindTools:
    """Finds tools by what they are good for."""

    name = FIND_TOOLS
    description = (
        "Find tools of the connected MCP servers, by words for what you want to do. Answers with "
        "their names, descriptions and arguments; call one with call_tool. An empty query lists "
        'the names of all. Example: {"query": "open issues"}'
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"query": {"type": "string", "maxLength": 1000}},
        "required": ["query"],
        "additionalProperties": False,
    }
    read_only = True

    def __init__(self, tools: Found) -> None:
        self._tools = tools

    def is_offered(self, _scene: Scene) -> bool:
        """Whoever has it here has it."""
        return True

    def wants(self, _arguments: dict[str, Any], _scene: Scene) -> Wanted:
        """Nothing: it tells what servers that are allowed here have told."""
        return Wanted()

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Look for them."""
        return Outcome(await asyncio.to_thread(self._found, arguments["query"], scene))

    def _found(self, query: str, scene: Scene) -> str:
        """All that servers say of their tools is looked through, which may be megabytes."""
        tools = self._tools(scene)
        if not query.strip():
            return f"There are {len(tools)}:\n" + "\n".join(one.name for one in tools)
        found = best(tools, query)
        if not found:
            return "No tool is about these words. Try others, or an empty query for all names."
        return _told(found)


class CallTool:
    """Calls a tool that was found, judged as that tool itself."""

    name = CALL_TOOL
    description = (
        "Call a tool of an MCP server by the name that find_tools told, with the arguments that it "
        'takes. Example: {"name": "github__search", "arguments": {"query": "bug"}}'
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self, tools: Found) -> None:
        self._tools = tools

    def is_offered(self, _scene: Scene) -> bool:
        """Whoever has it here has it."""
        return True

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        """What the tool itself wants."""
        found = self._found(arguments, scene)
        if isinstance(found, str):
            return Wanted(problem=found)
        return found.wants(_given(found, arguments), scene)

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        """Run the tool itself."""
        found = await asyncio.to_thread(self._found, arguments, scene)
        if isinstance(found, str):
            return Outcome(found, is_error=True)
        return await found.run(_given(found, arguments), scene)

    def _found(self, arguments: dict[str, Any], scene: Scene) -> Tool | str:
        tools, name = self._tools(scene), arguments["name"]
        for one in tools:
            if one.name == name:
                return one
        near = ", ".join(one.name for one in best(tools, name, 3)) or "none is like it"
        return f"There is no tool {name[:100]} here. Nearest: {near}. {FIND_TOOLS} finds others."


def _given(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments for the tool itself. NotValid, with what it takes."""
    text = msgspec.json.encode(arguments.get("arguments", {})).decode()
    try:
        return parsed(text, tool.input_schema)
    except NotValid as wrong:
        takes = msgspec.json.encode(tool.input_schema).decode()[:4000]
        raise NotValid(f"{wrong}; {tool.name} takes {takes}") from None


def _told(found: Sequence[Tool]) -> str:
    """As many declarations as fit, one line each, the best first."""
    lines: list[str] = []
    room = LONGEST
    for tool in found:
        told = {
            "name": tool.name,
            "description": tool.description,
            "arguments": tool.input_schema,
        }
        line = msgspec.json.encode(told).decode()
        if lines and len(line) > room:
            break
        lines.append(line)
        room -= len(line)
    return "\n".join(lines)


def _words(text: str) -> list[str]:
    """The words of a text, each without the ending of a plural."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).lower()
    found = _WORD.findall(split)
    return [one.removesuffix("s") if len(one) > _SHORTEST else one for one in found]
