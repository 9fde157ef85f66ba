"""Carries out the effects that only need time."""

from hearth.core.vocabulary.effects import Effect, WaitThenRestart
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.modelling import AskDue, WaitThenAsk
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.reports import RestartDue
from hearth.engine.clock import Clock


class Waiting:
    """The performer of pauses."""

    effects: frozenset[type[Effect]] = frozenset({WaitThenRestart, WaitThenAsk})

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        """Wait, then say so."""
        del session
        if isinstance(effect, WaitThenRestart):
            await self._clock.sleep(effect.delay)
            stage.report(RestartDue(effect.generation))
        elif isinstance(effect, WaitThenAsk):
            await self._clock.sleep(effect.delay)
            stage.report(AskDue(effect.request))

    async def close(self) -> None:
        """Nothing is held."""
