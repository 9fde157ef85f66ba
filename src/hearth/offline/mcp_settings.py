"""The settings that `hearth mcp` shows and changes: where they are, and how they are written."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hearth.core.rules.secrecy import is_secret
from hearth.daemon.home import TRUST, hearth_home
from hearth.offline.answering import Trouble
from hearth.offline.words import WRONG_USAGE
from hearth.settings.jsonc import Json
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import global_file
from hearth.settings.mcp import NAME, SERVERS
from hearth.settings.problems import SettingsError
from hearth.settings.reading import FILE_NAME, parse, read_bytes
from hearth.settings.roots import find_root_anyway
from hearth.settings.snapshot import Snapshot
from hearth.settings.trust import TrustBook
from hearth.settings.writing import remove_setting, write_setting

GROUP: Final = SERVERS.rstrip(".")
_REFERENCE: Final = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}")


@dataclass(frozen=True)
class Here:
    """Where somebody stands who asks: a directory, its project, and their home."""

    directory: Path
    root: Path
    home: Path

    def file(self, *, is_project: bool) -> Path:
        """The file that is changed."""
        return self.root / FILE_NAME if is_project else global_file(os.environ)

    def folder(self, path: str, *, is_project: bool) -> str:
        """A folder as it is written down, given from where the person stands.

        In their own file it stands whole; in a project's from its root, for others have it
        elsewhere. One that begins with a variable or somebody's home stays as it is.
        """
        if path.startswith(("~", "$")):
            return path
        whole = Path(os.path.normpath(Path.cwd() / path))
        if is_project and whole.is_relative_to(self.root):
            return str(whole.relative_to(self.root))
        return str(whole)

    def snapshot(self) -> Snapshot:
        """What holds here. Problems of its files are told beside."""
        book = TrustBook(self.home / TRUST)
        keeper = SettingsKeeper(global_file(os.environ), os.environ, trusted=book.is_trusted)
        snapshot = keeper.current(self.directory)
        for problem in (*snapshot.warnings, book.problem()):
            if problem is not None and (not problem.key or problem.key.startswith(GROUP)):
                say(f"warning: {problem}")
        return snapshot


def here(given: str | None = None) -> Here:
    """Where that is. Trouble."""
    try:
        directory = Path(given).expanduser().absolute() if given is not None else Path.cwd()
        is_there = directory.is_dir()
    except (OSError, RuntimeError, ValueError):
        is_there, directory = False, Path(given or ".")
    if not is_there:
        raise Trouble("no_directory", f"there is no folder {directory}", "name one with --proj")
    root, _ = find_root_anyway(directory)
    return Here(directory, root.path, Path(hearth_home()))


def servers_in(file: Path) -> dict[str, Json]:
    """The servers that a file says something of, as it is written. Trouble."""
    try:
        content = read_bytes(file)
        said = parse(content, file).value if content is not None else {}
    except SettingsError as error:
        raise troubled(error) from None
    servers = said.get(GROUP) if isinstance(said, dict) else None
    return dict(servers) if isinstance(servers, dict) else {}


def write(file: Path, name: str, value: Json) -> None:
    """Put a server into a file; all else in it stays as it is. Trouble."""
    try:
        write_setting(file, f"{SERVERS}{name}", value)
    except SettingsError as error:
        raise troubled(error) from None
    except OSError as error:
        raise _unwritable(file, error) from None


def remove(file: Path, name: str) -> bool:
    """Take a server out of a file; False if it is not in it. Trouble."""
    try:
        return remove_setting(file, f"{SERVERS}{name}")
    except SettingsError as error:
        raise troubled(error) from None
    except OSError as error:
        raise _unwritable(file, error) from None


def open_secrets(server: Mapping[str, Json]) -> list[str]:
    """The variables and headers of a server that hold a secret as it is: no reference to one."""
    groups = (server.get("env"), server.get("headers"))
    members = [pair for group in groups if isinstance(group, dict) for pair in group.items()]
    return [
        name
        for name, one in members
        if isinstance(one, str) and is_secret(name, one) and not _REFERENCE.search(one)
    ]


def check_name(name: str) -> str:
    """The name, if a server can have it. Trouble."""
    if not NAME.fullmatch(name):
        raise Trouble(
            "wrong_name",
            f"{name!r} is no name for a server",
            "right would be at most 40 letters, digits and -, like my-server",
            WRONG_USAGE,
        )
    return name


def troubled(error: SettingsError) -> Trouble:
    """What is wrong with a file, for people."""
    place = f"{error.file}:{error.line}" if error.line else str(error.file)
    key = f"{error.key}: " if error.key else ""
    return Trouble("broken_file", f"{place}: {key}{error.what}", f"right would be {error.right}")


def _unwritable(file: Path, error: OSError) -> Trouble:
    why = f"{file} cannot be written: {error.strerror or error}"
    return Trouble("not_written", why, "make it yours to write")


def say(line: str) -> None:
    """Beside the answer: that alone goes to the standard output."""
    # A name may hold what a terminal would obey.
    safe = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)
    sys.stdout.flush()
    sys.stderr.write(f"{safe}\n")
    sys.stderr.flush()
