"""Lines that must ask, lines that must not."""

from collections import Counter
from pathlib import Path

import pytest
from tests.performers.judging.shell.benign import BENIGN
from tests.performers.judging.shell.everyday import EVERYDAY
from tests.performers.judging.shell.hostile import HOSTILE, Hostile
from tests.performers.judging.shell.project import Project, make_project

from hearth.core.rules.permission import strictest
from hearth.core.vocabulary.permitting import Verdict


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("judged"))


@pytest.mark.promise("DP-SHELL-02", "DP-SHELL-07")
@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda one: f"{one.kind}: {one.line[:60]!r}")
def test_a_hostile_line_gets_at_least_what_it_must(hostile: Hostile, project: Project) -> None:
    verdict = project.verdict(hostile.line)

    assert strictest([verdict, hostile.least]) is verdict, project.analyse(hostile.line).shown
    assert verdict is not Verdict.ALLOW


@pytest.mark.parametrize("line", EVERYDAY)
def test_an_everyday_command_never_asks(line: str, project: Project) -> None:
    found = project.analyse(line)

    assert project.verdict(line) is Verdict.ALLOW, found.shown
    assert found.reads_only
    assert found.parts
    assert not found.doubts


@pytest.mark.parametrize("line", BENIGN)
def test_a_benign_line_never_asks(line: str, project: Project) -> None:
    found = project.analyse(line)

    assert project.verdict(line) is Verdict.ALLOW, found.shown
    assert found.reads_only


def test_the_corpora_are_as_large_as_they_must_be() -> None:
    assert len(set(EVERYDAY)) == len(EVERYDAY) == 100
    assert len(set(BENIGN)) == len(BENIGN) >= 70
    assert len({one.line for one in HOSTILE}) >= 170
    assert len(Counter(one.kind for one in HOSTILE)) >= 10


def test_looking_at_a_line_changes_nothing(project: Project) -> None:
    before = _state(project.root.parent)
    for hostile in HOSTILE:
        project.analyse(hostile.line)

    assert _state(project.root.parent) == before


def _state(top: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in sorted(top.rglob("*"))}
