"""Keeps keys out of what is said and logged."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit, urlunsplit

HIDDEN: Final = "[a key]"
SHORTEST: Final = 4
"""A shorter text is no key, and hiding it everywhere would make nonsense of a sentence."""


def without(text: str, secrets: Iterable[str]) -> str:
    """The text with every one of these, and of what is left when it is trimmed, hidden."""
    for secret in sorted({one.strip() for one in secrets}, key=len, reverse=True):
        if len(secret) >= SHORTEST:
            text = text.replace(secret, HIDDEN)
    return text


def shown(address: str) -> str:
    """An address without what might be a secret in it."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
