"""Which projects the person trusts: by the content of what they would run without being asked.

May wait for the disk, and may be asked from any thread.
"""

import logging
import os
import stat
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec

from hearth.settings.atomic import write_whole
from hearth.settings.instructions import NAMES
from hearth.settings.problems import Problem, SettingsError
from hearth.settings.project_file import parse_project_file
from hearth.settings.reading import FILE_NAME, read_bytes
from hearth.settings.roots import Root

START_UP: Final = ".hearthrc.py"
LARGEST_SCRIPT: Final = 10_000_000
"""Whatever is larger is no script, and is not trusted."""

_VERSION: Final = 1
_said = logging.getLogger(__name__)


@dataclass(frozen=True)
class Evidence:
    """What of a project would run, and one hash over the whole of it."""

    root: Path
    files: tuple[Path, ...]
    """Those that are there, and behind them the root's instructions for agents."""
    digest: str


@dataclass(frozen=True)
class Mistrusted:
    """Why a project was not trusted, in a sentence, and what would help."""

    why: str
    hint: str


def evidence(root: Root | Path) -> Evidence:
    """What the project in this root would run at the start of a session, as it is now.

    SettingsError for a file that cannot be read, or says something impossible: nobody can trust
    what nobody can see.
    """
    place = _place(root.path if isinstance(root, Root) else root)
    settings = read_bytes(place / FILE_NAME)
    named: list[tuple[Path, bytes | None]] = [
        (place / FILE_NAME, settings),
        (place / START_UP, _script(place / START_UP)),
    ]
    # Out of the very bytes that are hashed: read again, it could be another file by then.
    if settings is not None and (script := _init_script(settings, place)):
        named.append((script, _script(script)))
    whole = sha256(_framed(os.fsencode(place)))
    for path, content in named:
        whole.update(_framed(os.fsencode(path)))
        whole.update(b"-" if content is None else _framed(sha256(content).digest()))
    files = [path for path, content in named if content is not None]
    # Whoever trusts a project lets it instruct agents, and should see that. They are no part of the
    # hash: like the code of the project they are saved all day.
    told = (place / name for name in NAMES)
    files += [one for one in told if os.path.isfile(one)]  # noqa: PTH113 - Path.is_file may raise
    return Evidence(place, tuple(files), whole.hexdigest())


class TrustBook:
    """The file in which it is written whom the person trusts.

    A file that is broken, or that others can write to, trusts nobody; `problem` says so.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._seen: tuple[int, ...] | None = None
        self._digests: Mapping[str, str] = {}
        self._problem: Problem | None = None

    def is_trusted(self, root: Root) -> bool:
        """Whether the person trusts what this project would run now."""
        try:
            found = evidence(root)
        except SettingsError as error:
            _said.warning("%s", error)
            return False
        return self.holds(found)

    def holds(self, found: Evidence) -> bool:
        """Whether this very content is trusted."""
        with self._lock:
            return self._read().get(str(found.root)) == found.digest

    def problem(self) -> Problem | None:
        """Why the book trusts nobody although it is there."""
        with self._lock:
            self._read()
            return self._problem

    def trust(self, root: Path, digest: str) -> Evidence | Mistrusted:
        """Trust a project, if it is still what somebody looked at: the digest says what that was.

        OSError if it cannot be written down; then nothing has changed.
        """
        try:
            found = evidence(root)
        except SettingsError as error:
            return Mistrusted(str(error), "mend that file, then look at the project again")
        if found.digest != digest:
            return Mistrusted(
                f"{found.root} is not what was looked at: its files have changed since then",
                "look at the project again, then trust it",
            )
        with self._lock:
            self._write({**self._read(), str(found.root): found.digest})
        return found

    def forget(self, root: Path) -> bool:
        """Trust a project no longer; False if nobody did. OSError, SettingsError."""
        place = str(_place(root))
        with self._lock:
            digests = dict(self._read())
            was_there = digests.pop(place, None) is not None
            if was_there:
                self._write(digests)
        return was_there

    def _read(self) -> Mapping[str, str]:
        """What is in the file; read again only when it has changed."""
        try:
            now = self._file.stat()
        except FileNotFoundError:
            self._seen, self._digests, self._problem = None, {}, None
            return self._digests
        except OSError as error:
            self._problem = self._unusable(f"cannot be read: {error.strerror}", "").problem()
            self._seen, self._digests = None, {}
            return self._digests
        seen = (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns)
        if seen == self._seen:
            return self._digests
        try:
            self._digests, self._problem = self._parsed(now), None
        except SettingsError as error:
            self._digests, self._problem = {}, error.problem()
            _said.warning("%s", error)
        self._seen = seen
        return self._digests

    def _parsed(self, now: os.stat_result) -> Mapping[str, str]:
        if now.st_uid != os.geteuid() or now.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise self._unusable("others could write to it", "a file that is yours alone: 0600")
        content = read_bytes(self._file) or b""
        try:
            said: Any = msgspec.json.decode(content)
            if said["version"] != _VERSION:
                raise self._unusable("is of another version", f"version {_VERSION}")
            return msgspec.convert(said["trusted"], dict[str, str])
        except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError):
            raise self._unusable("is broken", "to trust the projects again") from None

    def _unusable(self, what: str, right: str) -> SettingsError:
        return SettingsError(self._file, f"{what}; no project is trusted", right)

    def _write(self, digests: Mapping[str, str]) -> None:
        if self._problem is not None:
            # Kept for whoever wants to know what was in it. And a new file has a mode of its own.
            self._file.replace(self._file.with_name(f"{self._file.name}.broken"))
        said = {"version": _VERSION, "trusted": dict(sorted(digests.items()))}
        write_whole(self._file, msgspec.json.format(msgspec.json.encode(said)) + b"\n", 0o600)
        self._seen = None


def _place(root: Path) -> Path:
    """A folder by the one name that all its links lead to."""
    try:
        return Path(os.path.realpath(root))
    except ValueError as error:  # a path that no system takes
        raise SettingsError(root, f"cannot be looked at: {error}", "a folder of yours") from None


def _init_script(settings: bytes, root: Path) -> Path | None:
    file = root / FILE_NAME
    said = parse_project_file(settings, file).init_script
    try:
        return root / Path(said).expanduser() if said else None
    except RuntimeError as error:  # `~somebody`, and there is nobody of this name
        raise SettingsError(file, str(error), "a path", "session.initScript") from None


def _script(path: Path) -> bytes | None:
    content = read_bytes(path, LARGEST_SCRIPT)
    if content is not None and len(content) > LARGEST_SCRIPT:
        raise SettingsError(path, f"is larger than {LARGEST_SCRIPT:,} bytes", "a script")
    return content


def _framed(part: bytes) -> bytes:
    """A part that cannot be mistaken for the end of one and the start of another."""
    return len(part).to_bytes(8, "big") + part
