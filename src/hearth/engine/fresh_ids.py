"""Ids for inputs and sessions that nobody else chose."""

import secrets
import time

from hearth.core.vocabulary.ids import InputId, SessionId

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SESSION_LETTERS = "0123456789abcdef"


def fresh_input_id() -> InputId:
    """A new id; later ones sort after earlier ones, which keeps the log's index compact."""
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return InputId("".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5)))


def fresh_session_id() -> SessionId:
    """A short id that people can read out: `session-a1b2c3`."""
    return SessionId("session-" + "".join(secrets.choice(_SESSION_LETTERS) for _ in range(6)))
