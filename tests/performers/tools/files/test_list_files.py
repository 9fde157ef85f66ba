import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.performers.tools.files.staging import Desk

from hearth.core.vocabulary.permitting import Need, Verdict
from hearth.performers.tools.files import listing
from hearth.performers.tools.files.list_files import ListFiles
from hearth.performers.tools.tool import Outcome, Scene


async def lists(desk: Desk, **arguments: Any) -> Outcome:
    return await desk.call(ListFiles(desk.place), **arguments)


def tree(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("x\n")


@pytest.mark.promise("DP-TOOL-01")
async def test_a_folder_is_listed_with_its_kinds(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)  # noqa: ASYNC221, S603, S607 - the git of the tests
    tree(tmp_path, "a.py", "src/b.py", "src/deep/c.py", "build/out.o")
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "link").symlink_to("a.py")
    (tmp_path / "empty").mkdir()
    told = await lists(Desk(tmp_path))
    assert told.text.split("\n") == [
        ".: 4 entries",
        ".gitignore",
        "a.py",
        "link@",
        "src/ (2 files)",
        "Empty or ignored by git, so not counted: build/, empty/.",
    ]
    assert told.files == (str(tmp_path),)
    below = await lists(Desk(tmp_path, directory=tmp_path / "src"))
    assert below.text.split("\n")[:2] == [".: 2 entries", "b.py"]


@pytest.mark.promise("DP-TOOL-01", "DP-TOOL-02")
async def test_files_are_found_by_glob_here_and_elsewhere(tmp_path: Path) -> None:
    tree(tmp_path, "p/a.py", "p/src/b.py", "p/src/c.md", "q/d.py")
    desk = Desk(tmp_path / "p")
    assert (await lists(desk, pattern="*.py")).text == ".: 2 files match *.py\na.py\nsrc/b.py"
    assert (await lists(desk, pattern="src/*")).text.split("\n")[1:] == ["src/b.py", "src/c.md"]
    assert (await lists(desk, pattern="**/")).text == ".: 1 folders match **/\nsrc/"
    elsewhere = await lists(desk, path=str(tmp_path / "q"), pattern="*.py")
    assert elsewhere.text.split("\n")[1:] == ["d.py"]


async def test_what_changed_last_can_come_first_and_only_so_many(tmp_path: Path) -> None:
    tree(tmp_path, *(f"f{number}" for number in range(5)))
    for number in range(5):
        os.utime(tmp_path / f"f{number}", (number, 100 + number))
    told = await lists(Desk(tmp_path), pattern="f*", newest=True, limit=2)
    assert told.text.split("\n") == [
        ".: 5 files match f*, last changed first",
        "f4",
        "f3",
        "… and 3 more: narrow the pattern, list a folder below, or raise the limit.",
    ]


async def test_a_long_list_fits_into_a_result(tmp_path: Path) -> None:
    tree(tmp_path, *(f"{'n' * 100}{number}" for number in range(400)))
    told = await lists(Desk(tmp_path), limit=2000)
    assert len(told.text) < 20_000
    assert "more: narrow the pattern" in told.text


async def test_what_nobody_may_see_is_not_named(tmp_path: Path) -> None:
    tree(tmp_path, "a", "own/token", "rule/b")
    desk = Desk(tmp_path, forbidden=(str(tmp_path / "own"),))
    told = await lists(desk, pattern="**")
    assert told.text.split("\n")[:3] == [".: 2 files match **", "a", "rule/b"]

    def judge(_scene: Scene, need: Need) -> Verdict:
        return Verdict.DENY if need.target == "rule/b" else Verdict.ALLOW

    ruled = await desk.call(ListFiles(desk.place, judge), pattern="**")
    assert "rule" not in ruled.text


async def test_what_cannot_be_listed_is_a_sentence(tmp_path: Path) -> None:
    tree(tmp_path, "file")
    desk = Desk(tmp_path)
    for arguments in (
        {"path": "file"},
        {"path": "missing"},
        {"path": "/proc/self"},
        {"path": "a\0"},
        {"path": "n" * 5000},
        {"pattern": "../*"},
    ):
        told = await lists(desk, **arguments)
        assert told.is_error
        assert len(told.text) < 500


async def test_a_folder_that_becomes_a_link_after_the_judgement_is_refused(tmp_path: Path) -> None:
    tree(tmp_path, "p/sub/a", "out/secret")
    desk = Desk(tmp_path / "p")
    tool = ListFiles(desk.place)
    _, scene = desk.judged(tool, {"path": "sub"})
    (tmp_path / "p" / "sub").rename(tmp_path / "p" / "aside")
    (tmp_path / "p" / "sub").symlink_to(tmp_path / "out")
    told = await tool.run({"path": "sub"}, scene)
    assert told.is_error
    assert "secret" not in told.text
    assert tool.read_only


async def test_a_name_with_lines_in_it_makes_no_entries_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a\nsecrets.txt").write_text("needle\n")
    outcome = await lists(Desk(tmp_path))
    assert outcome.text.splitlines()[1:] == ["a\\nsecrets.txt"]


async def test_where_there_are_too_many_files_none_is_said_to_be_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)  # noqa: ASYNC221, S603, S607 - the git of the tests
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(listing, "MOST", 2)
    outcome = await lists(Desk(tmp_path))
    assert "3 entries" in outcome.text
    assert "ignored" not in outcome.text
