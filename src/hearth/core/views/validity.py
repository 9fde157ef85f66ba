"""How far the results of recorded cells can still be trusted, and what they stand on now."""

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from hearth.core.rules.state import SessionState
from hearth.core.rules.validity import Standing, missing, others, standing
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.wire import Part

Closer: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled


class Environment(Part, frozen=True):
    """What a session's interpreters have loaded: parts with their content hashes."""

    fingerprint: str = ""
    """Over all of it; empty until an interpreter told."""
    parts: dict[str, str] = msgspec.field(default_factory=dict)


class CellValidity(Part, frozen=True):
    """How one recorded cell stands, and because of what."""

    cell: CellId
    version: int
    """Of the event that closed it."""
    standing: Standing
    changed: tuple[str, ...] = ()
    """The parts it used that are others now."""
    missing: tuple[str, ...] = ()
    """The parts it used that are gone."""


class Validity(Part, frozen=True):
    """The newest recorded cells, oldest first."""

    fingerprint: str = ""
    stale: int = 0
    """How many cells of the newest life no longer hold, whether they are in the window or not."""
    cells: tuple[CellValidity, ...] = ()


def environment(state: SessionState) -> Environment:
    """What the session's interpreters have loaded."""
    return Environment(state.fingerprint, state.environment)


def validity(state: SessionState, envelopes: Iterable[Envelope]) -> Validity:
    """How the cells stand that were closed in this run of events."""
    cells = (
        _cell(state, envelope, envelope.event)
        for envelope in envelopes
        if isinstance(envelope.event, Closer)
    )
    return Validity(state.fingerprint, state.stale, tuple(cells))


def _cell(state: SessionState, envelope: Envelope, event: Closer) -> CellValidity:
    parts = state.environment
    stands = standing(event.uses, envelope.fingerprint, parts, state.fingerprint)
    if stands in {Standing.VALID, Standing.UNKNOWN}:
        return CellValidity(event.cell, envelope.version, stands)
    return CellValidity(
        event.cell,
        envelope.version,
        stands,
        others(event.uses, parts),
        missing(event.uses, parts),
    )
