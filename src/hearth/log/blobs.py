"""Content by its hash, as files: `blobs/ab/cdef…`."""

import asyncio
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import msgspec

from hearth.core.vocabulary.content import Blob
from hearth.log.event_log import CorruptRow, StoreDown

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_HEAD_CHARACTERS: Final = 200


def reference(content: bytes, media_type: str) -> Blob:
    """How an event names this content."""
    return Blob(sha256(content).hexdigest(), len(content), media_type, _head(content, media_type))


def references(data: bytes) -> list[str]:
    """The hashes of all blobs that a stored fact names; none if it cannot be read."""
    if b'"sha256"' not in data:
        return []
    try:
        fact = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return list(dict.fromkeys(_references(fact)))


def fits(content: bytes, digest: str) -> bool:
    """Whether the content is what the hash says."""
    return sha256(content).hexdigest() == digest


class BlobFiles:
    """A BlobStore in a directory. Any number of processes may share it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, content: bytes, media_type: str = "text/plain") -> Blob:
        """Written aside, synced and renamed: under its name a file is whole or absent."""
        return await asyncio.to_thread(self.put_now, content, media_type)

    async def get(self, sha256: str) -> bytes:
        """The content; KeyError if it is not there, CorruptRow if it no longer fits its hash."""
        return await asyncio.to_thread(self.get_now, sha256)

    def put_now(self, content: bytes, media_type: str = "text/plain") -> Blob:
        """As `put`, for a thread that may block."""
        blob = reference(content, media_type)
        path = self.path_of(blob.sha256)
        try:
            if not _holds(path, content):
                _write(path, content)
        except OSError as error:
            raise StoreDown(f"{path} cannot be written: {error.strerror}") from error
        return blob

    def get_now(self, digest: str) -> bytes:
        """As `get`, for a thread that may block."""
        path = self.path_of(digest)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise KeyError(digest) from None
        except OSError as error:
            raise StoreDown(f"{path} cannot be read: {error.strerror}") from error
        if not fits(content, digest):
            raise CorruptRow(f"the blob {digest} is damaged")
        return content

    def path_of(self, digest: str) -> Path:
        """Where the content with this hash lies, if it is there; KeyError for what is no hash."""
        if not _HASH.fullmatch(digest):
            raise KeyError(digest)
        return self._root / digest[:2] / digest[2:]

    def digests(self) -> Iterator[str]:
        """The hashes of everything that is there."""
        for path in self._root.glob("??/*"):
            if _HASH.fullmatch(digest := path.parent.name + path.name):
                yield digest


def _holds(path: Path, content: bytes) -> bool:
    """Compared in full: one that was damaged is written again."""
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    is_new = not path.parent.is_dir()
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    sync_directory(path.parent)
    if is_new:
        sync_directory(path.parent.parent)
        sync_directory(path.parent.parent.parent)


def sync_directory(path: Path) -> None:
    """Make durable what was created in or renamed into a directory."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _head(content: bytes, media_type: str) -> str:
    if not media_type.startswith("text/"):
        return ""
    # Cut on a whole character: what remains of one at the end is left out.
    start = content[: 4 * _HEAD_CHARACTERS]
    return start.decode("utf-8", "ignore")[:_HEAD_CHARACTERS]


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in node:
            yield from _references(one)
    elif isinstance(node, dict):
        digest = node.get("sha256")
        if isinstance(digest, str) and isinstance(node.get("size"), int):
            yield digest
        for value in node.values():
            yield from _references(value)
