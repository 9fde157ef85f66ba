"""Who somebody is, by the token, one-time code or cookie they show."""

import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable
from getpass import getuser
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from hearth.core.rules.admission import Credential, Standing
from hearth.core.vocabulary.origin import Door
from hearth.credentials.token_file import (
    Kept,
    TokenFile,
    fresh,
    fresh_token,
    now_utc,
    opened,
    write,
)
from hearth.daemon.home import TOKENS

CODE_LIFE: Final = 60.0
COOKIE_LIFE: Final = 30 * 24 * 3600
LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of one-time codes: none that could be taken for another by whoever types it."""
CODE_LENGTH: Final = 16
"""About 79 bits, for something that lives for a minute."""
MOST_CODES: Final = 32
"""So many one-time codes are open at once; one more ends the oldest."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_COOKIE = re.compile(r"([0-9]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII)


class NameUnfit(ValueError):
    """A token cannot have this name; the message says why, and what would do."""


class Tokens:
    """The credentials of one home. Looking is quick; what changes the file is safe in a thread.

    The person's token is kept over restarts. Of all others only hashes are known. One-time codes
    live in memory alone.
    """

    def __init__(self, home: str | Path, now: Callable[[], float] = time.time) -> None:
        self._path = Path(home) / TOKENS
        self._now = now
        self._writing = threading.Lock()
        self._codes: dict[str, float] = {}
        self._login = _login_name()
        self._known = TokenFile(person="", secret="")
        self._hashed: tuple[tuple[str, Credential], ...] = ()

    def open(self) -> None:
        """Read the file, or make it. TokensUnusable."""
        self._take(opened(self._path))

    @property
    def person(self) -> str:
        """The person's own token, as it is."""
        return self._known.person

    # -- tokens -------------------------------------------------------------------------------

    def who(self, token: str) -> Credential | None:
        """Whose token this is. How long it takes tells nothing about the tokens there are."""
        digest, found = _hash(token), None
        for kept, credential in self._hashed:
            if hmac.compare_digest(kept, digest):
                found = credential
        return found

    def add(self, name: str, standing: Standing) -> str:
        """A new token, shown this once. NameUnfit, TokensUnusable."""
        if not _NAME.fullmatch(name):
            raise NameUnfit(
                f"{name!r} cannot be the name of a token; use up to 64 letters, digits, . _ -"
            )
        with self._writing:
            if any(kept.name == name for kept in self._known.tokens):
                raise NameUnfit(
                    f"{name!r} is the name of a token already; remove that, or use another"
                )
            token = fresh_token()
            kept = Kept(name, standing, _hash(token), now_utc())
            self._write(tokens=(*self._known.tokens, kept))
        return token

    def remove(self, name: str) -> bool:
        """End a token; False if there is none of this name. TokensUnusable."""
        with self._writing:
            rest = tuple(kept for kept in self._known.tokens if kept.name != name)
            if len(rest) == len(self._known.tokens):
                return False
            self._write(tokens=rest)
        return True

    def listed(self) -> tuple[Kept, ...]:
        """The tokens that were given out, without the person's own."""
        return self._known.tokens

    def rotate(self) -> str:
        """Another token for the person; all cookies and one-time codes end. TokensUnusable."""
        with self._writing:
            new = fresh()
            self._write(person=new.person, secret=new.secret, ended={})
            self._codes.clear()
        return new.person

    # -- one-time codes and cookies -----------------------------------------------------------

    def code(self) -> str:
        """A code that can be redeemed once, within CODE_LIFE seconds."""
        letters = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        code = "-".join(letters[at : at + 4] for at in range(0, CODE_LENGTH, 4))
        while len(self._codes) >= MOST_CODES:
            del self._codes[next(iter(self._codes))]
        self._codes[_hash(code)] = self._now() + CODE_LIFE
        return code

    def redeem(self, code: str) -> str | None:
        """The cookie for a code, which is then spent; None if it was spent, is old or never was."""
        ends = self._codes.pop(_hash(code.strip().lower()), None)
        if ends is None or ends <= self._now():
            return None
        signed = f"{int(self._now()) + COOKIE_LIFE}.{secrets.token_hex(16)}"
        return f"{signed}.{self._mac(signed)}"

    def cookie(self, value: str) -> Credential | None:
        """Who a cookie stands for."""
        if (fields := _COOKIE.fullmatch(value)) is None:
            return None
        ends, name, mac = fields.groups()
        if not hmac.compare_digest(self._mac(f"{ends}.{name}"), mac):
            return None
        if int(ends) <= self._now() or name in self._known.ended:
            return None
        return Credential(Standing.PERSON, self._login, Door.DASHBOARD)

    def end_cookie(self, value: str) -> None:
        """Let a cookie stand for nobody from now on. TokensUnusable."""
        if self.cookie(value) is None:
            return
        ends, name, _ = value.split(".")
        with self._writing:
            now = self._now()
            ended = {one: until for one, until in self._known.ended.items() if until > now}
            self._write(ended={**ended, name: float(ends)})

    # -- what they stand on -------------------------------------------------------------------

    def _write(self, **changed: object) -> None:
        """Change the file first: what is not kept must not count."""
        known = msgspec.structs.replace(self._known, **changed)
        write(self._path, known)
        self._take(known)

    def _take(self, known: TokenFile) -> None:
        own = Credential(Standing.PERSON, self._login)
        others = ((kept.sha256, Credential(kept.standing, kept.name)) for kept in known.tokens)
        self._known = known
        self._hashed = ((_hash(known.person), own), *others)

    def _mac(self, signed: str) -> str:
        return hmac.new(self._known.secret.encode(), signed.encode(), sha256).hexdigest()


def _hash(secret: str) -> str:
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


def _login_name() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return ""  # A user without a name, as in some containers: it is a person all the same.
