"""The ids under which sessions are begun by this door."""

import re
import secrets

from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.servers.http.answers import malformed
from hearth.servers.http.asked import Declined
from hearth.servers.http.shapes import ID_PATTERN

_FIT = re.compile(ID_PATTERN)


def fit_id(said: str) -> SessionId:
    """An id that a new session may have: files and folders carry it. Declined."""
    if not _FIT.fullmatch(said) or said == DAEMON_STREAM:
        hint = "use up to 64 letters, digits, - or _; or leave it out"
        raise Declined(malformed(f"{said[:100]!r} cannot be the id of a session", "$.id", hint))
    return SessionId(said)


def fresh_id() -> SessionId:
    """An id that nobody is likely to have."""
    return SessionId(f"session-{secrets.token_hex(3)}")
