"""tokens.json: what is remembered of credentials over restarts. Readable by its owner alone."""

import logging
import os
import secrets
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from hearth.core.rules.admission import Standing

PREFIX: Final = "hearth_"
"""By which scanners for lost secrets, and people, know a token of ours."""

_said = logging.getLogger(__name__)


class TokensUnusable(Exception):
    """The file of tokens cannot be used: `what` is a sentence for people, `hint` would help."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """A token that was given to somebody; only its hash is known."""

    name: str
    standing: Standing
    sha256: str
    created_at: datetime


class TokenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """All that is remembered. The person's own token is plain: the command line needs it."""

    person: str
    secret: str
    """What cookies are signed with."""
    tokens: tuple[Kept, ...] = ()
    ended: dict[str, float] = {}
    """Cookies that were ended before their time, and when that is."""


def fresh() -> TokenFile:
    """A file in which nobody has a token but the person."""
    return TokenFile(person=fresh_token(), secret=secrets.token_hex(32))


def fresh_token() -> str:
    """A new secret that fits into a header."""
    return f"{PREFIX}{secrets.token_urlsafe(32)}"


def opened(path: Path) -> TokenFile:
    """What the file says; a new one where there is none. TokensUnusable."""
    try:
        raw = path.read_bytes()
        if path.stat().st_mode & 0o077:
            _said.warning("%s could be read by others; now only you can", path)
            path.chmod(0o600)
    except FileNotFoundError:
        made = fresh()
        write(path, made)
        return made
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    try:
        return msgspec.json.decode(raw, type=TokenFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from error


def write(path: Path, content: TokenFile) -> None:
    """Replace the file, whole or not at all. TokensUnusable."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made for its owner alone from its first moment on.
        descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(content)))
                file.flush()
                os.fsync(file.fileno())
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    except OSError as error:
        what = f"{path} cannot be written: {error.strerror or error}"
        raise TokensUnusable(what, "make its folder yours to write, or make room there") from error


def now_utc() -> datetime:
    """The time, as it is written into the file."""
    return datetime.now(UTC).replace(microsecond=0)


def _unreadable(path: Path, why: str) -> TokensUnusable:
    hint = "move the file away; a new one is made, and everybody needs new tokens"
    return TokensUnusable(f"{path} cannot be read: {why}", hint)
