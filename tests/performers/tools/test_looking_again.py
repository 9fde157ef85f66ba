"""Files that were taken back are looked at again, and nobody waits for that."""

from collections.abc import Sequence

import pytest
from tests.performers.tools.staging import SESSION, Heard

from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.deeds import ChangeKind, PathChange
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.judging import EndJobs, ProjectRewound, RewindProject
from hearth.core.vocabulary.performing import Stage
from hearth.core.vocabulary.permitting import Kept
from hearth.performers.tools.looking_again import LookingAgain

ASKED = InputId("i1")
KEPT = Kept("/work/shop", "tree")
CHANGED = ProjectRewound(ASKED, (PathChange("a.py", ChangeKind.CHANGED),), KEPT)
REWIND = RewindProject(ASKED, SessionConfig(), 7)


class Rewinds:
    """Reports what it is told to."""

    effects: frozenset[type[Effect]] = frozenset({RewindProject})

    def __init__(self, *reports: ProjectRewound) -> None:
        self._reports = reports
        self.is_closed = False

    async def perform(self, _session: SessionId, _effect: Effect, stage: Stage) -> None:
        for one in self._reports:
            stage.report(one)

    async def close(self) -> None:
        self.is_closed = True


@pytest.mark.promise("DP-LSP-05")
async def test_what_was_taken_back_is_looked_at_behind_the_report() -> None:
    heard, looked = Heard(), []

    async def look(root: str) -> None:
        assert heard.reports == [CHANGED]
        looked.append(root)

    performer = LookingAgain(Rewinds(CHANGED), look)
    assert performer.effects == {RewindProject}
    await performer.perform(SESSION, REWIND, heard)
    assert looked == ["/work/shop"]


@pytest.mark.parametrize(
    ("effect", "reports"),
    [
        (RewindProject(ASKED, SessionConfig(), 7, preview=True), [CHANGED]),
        (REWIND, [ProjectRewound(ASKED, (), KEPT)]),
        (REWIND, [ProjectRewound(ASKED, problem="git is not installed")]),
        (EndJobs(), []),
    ],
)
async def test_where_nothing_was_changed_nothing_is_looked_at(
    effect: Effect, reports: Sequence[ProjectRewound]
) -> None:
    async def look(root: str) -> None:
        raise AssertionError(root)

    heard, rewinds = Heard(), Rewinds(*reports)
    performer = LookingAgain(rewinds, look)
    await performer.perform(SESSION, effect, heard)
    assert heard.reports == list(reports)
    await performer.close()
    assert rewinds.is_closed


async def test_looking_that_fails_harms_nobody() -> None:
    async def look(root: str) -> None:
        raise OSError(root)

    heard = Heard()
    await LookingAgain(Rewinds(CHANGED), look).perform(SESSION, REWIND, heard)
    assert heard.reports == [CHANGED]
