"""One file of the spool: a line per batch, whole or not there.

A line is a checksum, a blank and JSON. What has no line break at its end was never finished.
"""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import SessionId
from hearth.log.event_log import CorruptRow, StoreDown

_PREFIX: Final = len(b"%08x " % 0)


class _Line(msgspec.Struct, frozen=True, array_like=True):
    session: SessionId
    first_version: int
    drafts: tuple[Draft, ...]


class SpooledBatch(NamedTuple):
    """One append that waits. Its events stay on disk until they are asked for."""

    session: SessionId
    first_version: int
    """The version its first event is to have."""
    events: int
    segment: Path
    number: int
    """Its place among the lines of its segment."""
    offset: int
    length: int

    @property
    def drafts(self) -> Sequence[Draft]:
        """Read from disk, each time. StoreDown, CorruptRow."""
        try:
            with self.segment.open("rb") as file:
                file.seek(self.offset)
                line = _decoded(file.read(self.length))
        except OSError as error:
            raise spool_down(self.segment, "read", error) from error
        if line is None:
            raise CorruptRow(f"a batch of {self.session} in {self.segment} is damaged")
        return line.drafts


class BadLine(NamedTuple):
    """A line that is no batch, and why."""

    problem: str
    is_torn: bool


def line_of(session: SessionId, first_version: int, drafts: tuple[Draft, ...]) -> bytes:
    """A batch as it is written."""
    body = msgspec.json.encode(_Line(session, first_version, drafts))
    return b"%08x %b\n" % (zlib.crc32(body), body)


def batches_in(path: Path) -> Iterator[SpooledBatch | BadLine]:
    """The batches of a segment, and what is to be said of a line that is none."""
    offset = 0
    with path.open("rb") as file:
        for number, raw in enumerate(file):
            line = _decoded(raw)
            if line is None:
                if raw[-1:] != b"\n":
                    yield BadLine(
                        f"{path} ends in a line that was not written to its end", is_torn=True
                    )
                else:
                    yield BadLine(f"{path} is damaged in line {number + 1}", is_torn=False)
            else:
                yield SpooledBatch(
                    line.session,
                    line.first_version,
                    len(line.drafts),
                    path,
                    number,
                    offset,
                    len(raw),
                )
            offset += len(raw)


def noted_in(path: Path) -> set[int]:
    """The numbers of batches that were dropped; a note cut off in the middle is no note."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return set()
    whole = raw[: raw.rfind(b"\n") + 1]
    return {int(one) for one in whole.split() if one.isdigit()}


def spool_down(path: Path, what: str, error: OSError) -> StoreDown:
    """What could not be done, in a sentence for people."""
    return StoreDown(f"the spool at {path} cannot be {what}: {error.strerror or error}")


def _decoded(raw: bytes) -> _Line | None:
    """A line that is whole and as it was written, or nothing."""
    if raw[-1:] != b"\n":
        return None
    body = raw[_PREFIX:-1]
    if raw[:_PREFIX] != b"%08x " % zlib.crc32(body):
        return None
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(body, type=_Line)
    return None
