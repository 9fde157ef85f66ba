"""What would be said to a command is told with the rule, the grant or the doubt it is said by."""

from pathlib import Path

import pytest

from hearth.core.rules.permission import AUTO, Layer, Rule
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.permitting import EXECUTE, Grant, Verdict
from hearth.performers.judging.paths import Place
from hearth.performers.tools.explaining import Explained, explain_command
from hearth.performers.tools.tool import Scene
from hearth.settings.permissions import PermissionSettings


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("a")
    return tmp_path


def explained(
    command: str,
    project: Path,
    *rules: Rule,
    grants: tuple[Grant, ...] = (),
    settings: PermissionSettings | None = None,
) -> Explained:
    said = settings or PermissionSettings(layers=(Layer("yours", rules),))
    place = Place(str(project), str(project))
    scene = Scene(SessionId(""), str(project), str(project))
    return explain_command(command, scene, said, grants, place)


def test_what_only_reads_in_the_project_is_allowed_as_usual(project: Path) -> None:
    found = explained("cat a.txt", project)
    assert found.verdict is Verdict.ALLOW
    assert found.parts == ("cat a.txt",)
    assert {one.by for one in found.judged} == {"usual"}
    assert (found.doubts, found.problem) == ((), "")
    assert "cat a.txt" in found.parse


def test_the_rule_that_decides_is_named_with_its_place(project: Path) -> None:
    rule = Rule(EXECUTE, "git push *", Verdict.DENY, "hearth.jsonc:7")
    found = explained("cat a.txt && git push origin main", project, rule)
    assert found.verdict is Verdict.DENY
    (said,) = [one for one in found.judged if one.verdict is Verdict.DENY]
    assert said.need.target == "git push origin main"
    assert "hearth.jsonc:7" in said.by
    assert not found.problem


def test_a_grant_makes_a_yes_of_a_question_and_is_named(project: Path) -> None:
    asked = explained("make build", project)
    assert asked.verdict is Verdict.ASK
    found = explained("make build", project, grants=(Grant(EXECUTE, "make *"),))
    assert [one.by for one in found.judged if one.need.permission == EXECUTE] == [
        'grant execute "make *"'
    ]


def test_what_cannot_be_proven_is_a_doubt_that_no_grant_takes_away(project: Path) -> None:
    found = explained("$(cat a.txt) x", project, grants=(Grant(EXECUTE, "*"),))
    assert found.verdict is Verdict.ASK
    unproven = [one for one in found.judged if one.need.least is Verdict.ASK]
    assert found.doubts == tuple(one.need.why for one in unproven)
    assert "nobody can say" in found.doubts[0]


def test_what_would_be_asked_is_allowed_where_nobody_is_asked(project: Path) -> None:
    found = explained("make", project, settings=PermissionSettings(mode="auto"))
    assert found.verdict is Verdict.ALLOW
    assert AUTO in {one.by for one in found.judged}


def test_what_would_never_be_run_is_denied_and_says_why(project: Path) -> None:
    broken = explained("echo 'half", project)
    assert broken.verdict is Verdict.DENY
    assert "could not read" in broken.problem
    off = PermissionSettings(disabled_tools=frozenset({"run_shell"}))
    assert "switched off" in explained("ls", project, settings=off).problem
    gone = explained("ls", project / "nowhere")
    assert (gone.verdict, "no directory" in gone.problem) == (Verdict.DENY, True)


def test_nothing_of_it_is_run(project: Path) -> None:
    found = explained("touch b.txt; rm a.txt", project)
    assert found.verdict is Verdict.ASK
    assert sorted(one.name for one in project.iterdir()) == ["a.txt"]
