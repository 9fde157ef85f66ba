"""The projects of a folder."""

from pathlib import Path

import pytest

from hearth.serving.showing_projects import ShownProjects


@pytest.mark.promise("SF-RES-06")
async def test_they_are_those_of_the_root_that_the_folder_belongs_to(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n')
    found = await ShownProjects().found(str(tmp_path / "a"))
    assert (found.root, found.source) == (str(tmp_path), "git")
    assert set(found.projects) >= {str(tmp_path / "a"), str(tmp_path / "b")}


async def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert (await ShownProjects().found(str(tmp_path / "nothing"))).projects == ()
