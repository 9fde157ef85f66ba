"""What a command or a file says is the key: plain text, or JSON that says how long it holds."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import msgspec

LONGEST: Final = 64 * 1024


class KeyMissing(Exception):
    """There is no key that could be sent. The message is for people and has nothing of a key."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Expiring:
    """A key, and when it expires: seconds since 1970, None if nobody said so."""

    value: str = field(repr=False)
    expires_at: float | None = None

    def holds(self, now: float, ahead: float = 0.0) -> bool:
        """Whether it can be sent, now and for so many seconds more."""
        return self.expires_at is None or now + ahead < self.expires_at


def key_in(text: str, where: str) -> Expiring:
    """The key that a text holds; KeyMissing says what is wrong with it, and `where` it is from."""
    value = object_in(text, where)
    return Expiring(usable(text.strip(), where)) if value is None else key_of(value, where)


def object_in(text: str, where: str) -> dict[str, Any] | None:
    """The object that a text is; None if it does not even begin like one. KeyMissing."""
    stripped = text.strip()
    if not stripped.startswith("{"):
        return None
    try:
        return msgspec.json.decode(stripped, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise KeyMissing(f"{where} begins like JSON, but is none") from None


def key_of(value: dict[str, Any], where: str) -> Expiring:
    """The key in an object with `key` and, maybe, `expires_at`. KeyMissing."""
    key = value.get("key")
    if not isinstance(key, str):
        raise KeyMissing(f'{where} has no text "key"')
    return Expiring(usable(key.strip(), where), moment(value.get("expires_at"), where))


def usable(key: str, where: str) -> str:
    """A key that can be put into a header. KeyMissing."""
    if not key:
        raise KeyMissing(f"{where} is empty")
    if len(key) > LONGEST or not key.isascii() or not key.isprintable() or " " in key:
        # Nothing of it is repeated: it may be a key with something beside it.
        raise KeyMissing(f"{where} is no key: it must be one word of printable ASCII characters")
    return key


def moment(said: object, where: str) -> float | None:
    """When a key expires: seconds since 1970, or a date with its time zone. KeyMissing."""
    if said is None:
        return None
    if isinstance(said, int | float) and not isinstance(said, bool):
        return float(said)
    try:
        when = datetime.fromisoformat(str(said))
    except ValueError:
        when = None
    if when is None or when.tzinfo is None:
        raise KeyMissing(
            f'{where} has no usable "expires_at": give seconds since 1970, or a date with its '
            "time zone like 2026-01-31T12:00:00Z"
        )
    return when.timestamp()
