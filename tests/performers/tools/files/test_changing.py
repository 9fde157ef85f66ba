"""Both tools that write files want the same and answer alike."""

from pathlib import Path

import pytest
from tests.performers.tools.files.staging import Desk

from hearth.core.vocabulary.permitting import WRITE


@pytest.mark.promise("DP-PERM-09")
def test_they_want_to_write_the_file(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for tool in (desk.writing, desk.editing):
        [need] = desk.judged(tool, {"path": "a"})[0].needs
        assert (need.permission, need.target) == (WRITE, "a")
        assert tool.is_offered(desk.scene)
        assert not tool.read_only


async def test_a_folder_is_told_as_one_and_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    desk = Desk(tmp_path)
    told = [await desk.write("folder", "x"), await desk.edit("folder", ("a", "b"))]
    assert {one.text for one in told} == {"folder is a folder: name a file in it."}
    assert all(one.is_error for one in told)
    assert (tmp_path / "folder").is_dir()
