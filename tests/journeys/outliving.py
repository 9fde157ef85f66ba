"""What outlives a daemon: the interpreter that an agent works in, and a tool that is counted."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary import reports as r
from hearth.core.vocabulary.failures import Interrupted
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.performers.tools.tool import Outcome, Scene, Wanted

HELD: Final = 9
"""The step whose cell waits until a message was queued."""


class Weigh:
    """A tool that is not the session's own, and counts how often it was run."""

    name = "weigh"
    description = "Weigh something."
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"what": {"type": "string"}},
        "required": ["what"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self) -> None:
        self.weighed: list[str] = []
        self.never = False
        """It does not come back by itself."""
        self.begun = asyncio.Event()

    def wants(self, arguments: dict[str, Any], scene: Scene) -> Wanted:
        del arguments, scene
        return Wanted()

    def is_offered(self, scene: Scene) -> bool:
        return bool(scene.session)

    async def run(self, arguments: dict[str, Any], scene: Scene) -> Outcome:
        del scene
        self.weighed.append(arguments["what"])
        self.begun.set()
        if self.never:
            await asyncio.Event().wait()
        return Outcome(f"{arguments['what']}: heavy")


class Outliving:
    """Interpreters, with what their cells came to; tools, with how often they were run."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        """The code of each cell that was begun."""
        self.weigh = Weigh()
        self.holds: frozenset[str] = frozenset({f"note({HELD})"})
        """Code that comes to no end before it is let go."""
        self.workers: dict[SessionId, int] = {}
        self.ended: dict[tuple[SessionId, CellId], r.CellEnded] = {}
        self.held: dict[tuple[SessionId, CellId], tuple[int, str, Stage]] = {}
        self.holding = asyncio.Event()
        """A cell is held."""

    def let_go(self) -> None:
        """Let what is held come to its end, and hold nothing more."""
        self.holds = frozenset()
        for place in tuple(self.held):
            self.end(place, r.Succeeded(_value(self.held[place][1])))

    def end(self, place: tuple[SessionId, CellId], ending: r.Ending) -> None:
        """A cell comes to its end, and whoever is there is told."""
        generation, _, stage = self.held.pop(place)
        self.ended[place] = r.CellEnded(generation, place[1], ending, 0.0)
        stage.report(self.ended[place])


class Interpreter:
    """The interpreter of one daemon. What its cells came to is known to the next daemon, too."""

    effects: frozenset[type[fx.Effect]] = fx.INTERPRETING

    def __init__(self, outliving: Outliving) -> None:
        self._all = outliving

    async def perform(self, session: SessionId, effect: fx.Effect, stage: Stage) -> None:
        """As a real one does, as far as agents use it."""
        match effect:
            case fx.StartWorker() | fx.ResetWorker():
                self._all.workers[session] = effect.generation
                stage.report(r.WorkerReady(effect.generation, 0.0))
            case fx.AttachWorker():
                self._attach(session, effect, stage)
            case fx.StopWorker():
                self._all.workers.pop(session, None)
            case fx.ExecuteInWorker():
                self._execute(session, effect, stage)
            case fx.InterruptWorker():
                if (session, effect.cell) in self._all.held:
                    self._all.end((session, effect.cell), r.Stopped())
            case fx.CheckInWorker():
                stage.report(r.CodeChecked(effect.question, ()))
            case fx.ListInWorker():
                stage.report(r.VariablesFound(effect.question))
            case _:
                stage.report(r.EffectFailed(effect, "this interpreter does not do that"))

    async def close(self) -> None:
        """It goes on."""

    def _execute(self, session: SessionId, effect: fx.ExecuteInWorker, stage: Stage) -> None:
        code = str(effect.code)
        self._all.ran.append(code)
        self._all.held[session, effect.cell] = (effect.generation, code, stage)
        if code in self._all.holds:
            self._all.holding.set()
        else:
            self._all.end((session, effect.cell), r.Succeeded(_value(code)))

    def _attach(self, session: SessionId, effect: fx.AttachWorker, stage: Stage) -> None:
        if self._all.workers.get(session) != effect.generation:
            lost = r.WorkerLost(effect.generation, r.Exit.VANISHED, "it never began")
            stage.report(lost)
            return
        ready = r.WorkerReady(effect.generation, 0.0, unanswered=effect.unanswered)
        stage.report(ready)
        if effect.cell is None:
            return
        place = (session, effect.cell)
        if place in self._all.ended:
            stage.report(self._all.ended[place])
        elif place in self._all.held:
            generation, code, _ = self._all.held[place]
            self._all.held[place] = (generation, code, stage)
            if code not in self._all.holds:
                self._all.end(place, r.Succeeded(_value(code)))
        else:
            missed = r.Raised(Interrupted("the interpreter never heard of this cell"))
            stage.report(r.CellEnded(effect.generation, effect.cell, missed, 0.0))


def _value(code: str) -> str:
    return code.removeprefix("note(").removesuffix(")")
