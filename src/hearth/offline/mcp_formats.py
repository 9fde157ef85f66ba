"""Which MCP servers other programs are told of, in the files that they keep."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hearth.offline.answering import Trouble
from hearth.settings.jsonc import NotJson, read_jsonc
from hearth.settings.problems import SettingsError
from hearth.settings.reading import read_bytes

LARGEST: Final = 64 * 1024 * 1024
"""Bytes. What Claude Code keeps in its file grows with every conversation."""
PROGRAMS: Final = ("claude", "codex", "cursor", "vscode")


@dataclass(frozen=True)
class Configured:
    """One server as another program is told of it."""

    name: str
    said: Mapping[str, Any]
    file: Path
    inside: str
    """Where it stands in the file."""
    folder: Path
    """The folder that relative paths and words like `${workspaceFolder}` mean."""
    is_project: bool
    """It came with a project, not from the person."""
    is_elsewhere: bool = False
    """It is meant for another project than this one."""


@dataclass(frozen=True)
class Place:
    """A file that a program looks at."""

    file: Path
    program: str
    is_project: bool = False


def usual_places(program: str | None, root: Path, environ: Mapping[str, str]) -> list[Place]:
    """Where these programs have their files, whether they are there or not."""
    home = Path(environ.get("HOME") or Path.home())
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    library = home / "Library" / "Application Support"
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    claude = environ.get("CLAUDE_CONFIG_DIR")
    places = [
        Place(Path(claude) / ".claude.json" if claude else home / ".claude.json", "claude"),
        Place(config / "Claude" / "claude_desktop_config.json", "claude"),
        Place(library / "Claude" / "claude_desktop_config.json", "claude"),
        Place(root / ".mcp.json", "claude", is_project=True),
        Place(codex / "config.toml", "codex"),
        Place(root / ".codex" / "config.toml", "codex", is_project=True),
        Place(home / ".cursor" / "mcp.json", "cursor"),
        Place(root / ".cursor" / "mcp.json", "cursor", is_project=True),
        Place(config / "Code" / "User" / "mcp.json", "vscode"),
        Place(library / "Code" / "User" / "mcp.json", "vscode"),
        Place(root / ".vscode" / "mcp.json", "vscode", is_project=True),
    ]
    return [one for one in places if program in {None, one.program}]


def configured(place: Place, root: Path) -> list[Configured]:
    """The servers of a file; none if it is not there. Trouble if it cannot be understood."""
    try:
        content = read_bytes(place.file, LARGEST)
    except SettingsError as error:
        raise _broken(place.file, error.what) from None
    if content is None:
        return []
    if len(content) > LARGEST:
        raise _broken(place.file, f"it is larger than {LARGEST:,} bytes")
    said = _parsed(place, content)
    return [
        _one(place, root, name, one, inside)
        for inside, servers in _groups(place, said)
        for name, one in servers.items()
    ]


def _parsed(place: Place, content: bytes) -> Mapping[str, Any]:
    try:
        text = content.decode("utf-8-sig")
        is_toml = place.program == "codex" or place.file.suffix == ".toml"
        said: Any = tomllib.loads(text) if is_toml else _json(text)
    except (ValueError, RecursionError) as error:
        raise _broken(place.file, str(error)) from None
    if not isinstance(said, dict):
        raise _broken(place.file, "it holds no object")
    return said


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return read_jsonc(text).value  # with comments, as editors have them
    except NotJson as error:
        raise ValueError(f"line {error.line}: {error.message}") from None


def _groups(place: Place, said: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects in which servers stand, by where they are."""
    if "mcp_servers" in said:
        yield from _group("mcp_servers", said["mcp_servers"], place)
    if "mcpServers" in said:
        yield from _group("mcpServers", said["mcpServers"], place)
    if place.program == "vscode" or "mcpServers" not in said:
        nested = said.get("mcp")
        if isinstance(nested, dict) and "servers" in nested:
            yield from _group("mcp.servers", nested["servers"], place)
        if "servers" in said:
            yield from _group("servers", said["servers"], place)
    projects = said.get("projects")
    if place.program != "codex" and isinstance(projects, dict):
        for folder, one in projects.items():
            if isinstance(one, dict) and one.get("mcpServers"):
                yield from _group(f"projects.{folder}.mcpServers", one["mcpServers"], place)


def _group(inside: str, servers: Any, place: Place) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(servers, dict):
        raise _broken(place.file, f"{inside} is no object")
    yield inside, servers


def _one(place: Place, root: Path, name: str, said: Any, inside: str) -> Configured:
    if not isinstance(said, dict):
        said = {"": said}
    if not inside.startswith("projects."):
        folder = root if place.is_project else place.file.parent
        return Configured(name, said, place.file, inside, folder, place.is_project)
    folder = Path(inside.removeprefix("projects.").removesuffix(".mcpServers"))
    is_here = root == folder or root in folder.parents
    return Configured(
        name, said, place.file, inside, folder, is_project=False, is_elsewhere=not is_here
    )


def _broken(file: Path, why: str) -> Trouble:
    return Trouble("broken_file", f"{file} cannot be understood: {why}", "mend it, or name another")
