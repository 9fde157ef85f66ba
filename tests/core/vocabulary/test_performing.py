"""The contract of performers is small enough to be carried out by a dozen lines."""

from hearth.core.vocabulary.effects import Effect, StopWorker
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Performer, Stage
from hearth.core.vocabulary.progress import Progress, WarmUpStep
from hearth.core.vocabulary.reports import Report, RestartDue


class Collected:
    """A stage that keeps what is said on it."""

    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.shown: list[Progress] = []

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def show(self, progress: Progress) -> None:
        self.shown.append(progress)


class Stopper:
    """A performer of one kind of effect."""

    effects: frozenset[type[Effect]] = frozenset({StopWorker})

    async def perform(self, session: SessionId, effect: Effect, stage: Stage) -> None:
        stage.show(WarmUpStep(f"{session}: {effect}"))
        assert isinstance(effect, StopWorker)
        stage.report(RestartDue(effect.generation))

    async def close(self) -> None:
        """Hold nothing, so nothing to let go of."""


async def test_a_performer_hears_an_effect_and_speaks_on_the_stage() -> None:
    # That these classes are accepted where the Protocols are asked for is mypy's part.
    performer: Performer = Stopper()
    stage = Collected()
    await performer.perform(SessionId("session-a"), StopWorker(generation=3), stage)
    await performer.close()
    assert StopWorker in performer.effects
    assert stage.reports == [RestartDue(3)]
    assert len(stage.shown) == 1
