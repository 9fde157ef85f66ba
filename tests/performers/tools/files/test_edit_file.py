import asyncio
from pathlib import Path

import pytest
from tests.performers.tools.files.staging import Desk, takes


async def test_several_places_are_edited_at_once_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\ny = 2\n")
    file.chmod(0o755)
    desk = Desk(tmp_path)
    await desk.read("a.py")
    refused = await desk.edit("a.py", ("x = 1", "x = 10"), ("z = 3", "z = 30"))
    assert refused.is_error
    assert refused.text.startswith("Nothing was written to a.py. edits[1]: `old` is not in the")
    assert file.read_text() == "x = 1\ny = 2\n"
    assert not refused.changes
    done = await desk.edit("a.py", ("x = 1", "x = 10"), ("y = 2", "y = 20"))
    assert done.text == "Edited a.py in 2 places (+2 -2 lines).\n1→x = 10\n2→y = 20"
    assert file.read_text() == "x = 10\ny = 20\n"
    assert file.stat().st_mode & 0o777 == 0o755


async def test_a_file_that_was_not_read_or_changed_since_is_not_edited(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n")
    desk = Desk(tmp_path)
    assert "was not read in this session" in (await desk.edit("a", ("one", "two"))).text
    await desk.read("a")
    (tmp_path / "a").write_text("one\nmore\n")
    late = await desk.edit("a", ("one", "two"))
    assert late.is_error
    assert "changed since you read it" in late.text
    assert (tmp_path / "a").read_text() == "one\nmore\n"
    (tmp_path / "a").write_text("one\n")  # what was read, whenever it was written
    assert not (await desk.edit("a", ("one", "two"))).is_error
    assert not (await desk.edit("a", ("two", "three"))).is_error


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\nc\r\n", b"a\r\n1\r\n2\r\nc\r\n"),
        (b"\xef\xbb\xbfa\nb\nc", b"\xef\xbb\xbfa\n1\n2\nc"),
        (b"caf\xe9\nb\nc\n", b"caf\xe9\n1\n2\nc\n"),
        ("a\nb\nc\n".encode("utf-16"), "a\n1\n2\nc\n".encode("utf-16")),
    ],
)
async def test_the_rest_of_a_file_stays_what_it_is_to_the_byte(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    (tmp_path / "a").write_bytes(before)
    desk = Desk(tmp_path)
    await desk.read("a")
    assert not (await desk.edit("a", ("\nb\n", "\n1\n2\n"))).is_error
    assert (tmp_path / "a").read_bytes() == after


async def test_parallel_edits_of_one_file_all_hold(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"<{number}>\n" for number in range(20)))
    desk = Desk(tmp_path)
    await desk.read("a")
    tool = desk.editing

    async def edit(number: int) -> bool:
        change = [{"old": f"<{number}>", "new": f"[{number}]"}]
        return (await desk.call(tool, path="a", edits=change)).is_error

    async with asyncio.timeout(30):
        assert not any(await asyncio.gather(*map(edit, range(20))))
    assert (tmp_path / "a").read_text() == "".join(f"[{number}]\n" for number in range(20))


async def test_what_cannot_be_edited_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "bin").write_bytes(b"a\0b")
    (tmp_path / "folder").mkdir()
    desk = Desk(tmp_path)
    await desk.read("bin")
    assert (await desk.edit("bin", ("a", "b"))).text == "bin is no text: it cannot be edited so."
    assert (await desk.edit("no", ("a", "b"))).text == "There is no no: to make it use write_file."
    assert (await desk.edit("folder", ("a", "b"))).text.startswith("folder is a folder")
    (tmp_path / "a").write_text("x\n")
    await desk.read("a")
    back = await desk.edit("a", ("x", "y"), ("y", "x"))
    assert "The edits undo each other" in back.text
    assert "half a character" in (await desk.edit("a", ("x", "\ud800"))).text
    assert (tmp_path / "a").read_text() == "x\n"


async def test_a_link_that_appears_after_the_judgement_is_not_edited(tmp_path: Path) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside"
    root.mkdir()
    for file in (root / "a", outside):
        file.write_text("x\n")
    desk = Desk(root)
    await desk.read("a")
    arguments = {"path": "a", "edits": [{"old": "x", "new": "y"}]}
    _, scene = desk.judged(desk.editing, arguments)
    (root / "a").unlink()
    (root / "a").symlink_to(outside)
    assert "changed since it was allowed" in (await desk.editing.run(arguments, scene)).text
    assert outside.read_text() == "x\n"


def test_what_a_model_may_ask_for_is_checked(tmp_path: Path) -> None:
    tool = Desk(tmp_path).editing
    assert takes(tool, '{"path": "a", "edits": [{"old": "x", "new": ""}]}')
    for bad in (
        '{"path": "a", "edits": []}',
        '{"path": "a", "edits": [{"old": "", "new": "x"}]}',
        '{"path": "a", "edits": [{"old": "x"}]}',
        '{"path": "a", "old": "x", "new": "y"}',
    ):
        with pytest.raises(ValueError, match=r"edits"):
            takes(tool, bad)
    assert not tool.read_only
