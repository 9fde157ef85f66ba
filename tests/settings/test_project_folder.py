import subprocess
from pathlib import Path

import pytest

from hearth.settings.project_folder import ProjectFolder


def tree(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


@pytest.mark.promise("DL-DIR-01")
def test_the_folder_is_made_once_and_again_without_harm(tmp_path: Path) -> None:
    folder = ProjectFolder(tmp_path)
    assert folder.skills == tmp_path / ".hearth" / "skills"
    assert tree(tmp_path) == [], "asking where it is makes nothing"
    folder.make()
    made = tree(tmp_path)
    assert made == [
        ".hearth",
        ".hearth/.gitignore",
        ".hearth/knowledge",
        ".hearth/sessions",
        ".hearth/skills",
    ]
    (folder.sessions / "kept").write_text("x")
    folder.make()
    assert tree(tmp_path) == sorted([*made, ".hearth/sessions/kept"])


@pytest.mark.promise("DL-DIR-02")
def test_what_belongs_to_one_person_is_kept_out_of_git(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)  # noqa: S603, S607 - git is on every developer's path
    ProjectFolder(tmp_path).make()

    def is_ignored(path: str) -> bool:
        asked = ["git", "-C", str(tmp_path), "check-ignore", "-q", path]
        return subprocess.run(asked, check=False, timeout=60).returncode == 0  # noqa: S603 - as above

    assert is_ignored(".hearth/sessions/a.jsonl")
    assert is_ignored(".hearth/knowledge/a.md")
    assert not is_ignored(".hearth/skills/a.md")
    assert not is_ignored(".hearth/skills/sessions/a.md")
    assert not is_ignored(".hearth/.gitignore")


@pytest.mark.promise("DL-DIR-02")
def test_a_gitignore_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    own = tmp_path / ".hearth" / ".gitignore"
    own.parent.mkdir()
    own.write_text("mine")
    ProjectFolder(tmp_path).make()
    assert own.read_text() == "mine"
    assert (tmp_path / ".hearth" / "skills").is_dir()


def test_a_file_in_its_place_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / ".hearth").write_text("x")
    with pytest.raises(OSError, match="hearth"):
        ProjectFolder(tmp_path).make()
    assert (tmp_path / ".hearth").read_text() == "x"
