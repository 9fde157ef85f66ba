"""Taking files back as a session asks for it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.contracts.facts import draft_of, renamed
from tests.performers.snapshots.projects import project

from hearth.core.vocabulary.commands import SessionConfig, SessionMode, StopSession
from hearth.core.vocabulary.deeds import ChangeKind, FilesKept, PathChange
from hearth.core.vocabulary.effects import Effect
from hearth.core.vocabulary.envelope import Draft, Stored
from hearth.core.vocabulary.ids import CallId, InputId, SessionId, TurnId
from hearth.core.vocabulary.judging import ProjectRewound, RewindProject
from hearth.core.vocabulary.permitting import Kept
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.reports import Report
from hearth.performers.snapshots.performer import Rewinding
from hearth.performers.snapshots.snapshots import Snapshots

SESSION = SessionId("session-a1b2c3")
QUESTION = InputId("q1")


class Heard:
    """A stage that remembers."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def report(self, report: Report) -> None:
        self.reports.append(report)

    def show(self, progress: Progress) -> None:
        raise AssertionError(progress)


class Log:
    """The rows of one session."""

    def __init__(self) -> None:
        self.rows: list[Stored] = []
        self.asked: list[tuple[int, int]] = []

    def add(self, draft: Draft) -> int:
        place = len(self.rows) + 1
        self.rows.append(Stored(place + 100, SESSION, place, draft.data))
        return place

    def keep(self, kept: Kept) -> int:
        return self.add(draft_of(FilesKept(TurnId("t1"), CallId("c1"), kept)))

    async def read(self, session: SessionId, after: int, limit: int) -> Sequence[Stored]:
        assert session == SESSION
        self.asked.append((after, limit))
        return self.rows[after : after + limit]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = project(tmp_path / "loom", weave="1\n")
    (root / "pyproject.toml").write_text("")
    return root


@pytest.fixture
async def snapshots(tmp_path: Path) -> AsyncIterator[Snapshots]:
    made = Snapshots(tmp_path / "home", keeping=60)
    yield made
    await made.close()


@pytest.fixture
def log() -> Log:
    return Log()


async def told(performer: Rewinding, effect: Effect) -> ProjectRewound:
    stage = Heard()
    await performer.perform(SESSION, effect, stage)
    (report,) = stage.reports
    assert isinstance(report, ProjectRewound)
    assert report.question == QUESTION
    return report


def wish(root: Path, since: int = 1, *, kept: Kept | None = None, preview: bool = False) -> Effect:
    config = SessionConfig(directory=str(root))
    return RewindProject(QUESTION, config, since, kept=kept, preview=preview)


async def test_files_are_as_they_were_when_something_was_said_and_back_again(
    snapshots: Snapshots, log: Log, root: Path
) -> None:
    performer = Rewinding(snapshots, log.read)
    log.add(renamed())
    early = await snapshots.keep(str(root))
    log.keep(early)
    (root / "weave.py").write_text("1\n2\n")
    said = log.add(renamed())
    for _ in range(600):
        log.add(renamed())
    kept = await snapshots.keep(str(root))
    log.keep(kept)
    (root / "weave.py").write_text("1\n2\n3\n")
    log.keep(await snapshots.keep(str(root)))
    (root / "new").write_text("x\n")

    back = (
        PathChange("new", ChangeKind.DELETED, 0, 1),
        PathChange("weave.py", ChangeKind.CHANGED, 0, 1),
    )
    preview = await told(performer, wish(root, said, preview=True))
    assert preview == ProjectRewound(QUESTION, back, kept=kept)
    assert (root / "new").exists()

    done = await told(performer, wish(root, said))
    assert (done.changes, done.kept, done.problem) == (back, kept, "")
    assert (root / "weave.py").read_text() == "1\n2\n"
    assert not (root / "new").exists()
    assert done.before is not None

    undone = await told(performer, wish(root, 0, kept=done.before))
    assert undone.kept == done.before
    assert (root / "weave.py").read_text() == "1\n2\n3\n"
    assert (root / "new").read_text() == "x\n"
    assert {limit for _, limit in log.asked} == {500}
    await performer.close()


async def test_where_nothing_was_kept_since_nothing_has_to_change(
    snapshots: Snapshots, log: Log, root: Path
) -> None:
    log.keep(await snapshots.keep(str(root)))
    said = log.add(renamed())
    log.add(renamed())
    (root / "weave.py").write_text("by hand")
    assert await told(Rewinding(snapshots, log.read), wish(root, said)) == ProjectRewound(QUESTION)
    assert (root / "weave.py").read_text() == "by hand"


async def test_without_an_earlier_rewind_there_is_nothing_to_undo(
    snapshots: Snapshots, log: Log, root: Path
) -> None:
    log.keep(await snapshots.keep(str(root)))
    (root / "weave.py").write_text("changed")
    report = await told(Rewinding(snapshots, log.read), wish(root, 0))
    assert report.problem == "no files were taken back yet, so there is nothing to undo"
    assert (root / "weave.py").read_text() == "changed"


async def test_the_files_of_another_project_are_not_touched(
    snapshots: Snapshots, log: Log, root: Path, tmp_path: Path
) -> None:
    other = project(tmp_path / "other", weave="1")
    log.add(renamed())
    log.keep(await snapshots.keep(str(other)))
    (other / "weave.py").write_text("changed")
    performer = Rewinding(snapshots, log.read)
    report = await told(performer, wish(root))
    assert report.problem == (
        f"the files were kept in {other}, and the project of this session is {root} now"
    )
    bare = SessionConfig(directory=str(other), mode=SessionMode.BARE)
    report = await told(performer, RewindProject(QUESTION, bare, 1))
    assert "belongs to no project" in report.problem
    assert (other / "weave.py").read_text() == "changed"


async def test_what_could_not_be_brought_back_is_told_with_what_was(
    snapshots: Snapshots, log: Log, root: Path
) -> None:
    (root / "spin").mkdir()
    (root / "spin" / "one").write_text("1")
    kept = await snapshots.keep(str(root))
    log.add(renamed())
    log.keep(kept)
    (root / "weave.py").unlink()
    (root / "spin" / "one").unlink()
    (root / "spin" / "one").mkdir()
    (root / ".gitignore").write_text("hidden\n")
    (root / "spin" / "one" / "hidden").write_text("ignored")
    report = await told(Rewinding(snapshots, log.read), wish(root))
    assert "spin/one (a folder is there" in report.problem
    assert {one.path for one in report.changes} == {".gitignore", "weave.py"}
    assert report.kept == kept
    assert report.before is not None
    assert (root / "spin" / "one" / "hidden").exists()


async def test_a_state_that_is_gone_is_a_sentence(
    snapshots: Snapshots, log: Log, root: Path
) -> None:
    report = await told(Rewinding(snapshots, log.read), wish(root, kept=Kept(str(root), "1" * 40)))
    assert "no longer kept" in report.problem
    assert report.changes == ()


async def test_a_log_that_cannot_be_read_is_a_sentence(snapshots: Snapshots, root: Path) -> None:
    async def broken(_session: SessionId, _after: int, _limit: int) -> Sequence[Stored]:
        raise ConnectionError("the store is down")

    report = await told(Rewinding(snapshots, broken), wish(root))
    assert report.problem.endswith("at the moment: the store is down; try again")


async def test_other_effects_are_a_defect(snapshots: Snapshots, log: Log) -> None:
    performer = Rewinding(snapshots, log.read)
    assert performer.effects == {RewindProject}
    with pytest.raises(TypeError, match="no performer of StopSession"):
        await performer.perform(SESSION, StopSession(""), Heard())  # type: ignore[arg-type] # no effect
