"""`find`: what it looks at, and what it has done to what it finds."""

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from hearth.performers.judging.shell.proving import Argument, Call, Reads, Unproven

_ALONE: Final = frozenset(
    {
        "-empty", "-depth", "-d", "-mount", "-xdev", "-prune", "-print", "-print0", "-ls", "-quit",
        "-not", "!", "-a", "-and", "-o", "-or", "(", ")", ",", "-true", "-false", "-nouser",
        "-nogroup", "-readable", "-writable", "-executable", "-daystart", "-noleaf", "-warn",
        "-nowarn", "-ignore_readdir_race", "-noignore_readdir_race", "--version", "--help",
    }
)  # fmt: skip
_WITH_TEXT: Final = frozenset(
    {
        "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex",
        "-regextype", "-type", "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime",
        "-cmin", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid", "-links",
        "-inum", "-lname", "-ilname", "-used", "-fstype", "-printf",
    }
)  # fmt: skip
_WITH_TIME: Final = re.compile(r"-newer[aBcm]t\Z")
_WITH_PATH: Final = re.compile(r"-(?:newer|anewer|cnewer|samefile|newer[aBcm][aBcm])\Z")
_RUNNING: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


@dataclass(frozen=True, slots=True)
class Run:
    """A command that find runs on what it finds; `{}` is that."""

    arguments: tuple[Argument, ...]


def runs(arguments: tuple[Argument, ...]) -> tuple[Run, ...]:
    """The commands that find is told to run."""
    found: list[Run] = []
    left = list(arguments)
    while left:
        if left.pop(0).text not in _RUNNING:
            continue
        command: list[Argument] = []
        while left:
            argument = left.pop(0)
            if argument.text == ";" or (
                argument.text == "+" and command and command[-1].text == "{}"
            ):
                break
            command.append(argument)
        found.append(Run(tuple(command)))
    return tuple(found)


class Find(NamedTuple):
    """What `find` is told."""

    starts: tuple[str, ...]
    """Where it begins."""
    tests: tuple[tuple[str, str], ...]
    """What it asks about each file, with what follows that."""


def find(call: Call) -> Reads:
    """`find` with nothing that writes, deletes, runs or follows links."""
    found = told(call.texts())
    paths = tuple(value for name, value in found.tests if _WITH_PATH.match(name))
    return Reads(paths, found.starts)


def told(texts: tuple[str, ...]) -> Find:
    """What these words mean to `find`. Raises Unproven for what may do more than look."""
    left = list(reversed(texts))
    while left and left[-1] in {"-P", "-H"}:
        left.pop()
    if left and left[-1] in {",", ")"}:
        raise Unproven(f"{left[-1]} is a file to find, where it comes first")
    starts: list[str] = []
    while left and not left[-1].startswith(("-", "(", "!", ",", ")")):
        starts.append(left.pop())
    tests: list[tuple[str, str]] = []
    while left:
        word = left.pop()
        if word in _ALONE:
            tests.append((word, ""))
            continue
        if not (_WITH_PATH.match(word) or word in _WITH_TEXT or _WITH_TIME.match(word)):
            raise Unproven(f"{word} of find is not known to be harmless")
        if not left:
            raise Unproven(f"something is missing behind {word}")
        tests.append((word, left.pop()))
    return Find(tuple(starts) or (".",), tuple(tests))
