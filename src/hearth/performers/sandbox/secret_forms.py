"""How a secret looks once something has encoded it, and a fast way to find any of many."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

from hearth.performers.sandbox.environment import SHORTEST

GRAM: Final = 4
"""Bytes that are looked at together. A form of 8 contains, wherever it begins, four of them that
stand at a multiple of four."""
_PERCENT: Final = re.compile(r"%[0-9A-F]{2}")
_WRAPPED: Final = re.compile(
    r"^(?:[ \t]*[A-Za-z0-9+/_-]{40,}[ \t]*\r?\n)+[ \t]*[A-Za-z0-9+/_=-]+", re.MULTILINE
)
"""Lines as `base64` and `xxd -p` write them: what is encoded goes on in the next one."""
_BETWEEN: Final = re.compile(r"\s+")


def forms_of(secret: str) -> Iterator[str]:
    """The secret and what it becomes in addresses, JSON, HTML, Python, base64 and hex.

    In base64 it depends on what stands before it: of each of the three ways, the characters that
    only the secret decides.
    """
    yield secret
    raw = secret.encode("utf-8", "surrogatepass")
    for one in (quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace")):
        yield one
        yield _PERCENT.sub(lambda found: found[0].lower(), one)
    yield quote(secret, errors="replace")
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(json.dumps(secret)[1:-1])[1:-1]
    yield repr(secret)[1:-1]
    yield html.escape(secret)
    yield raw.hex()
    yield raw.hex().upper()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            yield _settled(encode(b"\0" * before + raw).decode(), before, len(raw))


def _settled(encoded: str, before: int, length: int) -> str:
    """Of the base64 of a text behind `before` others: what does not depend on its neighbours."""
    first = -(-before * 8 // 6)
    last = (before + length) * 8 // 6
    return encoded[first:last]


class Forms:
    """All forms of some secrets, to be looked for in long texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {one for secret in secrets for one in forms_of(secret)}
        # The longer first: one may contain another.
        self.all = sorted((one for one in found if len(one) >= SHORTEST), key=len, reverse=True)
        self._by_gram: dict[int, list[str]] = {}
        for one in self.all:
            content = one.encode("utf-8", "surrogatepass")
            for start in range(GRAM):
                gram = int.from_bytes(content[start : start + GRAM], _ORDER)
                self._by_gram.setdefault(gram, []).append(one)
        self._grams = frozenset(self._by_gram)
        self._short = frozenset(one[:most] for one in self.all for most in range(1, GRAM))
        self._by_head: dict[str, list[str]] = {}
        for one in self.all:
            self._by_head.setdefault(one[:GRAM], []).append(one)
        self._longest = max(map(len, self.all), default=0)

    def found_in(self, text: str) -> list[str]:
        """Those that are in the text, the longer first; some that are not may be among them."""
        if not self.all or len(text) < SHORTEST:
            return []
        content = text.encode("utf-8", "surrogatepass")
        whole = len(content) - len(content) % GRAM
        with memoryview(content)[:whole].cast("I") as grams:
            seen = self._grams.intersection(grams)
        if not seen:
            return []
        suspects = {one for gram in seen for one in self._by_gram[gram]}
        return [one for one in self.all if one in suspects]

    def begun_at_end(self, text: str) -> int:
        """How many characters at the end of the text could be the beginning of a secret."""
        # Not by a table of all beginnings: of a long secret it would not fit into memory.
        end = text[-self._longest :] if self._longest else ""
        most = max((self._begun(end, *one) for one in self._by_head.items()), default=0)
        short = (one for one in range(min(GRAM - 1, len(end)), 0, -1) if end[-one:] in self._short)
        return max(most, next(short, 0))

    @staticmethod
    def _begun(end: str, head: str, forms: list[str]) -> int:
        at = end.find(head)
        while at >= 0:
            rest = end[at:]
            if any(len(rest) < len(form) and form.startswith(rest) for form in forms):
                return len(rest)
            at = end.find(head, at + 1)
        return 0

    def unwrapped(self, text: str) -> list[str]:
        """Lines that together are an encoded secret, which is in none of them as a whole."""
        if not self.all or "\n" not in text:
            return []
        return [
            found[0] for found in _WRAPPED.finditer(text) if self._is_in(_BETWEEN.sub("", found[0]))
        ]

    def _is_in(self, joined: str) -> bool:
        return any(one in joined for one in self.found_in(joined))


_ORDER: Final = "little" if memoryview(b"\1\0\0\0").cast("I")[0] == 1 else "big"
