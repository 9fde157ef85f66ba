"""An interpreter that plays from a script, of which copies can be hindered and variables chosen."""

from collections.abc import Mapping

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import Obstacles, ScriptedInterpreter


class CopyingInterpreter(ScriptedInterpreter):
    """Is copied unless there are `obstacles`."""

    def __init__(self, scenes: Mapping[str, Scene]) -> None:
        super().__init__(scenes)
        self.obstacles: tuple[str, ...] = ()
        self.variables: dict[SessionId, tuple[Variable, ...]] = {}
        self.branched: list[tuple[SessionId, SessionId]] = []

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        match effect:
            case fx.ExecuteInWorker(copy=True) if self.obstacles:
                stage.report(r.CopyMissed(effect.generation, effect.cell, self.obstacles))
            case fx.TryInWorker() if self.obstacles:
                problem = "; ".join(self.obstacles)
                stage.report(r.VariantsTried(effect.generation, effect.cell, problem=problem))
                return
            case fx.ListInWorker():
                found = self.variables.get(session, ())
                stage.report(r.VariablesFound(effect.question, found, len(found)))
                return
            case _:
                pass
        await super().perform(session, effect, stage)

    async def branch(self, source: SessionId, to: SessionId) -> Obstacles:
        self.branched.append((source, to))
        return Obstacles(self.obstacles)
