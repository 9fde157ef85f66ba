"""Envelopes and pieces for tests of what is told."""

from collections.abc import Iterable
from datetime import UTC, datetime

from tests.contracts.scenes import BOT

from hearth.clients.repl.pieces import Piece, Words
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import InputId, SessionId, event_id
from hearth.core.vocabulary.origin import Actor, Door, Origin

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
ME = Origin(Actor.PERSON, "ann", Door.REPL)
MINE = InputId("mine")
THEIRS = InputId("theirs")
S = SessionId("session-aaaaaa")


def told(event: e.Event, cause: InputId = MINE, seq: int = 1) -> Envelope:
    """An event as it comes out of the log."""
    return Envelope(
        seq=seq,
        session=S,
        version=seq,
        id=event_id(cause, seq),
        at=NOON,
        origin=ME if cause == MINE else BOT,
        cause=cause,
        event=event,
    )


def text(pieces: Iterable[Piece]) -> str:
    """What a terminal without pictures shows."""
    return "\n".join(
        piece.text if isinstance(piece, Words) else f"<{piece.media_type}>" for piece in pieces
    )
