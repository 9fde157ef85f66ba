"""Keys that people name themselves: permissions, tools, language servers, agents, MCP servers.

`permissions.execute` is one, of the family `permissions.*`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from hearth.settings.mcp_values import McpServer
from hearth.settings.safety import Rules, Server
from hearth.settings.values import Text

FREE: Final = "*"
"""Stands for any name."""
_PLAIN: Final = r"[A-Za-z0-9_-]{1,100}"
_PATTERN: Final = r"[A-Za-z0-9_*?-]{1,100}"


@dataclass(frozen=True)
class Family:
    """Keys of one kind."""

    parts: tuple[str, ...]
    """How their names are made up; FREE for what people choose."""
    type: Any
    description: str
    right: str
    name: str = _PLAIN
    """What people may choose, as a regular expression."""
    named: str = "a name of letters, digits, _ and -"
    """The same in words."""
    is_layered: bool = False
    """What every file says of such a key counts, not that of the last alone."""


_RULES: Final = (
    '"allow", "ask" or "deny", or patterns with one of these each, '
    'like {"*": "ask", "git push *": "deny"}'
)
_NAMED: Final = "a name of letters, digits, _ and -, with * and ? for others"

FAMILIES: Final = (
    Family(
        ("permissions", FREE),
        Rules,
        "What agents may do that need this permission. The last pattern that matches counts; of "
        "several files the strictest.",
        _RULES,
        _PATTERN,
        _NAMED,
        is_layered=True,
    ),
    Family(
        ("agents", FREE, "permissions", FREE),
        Rules,
        "The same for some agents only, besides what holds for all.",
        _RULES,
        _PATTERN,
        _NAMED,
        is_layered=True,
    ),
    Family(
        ("tools", FREE),
        bool,
        "Whether agents have this tool. A project can take one away, and give none.",
        "true or false",
    ),
    Family(
        ("languageServers", FREE),
        bool | Server,
        "Whether this language server is used, or how it is started and for which files.",
        'true, false or an object, like {"command": ["gopls"], "files": ["*.go"]}',
    ),
    Family(
        ("mcpServers", FREE),
        bool | McpServer,
        "An MCP server whose tools agents have: how it is started or reached, or false for none.",
        'false or an object, like {"command": "npx", "args": ["-y", "some-server"]} or '
        '{"url": "https://example.com/mcp"}',
        r"[A-Za-z0-9-]{1,40}",
        "a name of at most 40 letters, digits and -",
    ),
    Family(
        ("agents", FREE, "mcpServers"),
        tuple[Text, ...],
        "The MCP servers that these agents have, instead of those of all.",
        'a list of names of servers, like ["github"]',
        _PATTERN,
        _NAMED,
    ),
)


def family_of(name: str) -> Family | None:
    """The family that a full name belongs to, if there is one."""
    parts = name.split(".")
    return next((one for one in FAMILIES if _fits(one, parts, len(one.parts))), None)


def is_group(name: str) -> bool:
    """Whether keys of a family stand in an object of this name."""
    parts = name.split(".")
    return any(len(parts) < len(one.parts) and _fits(one, parts, len(parts)) for one in FAMILIES)


def naming(group: str) -> Family | None:
    """The family whose names are chosen in an object of this name."""
    return next((one for part, one in _next(group) if part == FREE), None)


def inside(group: str) -> tuple[str, ...]:
    """What may stand in an object of this name, and is not chosen."""
    return tuple(part for part, _ in _next(group) if part != FREE)


def _next(group: str) -> Iterator[tuple[str, Family]]:
    """How the names go on that begin with this one."""
    parts = group.split(".") if group else []
    for one in FAMILIES:
        if len(parts) < len(one.parts) and _fits(one, parts, len(parts)):
            yield one.parts[len(parts)], one


def _fits(family: Family, parts: list[str], length: int) -> bool:
    """Whether the first parts of a name are those of the family's names."""
    return len(parts) == length and all(
        re.fullmatch(family.name, part) is not None if one == FREE else one == part
        for one, part in zip(family.parts, parts, strict=False)
    )
