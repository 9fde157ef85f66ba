from dataclasses import replace
from pathlib import Path

import pytest
from tests.performers.tools.files.staging import Desk

from hearth.core.vocabulary.permitting import READ, WRITE, Need, Verdict
from hearth.performers.tools.files.allowed import allowed_path, below, usual, wanted
from hearth.performers.tools.files.opening import NotOpened


def test_what_a_path_takes_is_what_the_judge_of_paths_says(tmp_path: Path) -> None:
    desk = Desk(tmp_path, forbidden=(str(tmp_path / "own"),))
    place = desk.place(desk.scene)
    [need] = wanted("a", WRITE, place).needs
    assert (need.permission, need.target, need.resolved) == (WRITE, "a", str(tmp_path / "a"))
    assert wanted("a", WRITE, place).may_change
    assert not wanted("a", READ, place).may_change
    assert {one.least for one in wanted("own/token", READ, place).needs} == {Verdict.DENY}
    assert {one.least for one in wanted(".git/hooks/x", WRITE, place).needs} == {Verdict.DENY}


@pytest.mark.parametrize("path", ["a\0b", "n" * 300, "/proc/self/environ"])
def test_what_leads_nowhere_can_never_be_run(tmp_path: Path, path: str) -> None:
    desk = Desk(tmp_path)
    found = wanted(path, READ, desk.place(desk.scene))
    assert "cannot be used: " in found.problem
    assert not found.may_change


def test_only_what_was_allowed_is_acted_on(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    place = desk.place(desk.scene)
    scene = replace(desk.scene, needs=(Need(READ, "a", str(tmp_path / "a")),))
    assert allowed_path("a", READ, scene, place) == str(tmp_path / "a")
    (tmp_path / "x").mkdir()
    assert allowed_path("./x/../a", READ, scene, place) == str(tmp_path / "a")
    for typed, permission in (("b", READ), ("a", WRITE), ("a\0", READ)):
        with pytest.raises(NotOpened):
            allowed_path(typed, permission, scene, place)


def test_a_sibling_with_the_same_beginning_is_not_below() -> None:
    assert below("/a/b", "/a")
    assert below("/a", "/a")
    assert below("/a", "/")
    assert not below("/ab", "/a")


def test_without_rules_the_stricter_of_usual_and_least_holds(tmp_path: Path) -> None:
    scene = Desk(tmp_path).scene
    assert usual(scene, Need(READ, "a", usual=Verdict.ALLOW)) is Verdict.ALLOW
    assert usual(scene, Need(READ, "a", usual=Verdict.ALLOW, least=Verdict.ASK)) is Verdict.ASK
    assert usual(scene, Need(READ, "a", usual=Verdict.DENY)) is Verdict.DENY
