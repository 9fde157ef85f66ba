# ruff: noqa: PTH111, PTH118 - texts, not paths of this machine
"""What Python code makes of paths: joined, taken apart, looked for."""

import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final

from hearth.performers.judging.python_effects import words
from hearth.performers.judging.python_values import (
    ANYTHING,
    Known,
    Origin,
    PathAt,
    Several,
    Values,
    texts,
)

_SAME: Final = words("as_posix __fspath__ __str__")
_LONGEST: Final = 10_000
_BELOW: Final = words("iterdir walk")
_OTHERS: Final = words(
    "joinpath with_name with_suffix expanduser with_stem relative_to rename replace"
)
_TEXTS: Final[dict[str, Callable[[str], str]]] = {
    "os.path.expanduser": os.path.expanduser,
    "os.path.dirname": os.path.dirname,
    "os.path.basename": os.path.basename,
    "os.fspath": str,
    "builtins.str": str,
}


def made(  # noqa: PLR0911 - one return per function
    name: str, arguments: list[Values], here: str
) -> Values | None:
    """What a function about paths gives; None: it is not about paths."""
    match name:
        case "pathlib.Path":
            return path_of(arguments)
        case "pathlib.Path.cwd" | "os.getcwd":
            return (PathAt(here),)
        case "pathlib.Path.home":
            return (PathAt(os.path.expanduser("~")),)
        case "os.path.join":
            known = texts(path_of(arguments))
            return tuple(map(Known, known)) if known else ANYTHING
        case "os.path.abspath" | "os.path.normpath":
            known = texts(_mapped(arguments, lambda one: _whole(one, here)))
            # A link may stand before the dots: they are taken away without looking at it.
            return tuple(Known(os.path.normpath(one)) for one in known) if known else ANYTHING
        case "os.path.realpath":
            return _mapped(arguments, lambda one: _real(one, here))
        case "glob.glob" | "glob.iglob":
            return (Several((_globbed(arguments),)),)
        case _ if name in _TEXTS:
            return _mapped(arguments, _TEXTS[name])
        case _:
            return None


def part_of(path: str, name: str) -> Values | None:
    """What an attribute of a path object gives; None: it is a method, or nobody knows."""
    match name:
        case "parent":
            return (PathAt(str(PurePosixPath(path).parent)),)
        case "name":
            return (Known(PurePosixPath(path).name),)
        case _:
            return None


def from_path(  # noqa: PLR0911 - one return per kind of method
    base: PathAt, name: str, arguments: list[Values], here: str
) -> Values:
    """What a method of a path object gives, in a folder."""
    if name in _SAME:
        return (base,)
    if name in _WHOLE:
        # What is above it is not what is above the text of it.
        known = base.path is not None and not base.is_below
        return (PathAt(_WHOLE[name](base.path or "", here)),) if known else (base,)
    if name in {"glob", "rglob"}:
        return (Several((_within(base, arguments[0] if arguments else ANYTHING),)),)
    if name in _BELOW:
        return (Several(((PathAt(base.path, is_below=True),),)),)
    if name == "open":
        return (Origin("builtins.open()"),)
    if name not in _OTHERS:
        return ANYTHING
    if base.path is None or base.is_below:
        return (PathAt(None),)
    return _changed(base.path, name, arguments)


def _changed(path: str, name: str, arguments: list[Values]) -> Values:
    pure = PurePosixPath(path)
    match name:
        case "joinpath":
            return path_of([(PathAt(path),), *arguments])
        case "with_name":
            return path_of([(PathAt(str(pure.parent)),), *arguments])
        case "with_suffix" if len(arguments) == 1 and (ends := texts(arguments[0])):
            return tuple(PathAt(str(pure.parent / f"{pure.stem}{end}")) for end in ends)
        case "expanduser":
            return (PathAt(os.path.expanduser(path)),)
        case _:
            return (PathAt(None),)


def _whole(path: str, here: str) -> str:
    """It from the root on, with all dots and links that are in it."""
    return os.path.join(here, path)


def _real(path: str, here: str) -> str:
    """It as it is found on the disk, now."""
    try:
        return os.path.realpath(_whole(path, here))
    except (OSError, ValueError):
        return _whole(path, here)


_WHOLE: Final[dict[str, Callable[[str, str], str]]] = {"absolute": _whole, "resolve": _real}


def path_of(arguments: list[Values]) -> Values:
    """The path that these are the parts of, however many they may be."""
    found = [""]
    for values in arguments:
        parts = texts(values)
        if parts is None or len(found) * len(parts) > 16:
            return (PathAt(None),)
        found = [os.path.join(start, part) for start in found for part in parts]
        if max(map(len, found)) > _LONGEST:
            return (PathAt(None),)
    return tuple(PathAt(one or ".") for one in found)


def _mapped(arguments: list[Values], function: Callable[[str], str]) -> Values:
    """What a function of one text gives for each that it may be given."""
    parts = texts(arguments[0]) if len(arguments) == 1 else None
    if parts is None:
        return ANYTHING
    return tuple(Known(function(part)) for part in parts)


def _globbed(arguments: list[Values]) -> Values:
    """What is found by a pattern: something below the folder that it begins with."""
    return _within(PathAt(""), arguments[0] if arguments else ANYTHING)


def _within(base: PathAt, given: Values) -> Values:
    """What patterns find, seen from a folder."""
    patterns = texts(given)
    if patterns is None or any(_leads_away(one, base) for one in patterns):
        return (PathAt(None),)
    if base.path is None or base.is_below:
        return (PathAt(base.path, is_below=True),)
    return tuple(PathAt(_below(base.path, _fixed_part(one)), is_below=True) for one in patterns)


def found_below(base: PathAt, given: Values, *, is_deep: bool) -> Values:
    """What has to be read to find what patterns match.

    A folder, where the pattern is about what is in it; everything below it, where a part of the
    pattern that is no name can match a link to another folder, through which more is found.
    """
    patterns = texts(given)
    if patterns is None or any(_leads_away(one, base) for one in patterns):
        return (PathAt(None),)
    if base.path is None or base.is_below:
        return (base,)
    found: list[PathAt] = []
    for pattern in patterns:
        fixed = _fixed_part(pattern)
        rest = pattern.removeprefix("" if fixed == "." else fixed).strip("/").split("/")
        through = len(rest) > 1 and (is_deep or any(one != "**" for one in rest[:-1]))
        found.append(PathAt(_below(base.path, fixed), is_below=through))
    return tuple(found)


def _below(folder: str, path: str) -> str:
    return folder or path if path == "." else os.path.join(folder, path)


def _leads_away(pattern: str, base: PathAt) -> bool:
    """Whether what it finds may lie outside of the folder that its beginning names."""
    rest = pattern.split("/")
    is_magic = [any(one in part for one in "*?[") for part in rest]
    first = is_magic.index(True) if True in is_magic else len(rest)
    if base.path != "" and (pattern.startswith("/") or ".." in rest):
        return True
    return ".." in rest[first:]


def _fixed_part(pattern: str) -> str:
    """The folder below which everything lies that the pattern matches."""
    parts: list[str] = []
    for part in pattern.split("/"):
        if any(one in part for one in "*?["):
            break
        parts.append(part)
    return "/".join(parts) or ("/" if pattern.startswith("/") else ".")
