import os
from pathlib import Path

import pytest
from tests.performers.tools.files.staging import Desk

from hearth.core.vocabulary.permitting import WRITE


@pytest.mark.promise("DP-TOOL-01")
async def test_a_file_is_made_below_the_working_directory_with_its_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    desk = Desk(tmp_path, directory=tmp_path / "sub")
    done = await desk.write("new/a.txt", "caf\u00e9\n")
    assert done.text == "Created new/a.txt (+1 -0 lines)."
    assert (tmp_path / "sub" / "new" / "a.txt").read_bytes() == b"caf\xc3\xa9\n"
    [need] = desk.judged(desk.writing, {"path": "new/a.txt", "content": ""})[0].needs
    assert (need.permission, need.target) == (WRITE, "sub/new/a.txt")
    assert not desk.writing.read_only


@pytest.mark.promise("DP-TOOL-02")
async def test_an_absolute_path_is_written_where_it_says(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    desk = Desk(tmp_path / "project")
    assert not (await desk.write(tmp_path / "outside", "x")).is_error
    assert (tmp_path / "outside").read_text() == "x"
    assert not any((tmp_path / "project").iterdir())


async def test_what_was_not_read_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("theirs\n")
    desk = Desk(tmp_path)
    refused = await desk.write("a", "mine\n")
    assert refused.is_error
    assert "was not read in this session" in refused.text
    assert not refused.changes
    await desk.read("a")
    (tmp_path / "a").write_text("theirs, later\n")
    late = await desk.write("a", "mine\n")
    assert "changed since you read it" in late.text
    assert (tmp_path / "a").read_text() == "theirs, later\n"
    await desk.read("a")
    assert (await desk.write("a", "mine\n")).text.startswith("Replaced a (+1 -1 lines).")
    assert not (await desk.write("a", "mine again\n")).is_error
    assert (await desk.write("a", "mine again\n")).text == "a has this content already."


async def test_the_line_ends_and_the_mark_of_a_file_outlive_its_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\n")
    desk = Desk(tmp_path)
    await desk.read("a")
    await desk.write("a", "two\nthree\n")
    assert (tmp_path / "a").read_bytes() == b"\xef\xbb\xbftwo\r\nthree\r\n"


async def test_what_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    desk = Desk(tmp_path)
    told = {
        name: one.text
        for name in (
            "folder",
            "file/below",
            "pipe",
            "/dev/zero",
            "/proc/self/mem",
            "a\0",
            "n" * 300,
        )
        for one in [await desk.write(name, "x")]
        if one.is_error
    }
    assert len(told) == 7
    assert told["folder"] == "folder is a folder: name a file in it."
    assert "a file or a link is in the way" in told["file/below"]
    assert "is a named pipe, not a file" in told["pipe"]
    half = await desk.write("half", "\ud800")
    assert "half a character" in half.text
    assert not (tmp_path / "half").exists()


async def test_a_link_that_appears_after_the_judgement_is_not_written_through(
    tmp_path: Path,
) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    root.mkdir()
    outside.write_text("old")
    desk = Desk(root)
    _, scene = desk.judged(desk.writing, {"path": "new", "content": "x"})
    (root / "new").symlink_to(outside)
    refused = await desk.writing.run({"path": "new", "content": "x"}, scene)
    assert "changed since it was allowed" in refused.text
    (root / "sub").mkdir()
    _, scene = desk.judged(desk.writing, {"path": "sub/x", "content": "x"})
    (root / "sub").rmdir()
    (root / "sub").symlink_to(tmp_path)
    assert (await desk.writing.run({"path": "sub/x", "content": "x"}, scene)).is_error
    assert outside.read_text() == "old"
    assert not (tmp_path / "x").exists()


async def test_a_link_is_judged_as_what_it_leads_to_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old\n")
    (tmp_path / "link").symlink_to("real")
    desk = Desk(tmp_path)
    await desk.read("link")
    done = await desk.write("link", "new\n")
    assert done.files == (str(tmp_path / "real"),)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new\n"
