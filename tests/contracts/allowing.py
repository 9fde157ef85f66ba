"""A performer for which every call may be run."""

from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall, StoreGrant
from hearth.core.vocabulary.performing import Stage


class Allowing:
    """Judges at once, and finds that nothing is needed."""

    effects: frozenset[type[Effect]] = frozenset({JudgeCall, StoreGrant})

    async def perform(self, _: SessionId, effect: Effect, stage: Stage) -> None:
        if isinstance(effect, JudgeCall):
            judged = CallJudged(effect.call, keep=effect.keep, arguments=effect.arguments)
            stage.report(judged)

    async def close(self) -> None:
        """Nothing is held."""
