"""What each session has seen of files, so that nobody overwrites what they do not know."""

import asyncio
import threading
from collections import OrderedDict
from hashlib import sha256
from typing import Final
from weakref import WeakValueDictionary

MOST_FILES: Final = 20_000


class Seen:
    """Remembers the content that a session last read or wrote, by its digest. Safe in threads."""

    def __init__(self, most: int = MOST_FILES) -> None:
        self._digests: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def note(self, session: str, path: str, digest: str) -> None:
        """This is what the session knows of the file."""
        with self._lock:
            self._digests[session, path] = digest
            self._digests.move_to_end((session, path))
            while len(self._digests) > self._most:
                self._digests.popitem(last=False)

    def digest(self, session: str, path: str) -> str | None:
        """What the session last knew; None if it never read the file, or long ago."""
        with self._lock:
            return self._digests.get((session, path))

    def turn(self, path: str) -> asyncio.Lock:
        """Whoever changes the file holds this, so that parallel calls come one after the other."""
        lock = self._turns.get(path)
        if lock is None:
            lock = self._turns[path] = asyncio.Lock()
        return lock


def digest_of(content: bytes) -> str:
    """How content is named."""
    return sha256(content).hexdigest()
