"""Sessions as files for tools of others: in one folder of the home, and nowhere else."""

import asyncio
import contextlib
import os
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from hearth.core.vocabulary.ids import SessionId
from hearth.log.archive import export_session, import_session
from hearth.log.archive_format import Archive, BadArchive, Exported
from hearth.log.event_log import EventLog, LogError, StoreDown
from hearth.servers.mcp.outside import ArchiveTrouble, ExportMade

FOLDER: Final = "exports"
LARGEST: Final = 1024**3
"""Bytes of a file that is imported."""
GIVING: Final = {"approval_answered": "grants", "servers_chosen": "servers"}
"""Events by which a person gives an agent something for a whole session, and the field of it."""
_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}\.jsonl")


class SessionArchives:
    """The folder `exports` of the home. What lies there is for this user alone."""

    def __init__(self, home: Path, log: EventLog) -> None:
        self._folder = home / FOLDER
        self._log = log

    async def export(self, session: SessionId) -> ExportMade:
        """Write a session as it stands into a new file there. ArchiveTrouble."""
        now = datetime.now(UTC)
        name = f"{session}-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(2)}.jsonl"
        try:
            await asyncio.to_thread(self._made)
            written = await export_session(self._log, session, self._folder / name, now)
            size = await asyncio.to_thread(_private, written.path)
        except StoreDown as down:
            raise ArchiveTrouble("store_unavailable", str(down)) from down
        except LogError as wrong:
            raise ArchiveTrouble("not_exported", str(wrong)) from wrong
        except OSError as error:
            raise self._unwritable(error) from error
        return ExportMade(name, str(written.path), written.events, size, written.digest)

    async def content(self, file: str, most: int) -> str | None:
        """What an export says, if it is not longer than so many bytes. ArchiveTrouble."""
        path = self._at(file)
        return await asyncio.to_thread(_content, path, most)

    async def take(self, file: str, session: SessionId) -> int:
        """A file there as a new session; how many events it has. ArchiveTrouble."""
        return await self._taken(self._at(file), session)

    async def take_content(self, content: str, session: SessionId) -> int:
        """The same with what an export says. ArchiveTrouble."""
        path = self._folder / f".{secrets.token_hex(8)}.import"
        try:
            await asyncio.to_thread(self._written, path, content)
            return await self._taken(path, session)
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(path.unlink)

    async def _taken(self, path: Path, session: SessionId) -> int:
        try:
            await asyncio.to_thread(_check, path)
            return await import_session(self._log, path, session)
        except BadArchive as bad:
            raise ArchiveTrouble("bad_archive", f"line {bad.line}: {bad.why}") from bad
        except StoreDown as down:
            raise ArchiveTrouble("store_unavailable", str(down)) from down
        except LogError as wrong:
            raise ArchiveTrouble("not_imported", str(wrong)) from wrong

    def _at(self, file: str) -> Path:
        """The file of this name, which must be one of the folder itself. ArchiveTrouble."""
        if not _NAME.fullmatch(file):
            what = f"{file[:100]!r} is no name of an export"
            raise ArchiveTrouble("malformed", what, "export_session says the name of what it made")
        return self._folder / file

    def _unwritable(self, error: OSError) -> ArchiveTrouble:
        why = f"{self._folder} cannot be written to: {error.strerror or error}"
        return ArchiveTrouble("store_unavailable", why, "make it a folder that is yours to write")

    def _made(self) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def _written(self, path: Path, content: str) -> None:
        self._made()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(content)


def _private(path: Path) -> int:
    path.chmod(0o600)
    return path.stat().st_size


def _content(path: Path, most: int) -> str | None:
    try:
        if path.stat().st_size > most:
            return None
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArchiveTrouble("not_exported", f"it cannot be read: {error}") from error


def _check(path: Path) -> None:
    """Only a plain file, and nothing that would give an agent what a person has to. ArchiveTrouble.

    What was allowed for a whole session is in its log: whoever could bring in a log of their own
    making could allow themselves anything.
    """
    try:
        found = path.lstat()
    except OSError as error:
        what = f"there is no export {path.name!r}"
        raise ArchiveTrouble("unknown_export", what, "export_session makes one") from error
    if path.is_symlink() or not path.is_file() or found.st_size > LARGEST:
        raise ArchiveTrouble("malformed", f"{path.name!r} is no plain file of a fit size")
    for entry in Archive(path):
        if not isinstance(entry, Exported):
            continue
        if _gives(entry):
            raise ArchiveTrouble(
                "not_allowed",
                "this session carries what a person allowed for all of it",
                "let the person import it: hearth log import FILE",
            )


def _gives(entry: Exported) -> bool:
    """Whether a person gave something by this that lasts. Read, not searched: blanks are free."""
    given = GIVING.get(entry.tag.partition(".")[0])  # whichever version of the event it is
    if given is None:
        return False
    event = msgspec.json.decode(entry.fact["event"])
    return not isinstance(event, dict) or bool(event.get(given))
