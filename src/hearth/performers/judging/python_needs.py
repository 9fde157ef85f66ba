"""Turns what code does to paths, hosts and programs into needs."""

import ast
import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from hearth.core.rules.patterns import escape
from hearth.core.vocabulary.permitting import EXTERNAL, NETWORK, READ, Need, Verdict
from hearth.performers.judging.paths import Place, path_needs, resolved, tree_needs
from hearth.performers.judging.python_commands import Shell, command_needs
from hearth.performers.judging.python_values import Known, Origin, PathAt, Several, Value, Values

RUN_CODE: Final = "run_code"
"""What code needs that nobody can see through: the permission of the tool that runs it."""
MOST_NEEDS: Final = 60
MOST_COMMANDS: Final = 60
"""More than that nobody reads, and reading them takes its time."""
NO_HOST: Final = "unknown host"

_SHOWN: Final = 120
_MOST_ENTRIES: Final = 2000
_MOST_FOLDERS: Final = 4
_ELSEWHERE: Final = "relative paths would mean something else from then on"
_STREAMS: Final = frozenset({"io.StringIO()", "io.BytesIO()", "builtins.open()", "sys.stdin"})
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(?:::|:/)")
"""`file:///etc/passwd`, `local://` and `zip::file://` are no paths in the project."""
_LEFT_OUT: Final = dict.fromkeys(map(ord, "\t\r\n"))
_STRIPPED: Final = "".join(map(chr, range(33)))
_SCHEMES: Final = ("http:", "https:", "ftp:", "ftps:", "s3:", "gs:", "gcs:", "hf:", "sftp:", "ssh:")


class Needs:
    """What a piece of code needs, as it is found out."""

    def __init__(self, source: str, place: Place) -> None:
        self._lines = source.splitlines()
        self.place = place
        self._found: dict[Need, None] = {}
        self._seen: set[tuple[str, str]] = set()
        self._commands = 0
        self._places = [place]
        self._relative: list[Callable[[Place], tuple[Need, ...]]] = []

    def all(self) -> tuple[Need, ...]:
        """Everything so far, each once."""
        if len(self._found) <= MOST_NEEDS:
            return tuple(self._found)
        # People cannot look through more than that: one question stands for the rest.
        ordered = sorted(self._found, key=lambda need: need.least is not Verdict.DENY)
        why = f"the code does {len(ordered)} things that need permission"
        rest = Need(RUN_CODE, "everything else in it", "", Verdict.ASK, Verdict.ASK, why)
        return (*ordered[:MOST_NEEDS], rest)

    @property
    def changes(self) -> bool:
        """Whether something is needed but to read."""
        return any(need.permission not in {READ, EXTERNAL} for need in self._found)

    def add(self, *needs: Need) -> None:
        """These too."""
        self._found.update(dict.fromkeys(needs))

    def doubt(self, node: ast.AST, why: str, permission: str = RUN_CODE) -> None:
        """Something that cannot be proven: a person has to look at it each time."""
        self.add(Need(permission, self.shown(node), "", Verdict.ASK, Verdict.ASK, why))

    def shown(self, node: ast.AST) -> str:
        """The code of a node, in one line, not too long."""
        line = getattr(node, "lineno", 0)
        if not 0 < line <= len(self._lines):
            return "code"
        text = self._lines[line - 1].encode()[node.col_offset :]  # type: ignore[attr-defined] # what has a line has a column
        if node.end_lineno == line:  # type: ignore[attr-defined] # see above
            text = text[: node.end_col_offset - node.col_offset]  # type: ignore[attr-defined] # see above
        shown = " ".join(text.decode("utf-8", "replace").split())
        return f"{shown[:_SHOWN]}…" if len(shown) > _SHOWN else shown or "code"

    def path(self, values: Values, permission: str, node: ast.AST, why: str) -> None:
        """A path is read or written."""
        for value in values:
            self._one_path(value, permission, node, why)

    def _one_path(self, value: Value, permission: str, node: ast.AST, why: str) -> None:
        match value:
            case Known(value=str(text)) | PathAt(path=str(text), is_below=False):
                self._at(text, permission, why)
            case Known(value=bytes(raw)):
                self._at(os.fsdecode(raw), permission, why)
            case Known(value=int(number)) if number in {0, 1, 2}:
                pass  # the standard streams; also True and False, which are no paths
            case Known(value=None):
                pass
            case PathAt(path=str(text)):
                self._below(text, permission, node, why)
            case Several(items=items):
                for item in items:
                    self.path(item, permission, node, why)
            case Origin(name=name) if name in _STREAMS:
                pass
            case _:
                self.doubt(node, f"{why}: which path cannot be seen from here", permission)

    def _at(self, path: str, permission: str, why: str) -> None:
        if (path, permission) not in self._seen:
            self._seen.add((path, permission))
            if path.startswith("/"):
                self.add(*path_needs(path, permission, self.place, why))
            else:
                self._again(lambda place: path_needs(path, permission, place, why))

    def _below(self, folder: str, permission: str, node: ast.AST, why: str) -> None:
        """Something below a folder, nobody knows what."""
        self.add(*tree_needs(folder, permission, self.place, why))
        if permission == READ and (doubt := _way_out(folder, self.place)):
            self.doubt(node, f"{why}: {doubt}", READ)

    def read_any(self, values: Values, node: ast.AST, why: str) -> None:
        """Something is read that may be a path or an address."""
        for value in values:
            text = _as_address(value.value) if isinstance(value, Known) else ""
            if text.lower().startswith(_SCHEMES):
                self.host((Known(text),), node, why)
            elif _SCHEME.match(text):
                self.doubt(node, f"{why}: what is read there cannot be seen from here", READ)
            else:
                self._one_path(value, READ, node, why)

    def host(self, values: Values, node: ast.AST, why: str) -> None:
        """Somebody elsewhere is talked to."""
        hosts = [_host_of(value) for value in values]
        for host in hosts:
            if host:
                self.add(Need(NETWORK, host, "", Verdict.ASK, Verdict.ALLOW, why, escape(host)))
        if not hosts or None in hosts:
            doubt = f"{why}: to whom cannot be seen from here ({self.shown(node)})"
            self.add(Need(NETWORK, NO_HOST, "", Verdict.ASK, Verdict.ASK, doubt))

    def command(self, text: str, why: str, folder: str = "", shell: Shell = Shell.BASH) -> None:
        """A shell runs this."""
        asked = (text, f"{shell.name} {folder}")
        if not text.strip() or asked in self._seen:
            return
        self._seen.add(asked)
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            many = f"the code starts more than {MOST_COMMANDS} commands"
            self.add(Need(RUN_CODE, "everything else in it", "", Verdict.ASK, Verdict.ASK, many))
            return
        if not folder:
            self._again(lambda place: command_needs(text, place, why, shell))
            return
        place = replace(self.place, directory=folder)
        self.add(*command_needs(text, place, why, shell))

    def folder(self, values: Values, node: ast.AST) -> None:
        """Relative paths begin elsewhere from now on: what is judged later would be wrong.

        So all that the code does is judged from both folders. What later cells do is not seen to
        be done from there: nobody is asked only if nothing is there that is not what it seems.
        """
        for value in values:
            match value:
                case Known(value=str(text)) | PathAt(path=str(text), is_below=False):
                    if (text, "") in self._seen:
                        continue
                    self._seen.add((text, ""))
                    real = resolved(text, self.place)
                    if real is None or not _is_plain_below(real, self.place):
                        self.add(*path_needs(text, EXTERNAL, self.place))
                        self.doubt(node, _ELSEWHERE)
                    elif doubt := _oddity(real):
                        self.doubt(node, f"{_ELSEWHERE}, and {doubt}")
                    if real is not None:
                        self._move(real)
                case _:
                    self.doubt(node, _ELSEWHERE)

    def _move(self, folder: str) -> None:
        place = replace(self.place, directory=folder)
        if place == self.place or place in self._places:
            return
        if len(self._places) > _MOST_FOLDERS:
            self.add(Need(RUN_CODE, "code", "", Verdict.ASK, Verdict.ASK, _ELSEWHERE))
            return
        self._places.append(place)
        for judge in self._relative:
            self.add(*judge(place))

    def _again(self, judge: Callable[[Place], tuple[Need, ...]]) -> None:
        """Judge something from every folder that the code is in, also from those that come."""
        self._relative.append(judge)
        for place in self._places:
            self.add(*judge(place))


def _is_plain_below(path: str, place: Place) -> bool:
    """Whether what is inside seen from the directory is inside seen from here too."""
    here = place.here
    if path == here:
        return True
    hidden = "/." in path[len(here) :]
    return path.startswith(f"{here}/") and not hidden and not place.is_outside(here)


def _as_address(value: object) -> str:
    """A text as libraries read it that take it for an address if it looks like one."""
    return value.translate(_LEFT_OUT).lstrip(_STRIPPED) if isinstance(value, str) else ""


def _host_of(value: Value) -> str | None:
    """The host and port that an address, a name or a pair is about; None: nobody can tell."""
    match value:
        case Known(value=str(text)):
            try:
                found = urlsplit(text if "://" in text else f"//{text}")
                host, port = found.hostname, found.port
            except ValueError:
                return None
            if not host or any(one.isspace() for one in host):
                return None
            return f"{host}:{port}" if port else host
        case Several(items=((Known(value=str(host)),), (Known(value=int(port)),))):
            return f"{host}:{port}"
        case _:
            return None


def _oddity(folder: str) -> str:
    """What below a folder is not what its name says when it is seen from elsewhere; "": nothing."""
    waiting, seen = [folder], 0
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > _MOST_ENTRIES:
                        return "there is too much below it to look for links"
                    if entry.is_symlink():
                        return f"{entry.name} below it is a link"
                    if entry.name in {".git", "HEAD"}:
                        return "a repository below it has settings of its own"
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue  # what cannot be listed by us is not found by the code either
    return ""


def _way_out(folder: str, place: Place) -> str:
    """Why something below a folder may be outside of what the folder is in; "" if nothing is."""
    top = resolved(folder, place)
    if top is None or not os.path.isdir(top):  # noqa: PTH112 - text, not a Path
        return ""
    waiting, seen = [top], 0
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > _MOST_ENTRIES:
                        return "there is too much below it to look for links that lead out"
                    if entry.is_symlink():
                        real = resolved(entry.path, place)
                        if real is None or (place.is_outside(real) and not place.is_outside(top)):
                            return f"{entry.name} below it is a link that leads elsewhere"
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue  # what cannot be listed by us is not found by the code either
    return ""
