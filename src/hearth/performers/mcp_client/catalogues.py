"""What servers offered when they were last asked: kept in hearth's home, by what runs.

So a turn knows its tools without a server being started, and in the same words as before. A tool
whose definition changed keeps the one that was accepted, until a person has allowed a call of it.

May wait for the disk, and may be asked from any thread.
"""

import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from hearth.performers.mcp_client.definitions import ToolDefinition
from hearth.settings.atomic import write_whole
from hearth.settings.problems import SettingsError
from hearth.settings.reading import read_bytes

FOLDER: Final = "mcp-catalogues"
LARGEST: Final = 32 * 1024 * 1024
MOST_KEPT: Final = 200
"""So many are kept in memory, and in the folder."""
_said = logging.getLogger(__name__)


@dataclass(frozen=True)
class Catalogue:
    """The tools of one server."""

    accepted: tuple[ToolDefinition, ...] = ()
    """As agents are told of them."""
    changed: tuple[ToolDefinition, ...] = ()
    """Those that the server describes otherwise by now, as it describes them."""
    vanished: frozenset[str] = frozenset()
    """The full names of those that it no longer has."""

    @property
    def offered(self) -> tuple[ToolDefinition, ...]:
        """Those that agents are told of."""
        return tuple(one for one in self.accepted if one.full_name not in self.vanished)

    def change_of(self, name: str) -> ToolDefinition | None:
        """What a tool is by now, if that is not what was accepted."""
        return next((one for one in self.changed if one.full_name == name), None)

    def with_listing(self, listed: Iterable[ToolDefinition]) -> "Catalogue":
        """The same after the server was asked again. What is new is accepted: nobody knew it."""
        now = {one.full_name: one for one in listed}
        before = {one.full_name: one for one in self.accepted}
        new = [one for name, one in now.items() if name not in before]
        return Catalogue(
            accepted=tuple(sorted((*self.accepted, *new), key=lambda one: one.full_name)),
            changed=tuple(
                one
                for name, one in now.items()
                if name in before and before[name].digest != one.digest
            ),
            vanished=frozenset(before) - frozenset(now),
        )

    def with_accepted(self, name: str) -> "Catalogue":
        """The same after a person allowed a tool that had changed."""
        change = self.change_of(name)
        if change is None:
            return self
        return replace(
            self,
            accepted=tuple(change if one.full_name == name else one for one in self.accepted),
            changed=tuple(one for one in self.changed if one.full_name != name),
        )


class _Stored(msgspec.Struct, frozen=True):
    version: int
    accepted: tuple[ToolDefinition, ...]
    changed: tuple[ToolDefinition, ...] = ()
    vanished: tuple[str, ...] = ()


class Catalogues:
    """Every catalogue by the digest of what runs."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER
        self._lock = threading.Lock()
        self._known: dict[str, Catalogue | None] = {}

    def of(self, key: str) -> Catalogue | None:
        """What is known of a server; None if it was never asked."""
        with self._lock:
            if key not in self._known:
                self._put(key, self._read(key))
            return self._known[key]

    def listed(self, key: str, tools: Iterable[ToolDefinition]) -> Catalogue:
        """Remember what a server offers now."""
        with self._lock:
            before = self._known.get(key) or self._read(key)
            now = (before or Catalogue()).with_listing(tools)
            self._put(key, now)
            if now != before:
                self._write(key, now)
            return now

    def accept(self, key: str, name: str) -> None:
        """Take a changed definition for the one that counts."""
        with self._lock:
            before = self._known.get(key) or self._read(key)
            if before is not None and (now := before.with_accepted(name)) != before:
                self._put(key, now)
                self._write(key, now)

    def _put(self, key: str, catalogue: Catalogue | None) -> None:
        self._known.pop(key, None)
        self._known[key] = catalogue
        if len(self._known) > MOST_KEPT:
            del self._known[next(iter(self._known))]

    def _read(self, key: str) -> Catalogue | None:
        try:
            content = read_bytes(self._folder / f"{key}.json", LARGEST)
            if content is None:
                return None
            found = msgspec.json.decode(content, type=_Stored)
        except (SettingsError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            _said.warning("a catalogue of tools cannot be read, and is asked for anew: %s", error)
            return None
        if found.version != 1:
            return None
        return Catalogue(found.accepted, found.changed, frozenset(found.vanished))

    def _write(self, key: str, catalogue: Catalogue) -> None:
        vanished = tuple(sorted(catalogue.vanished))
        stored = _Stored(1, catalogue.accepted, catalogue.changed, vanished)
        try:
            write_whole(self._folder / f"{key}.json", msgspec.json.encode(stored), 0o600)
            self._tidy()
        except OSError as error:
            # It is asked for again by the next daemon; nothing else is lost.
            _said.warning("a catalogue of tools cannot be kept: %s", error.strerror)

    def _tidy(self) -> None:
        """Forget those that were written longest ago, if there are too many."""
        files = sorted(self._folder.glob("*.json"), key=lambda one: one.stat().st_mtime_ns)
        for file in files[:-MOST_KEPT]:
            file.unlink(missing_ok=True)
