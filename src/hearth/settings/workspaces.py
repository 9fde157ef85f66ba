"""Workspaces: files in which a folder lists the projects that belong together.

Known by name: uv, hatch and rye workspaces; PDM, pixi and whatever else keeps a list `members`
directly in its table or in a table `workspace` below it; poetry, which lists members as path
dependencies for development.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hearth.settings.problems import SettingsError
from hearth.settings.reading import read_bytes

FILES: Final = ("hatch.toml", "pixi.toml", "pyproject.toml", "workspace.toml")
"""Where members may be listed; sorted, for the first one counts."""

LARGEST: Final = 10_000_000
"""Bytes of such a file: a link under its name may lead to something without end."""
_MOST: Final = 500


@dataclass(frozen=True)
class Workspace:
    """A file that lists members, and the folders these are."""

    file: Path
    members: tuple[Path, ...]
    missing: tuple[str, ...]
    """What is listed and leads to no folder."""


@dataclass(frozen=True)
class Workspaces:
    """What a folder's workspace files say."""

    found: tuple[Workspace, ...] = ()
    """By name; the first one counts."""
    notices: tuple[str, ...] = ()


def workspaces_in(folder: Path) -> Workspaces:
    """The workspaces that files of this very folder describe."""
    found, notices = [], []
    for name in FILES:
        content, problem = read_toml(folder / name)
        if problem:
            notices.append(problem)
        lists = list(_member_lists(content))
        if lists:
            found.append(_workspace(folder / name, lists))
    if len(found) > 1:
        names = ", ".join(one.file.name for one in found)
        notices.append(f"several workspace files in {folder}: {names}; {found[0].file.name} counts")
    return Workspaces(tuple(found), tuple(notices))


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """What a TOML file says, and what was wrong with it. A file that is not there says nothing."""
    try:
        content = read_bytes(path, LARGEST)
        if content is not None and len(content) > LARGEST:
            return {}, f"{path}: is larger than {LARGEST:,} bytes"
        return tomllib.loads((content or b"").decode("utf-8-sig")), ""
    except SettingsError as error:
        return {}, f"{path}: {error.what}"
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, f"{path}: {error}"


def table(content: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The table at the end of `keys`; empty where there is none."""
    found: Any = content
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return dict(found) if isinstance(found, Mapping) else {}


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list; nothing if it is none."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _member_lists(content: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each list of members with what it excludes, both as patterns of paths."""
    tools = [content, *(table(content, "tool", name) for name in table(content, "tool"))]
    environments = [
        table(tool, "envs", name) for tool in tools for name in table(tool, "envs")
    ]  # hatch has a workspace per environment
    for tool in (*tools, *environments):
        for place in (tool, table(tool, "workspace")):
            members = _members(place.get("members"))
            if members:
                yield members, texts(place.get("exclude"))
    if paths := tuple(_poetry_paths(table(content, "tool", "poetry"))):
        yield paths, ()


def _members(value: object) -> tuple[str, ...]:
    """Patterns, or (hatch) tables with a path each."""
    if not isinstance(value, list):
        return ()
    tables = tuple(str(table(one).get("path", "")) for one in value if isinstance(one, dict))
    return (*texts(value), *filter(None, tables))


def _poetry_paths(poetry: Mapping[str, Any]) -> Iterator[str]:
    groups = [table(poetry, "group", name) for name in table(poetry, "group")]
    for one in (poetry, *groups):
        for wanted in table(one, "dependencies").values():
            path = wanted.get("path") if isinstance(wanted, dict) else None
            # Members are worked on in place; anything else with a path is a mere archive.
            if isinstance(path, str) and wanted.get("develop"):
                yield path


def _workspace(file: Path, lists: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> Workspace:
    members: dict[Path, None] = {}
    missing = []
    for patterns, excluded in lists:
        out = {path for pattern in excluded for path in _matching(file.parent, pattern)}
        for pattern in patterns:
            paths = _matching(file.parent, pattern)
            if not paths:
                missing.append(pattern)
            members.update(dict.fromkeys(path for path in paths if path not in out))
    return Workspace(file, tuple(members)[:_MOST], tuple(missing))


def _matching(folder: Path, pattern: str) -> list[Path]:
    """The folders a pattern leads to, sorted."""
    plain = folder / pattern
    if not any(sign in pattern for sign in "*?["):
        # poetry's members may lie beside the folder, so `..` is taken out by hand.
        return [plain.resolve()] if plain.is_dir() else []
    try:
        found = sorted(folder.glob(pattern.rstrip("/")))
    except (ValueError, NotImplementedError, OSError):
        return []  # a pattern that means nothing: told as missing
    return [one for one in found if one.is_dir() and not one.name.startswith(".")]
