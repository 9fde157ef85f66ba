"""Collects what follows from one input: facts, each already applied, and effects."""

from collections.abc import Sequence
from datetime import datetime

from hearth.core.rules.evolving import evolve
from hearth.core.rules.state import SessionState
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Fact
from hearth.core.vocabulary.events import Event, StateTransitioned
from hearth.core.vocabulary.ids import InputId, event_id
from hearth.core.vocabulary.inputs import Asked, Input
from hearth.core.vocabulary.origin import SYSTEM, Origin
from hearth.core.vocabulary.phases import OpenCell
from hearth.core.vocabulary.wire import Part


class Decision(Part, frozen=True):
    """What an input leads to: facts to be stored, then effects to be carried out."""

    state: SessionState
    """The session once the facts are in the log."""
    facts: tuple[Fact, ...] = ()
    effects: tuple[Effect, ...] = ()
    warning: str = ""
    """Accepted all the same, but the caller should know this."""


class Consequences:
    """Builds a Decision step by step; every fact is checked against the tables as it is added."""

    def __init__(self, state: SessionState, cause: Input) -> None:
        self.began = state
        """The session as it was."""
        self._input = cause
        self._facts: list[Fact] = []
        self._effects: list[Effect] = []
        self.state = state
        """The session as it will be."""

    @property
    def cause(self) -> InputId:
        """The input that all of it follows from."""
        return self._input.id

    @property
    def at(self) -> datetime:
        """When all of it happens."""
        return self._input.at

    @property
    def origin(self) -> Origin:
        """Who brought it about."""
        return self._origin()

    @property
    def facts(self) -> Sequence[Fact]:
        """What has happened so far."""
        return self._facts

    @property
    def effects(self) -> Sequence[Effect]:
        """What is to be done so far."""
        return self._effects

    def happen(self, event: Event, *, of: OpenCell | None = None) -> None:
        """Add an event, on behalf of the input or of the cell it concerns."""
        if of is None:
            self.happen_for(event, self._input.id, self._origin())
        else:
            self.happen_for(event, of.cause, of.origin)

    def happen_for(self, event: Event, cause: InputId, origin: Origin) -> None:
        """Add an event on behalf of someone else."""
        fact = Fact(
            id=event_id(self._input.id, len(self._facts)),
            at=self._input.at,
            origin=origin,
            cause=cause,
            event=event,
            fingerprint=self.state.fingerprint or None,
        )
        self.state = evolve(self.state, fact)
        self._facts.append(fact)

    def do(self, effect: Effect) -> None:
        """Add an effect, to be carried out once the facts are durable."""
        self._effects.append(effect)

    def decision(self, warning: str = "") -> Decision:
        """The result, closed by a StateTransitioned if the state is another one now."""
        before, after = self.began.phase_name, self.state.phase_name
        if after is not before:
            self.happen(StateTransitioned(before=before, after=after, reason=self._reason()))
        return Decision(self.state, tuple(self._facts), tuple(self._effects), warning)

    def _origin(self) -> Origin:
        return self._input.origin if isinstance(self._input, Asked) else SYSTEM

    def _reason(self) -> str:
        word = self._input.command if isinstance(self._input, Asked) else self._input.report
        return str(word.__struct_config__.tag)
