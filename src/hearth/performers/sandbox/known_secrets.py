"""What must not be seen in any output: secrets of the environment, hearth's own, keys in use."""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from hearth.daemon.home import DISCOVERY, TOKENS
from hearth.performers.sandbox.environment import SHORTEST, secrets_of

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at hearth's own files."""
SHORTEST_TOKEN: Final = 24
LARGEST: Final = 1 << 20


def _none() -> Iterable[str]:
    return ()


class KnownSecrets:
    """All of them, as they are now; to be called whenever something is looked at.

    `more` are those that somebody else knows of; it is asked each time, so it must not wait.
    """

    def __init__(
        self,
        home: str,
        environ: Mapping[str, str],
        more: Callable[[], Iterable[str]] = _none,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files = [os.path.join(home, name) for name in (TOKENS, DISCOVERY)]  # noqa: PTH118 - as text
        self._of_environment = frozenset(secrets_of(environ))
        self._more = more
        self._now = now
        self._looked = float("-inf")
        self._seen: dict[str, tuple[int, int]] = {}
        self._tokens: dict[str, frozenset[str]] = {}
        self._added: set[str] = set()

    def __call__(self) -> frozenset[str]:
        """Every secret there is."""
        if self._now() - self._looked >= LOOK_EVERY:
            self._looked = self._now()
            for file in self._files:
                self._look(file)
        return self._of_environment.union(*self._tokens.values(), self._added, self._more())

    def add(self, secret: str) -> None:
        """Know of one more from now on: a key that is being used."""
        if len(secret) >= SHORTEST:
            self._added.add(secret)

    def _look(self, file: str) -> None:
        try:
            found = os.stat(file)  # noqa: PTH116 - as text
            if self._seen.get(file) == (found.st_ino, found.st_mtime_ns):
                return
            with open(file, "rb") as opened:  # noqa: PTH123 - as text
                said = json.loads(opened.read(LARGEST))
        except (OSError, ValueError):
            return  # not there, or half: what was known of it stays secret
        self._seen[file] = (found.st_ino, found.st_mtime_ns)
        # Old ones stay: they may be in an output that is still to come.
        self._tokens[file] = self._tokens.get(file, frozenset()).union(_tokens_in(said))


def _tokens_in(said: Any) -> Iterator[str]:
    match said:
        case str() if len(said) >= SHORTEST_TOKEN and "/" not in said and " " not in said:
            yield said
        case list():
            for one in said:
                yield from _tokens_in(one)
        case dict():
            for one in said.values():
                yield from _tokens_in(one)
        case _:
            return
