"""A performer of all that an agent needs, which answers at once what a test tells it to."""

from collections.abc import Callable

from hearth.core.vocabulary import modelling as m
from hearth.core.vocabulary.blocks import StopReason, Usage
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.judging import CallJudged, JudgeCall
from hearth.core.vocabulary.lines import Dialect, ModelChoice, Prefix, TurnLimits
from hearth.core.vocabulary.performing import Stage

CHOICE = ModelChoice("scripted", "quick", Dialect.SCRIPTED, 100_000, 8_000)


class QuickAgent:
    """Answers each request with what `says` gives for it; None: not yet, see `stages`."""

    effects: frozenset[type[Effect]] = frozenset(
        {m.PreparePrefix, m.AskModel, m.StopAsking, JudgeCall, m.RunTool, m.StopTool, m.SpillResult}
    )

    def __init__(
        self,
        says: Callable[[m.AskModel], tuple[m.Written, ...] | None] = lambda _: (m.Written("yes"),),
    ) -> None:
        self._says = says
        self.stages: list[tuple[m.AskModel, Stage]] = []
        self.prepared: list[m.PreparePrefix] = []

    async def perform(self, _: SessionId, effect: Effect, stage: Stage) -> None:
        match effect:
            case m.PreparePrefix():
                self.prepared.append(effect)
                prefix = Prefix("be good", "[]", digest="d")
                stage.report(m.PrefixPrepared(effect.turn, CHOICE, prefix, TurnLimits()))
            case m.AskModel():
                self.stages.append((effect, stage))
                if (said := self._says(effect)) is not None:
                    self.answer(*said)
            case m.StopAsking():
                stage.report(m.ModelStopped(effect.request))
            case JudgeCall():
                judged = CallJudged(effect.call, keep=effect.keep, arguments=effect.arguments)
                stage.report(judged)
            case m.RunTool():
                stage.report(m.ToolReturned(effect.call, "done"))
            case _:
                pass

    def answer(self, *written: m.Written) -> None:
        """Answer the newest request."""
        asked, stage = self.stages[-1]
        if asked.purpose == "summary":
            stage.report(m.SummaryMade(asked.request, written[0].text, asked.line.prompt))
            return
        stop = StopReason.TOOLS if any(one.name for one in written) else StopReason.END
        stage.report(m.ModelAnswered(asked.request, written, stop, Usage(10, 20, 30, 40)))

    async def close(self) -> None:
        """Nothing is held."""
