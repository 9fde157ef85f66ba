"""Events on disk, in order, while the store they belong to is down.

A directory of segments, `00000001.spool` and so on: one line per batch, a checksum in front of
JSON. A line counts when it is whole; a process killed while it wrote leaves at most one that is
not, at the end of its last segment, and nothing is ever written behind it. What was flushed is
noted by its number in `00000001.done`, unsynced: a note that is lost makes a batch be flushed
twice, which its event ids make harmless. A segment without open batches is deleted.
"""

import asyncio
import fcntl
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import SessionId
from hearth.log.blobs import BlobFiles, sync_directory
from hearth.log.spool_segment import (
    BadLine,
    SpooledBatch,
    batches_in,
    line_of,
    noted_in,
    spool_down,
)

__all__ = ["Spool", "SpooledBatch"]

_SEGMENT_BYTES: Final = 16 * 1024 * 1024


@dataclass
class _Segment:
    path: Path
    open: dict[int, SpooledBatch] = field(default_factory=dict)
    lines: int = 0
    is_sound: bool = True
    """Apart from a line at its end that was never finished."""

    @property
    def notes(self) -> Path:
        return self.path.with_suffix(".done")


class Spool:
    """The batches in one directory, which belongs to one process at a time.

    Making it reads what an earlier process left, and blocks for as long as that takes. StoreDown
    if the directory cannot be used, or is used by another process.
    """

    def __init__(self, directory: Path, segment_bytes: int = _SEGMENT_BYTES) -> None:
        self._directory = directory
        self._segment_bytes = segment_bytes
        self._guard = threading.Lock()
        self._segments: dict[Path, _Segment] = {}
        self._current: tuple[_Segment, int] | None = None
        """The segment that is written, and its descriptor."""
        self._next = 1
        self._count = 0
        self._damage: list[str] = []
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _locked(directory / "lock")
            self._load()
        except OSError as error:
            raise spool_down(directory, "used", error) from error

    @property
    def count(self) -> int:
        """How many events wait."""
        return self._count

    @property
    def damage(self) -> Sequence[str]:
        """What was found that is no whole batch, in words. It is left out.

        A damaged segment is kept under another name; a line that was never finished is not:
        nobody was told that it is there.
        """
        return tuple(self._damage)

    @property
    def blobs(self) -> BlobFiles:
        """Where blobs wait that the waiting events name."""
        return BlobFiles(self._directory / "blobs")

    async def append(
        self, session: SessionId, first_version: int, drafts: Sequence[Draft]
    ) -> SpooledBatch:
        """Keep a batch; it is on the disk when this returns. StoreDown."""
        return await asyncio.to_thread(self._append, session, first_version, tuple(drafts))

    async def pending(self) -> Sequence[SpooledBatch]:
        """Everything that waits, in the order in which it was appended."""
        return await asyncio.to_thread(self._pending)

    async def drop(self, batch: SpooledBatch) -> None:
        """Forget a batch that is safe elsewhere. Dropping it again does nothing."""
        await asyncio.to_thread(self._drop, batch)

    def close(self) -> None:
        """Leave the directory to others. What waits, waits on. Safe to call twice."""
        with self._guard:
            self._leave_segment()
            if self._lock >= 0:
                os.close(self._lock)
                self._lock = -1

    def _append(
        self, session: SessionId, first_version: int, drafts: tuple[Draft, ...]
    ) -> SpooledBatch:
        line = line_of(session, first_version, drafts)
        with self._guard:
            try:
                segment, descriptor = self._writable()
                offset = os.fstat(descriptor).st_size
                self._write(descriptor, line, offset)
            except OSError as error:
                self._leave_segment()
                raise spool_down(self._directory, "written", error) from error
            batch = SpooledBatch(
                session, first_version, len(drafts), segment.path, segment.lines, offset, len(line)
            )
            segment.open[segment.lines] = batch
            segment.lines += 1
            self._count += len(drafts)
        return batch

    def _writable(self) -> tuple[_Segment, int]:
        if self._lock < 0:
            raise OSError(0, "it is closed")
        if self._current is not None:
            segment, descriptor = self._current
            if segment.open and os.fstat(descriptor).st_size < self._segment_bytes:
                return self._current
            self._leave_segment()
        path = self._directory / f"{self._next:08d}.spool"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._next += 1
        self._current = _Segment(path), descriptor
        self._segments[path] = self._current[0]
        sync_directory(self._directory)
        return self._current

    @staticmethod
    def _write(descriptor: int, line: bytes, offset: int) -> None:
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        except OSError:
            # Nobody was told that it is there, so it had better not be.
            with suppress(OSError):
                os.ftruncate(descriptor, offset)
            raise

    def _leave_segment(self) -> None:
        """Write to this segment no more: what a failed write left behind is its end."""
        if self._current is None:
            return
        segment, descriptor = self._current
        self._current = None
        with suppress(OSError):
            os.close(descriptor)
        if not segment.open:
            self._forget(segment)

    def _pending(self) -> Sequence[SpooledBatch]:
        with self._guard:
            return [batch for one in self._segments.values() for batch in one.open.values()]

    def _drop(self, batch: SpooledBatch) -> None:
        with self._guard:
            segment = self._segments.get(batch.segment)
            if segment is None or segment.open.pop(batch.number, None) is None:
                return
            self._count -= batch.events
            if segment.open:
                with suppress(OSError), segment.notes.open("ab") as notes:
                    notes.write(b"%d\n" % batch.number)
            elif self._current is not None and self._current[0] is segment:
                self._leave_segment()
            else:
                self._forget(segment)

    def _forget(self, segment: _Segment) -> None:
        self._segments.pop(segment.path, None)
        with suppress(OSError):
            # In this order: notes alone mean nothing, a segment without them is flushed again.
            if segment.is_sound:
                segment.path.unlink()
            else:
                segment.path.rename(segment.path.with_suffix(".damaged"))
            segment.notes.unlink(missing_ok=True)

    def _load(self) -> None:
        for path in sorted(self._directory.glob("*.spool")):
            if not path.stem.isdecimal():
                continue
            self._next = max(self._next, int(path.stem) + 1)
            segment = _Segment(path)
            done = noted_in(segment.notes)
            for batch in batches_in(path):
                if isinstance(batch, BadLine):
                    self._damage.append(batch.problem)
                    segment.is_sound = segment.is_sound and batch.is_torn
                elif batch.number not in done:
                    segment.open[batch.number] = batch
                    self._count += batch.events
            if segment.open:
                self._segments[path] = segment
            else:
                self._forget(segment)


def _locked(path: Path) -> int:
    """The lock of a directory: held until the process ends, however it does."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise OSError(0, "another process uses it") from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
