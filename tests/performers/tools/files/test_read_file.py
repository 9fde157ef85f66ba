import asyncio
import os
import struct
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.performers.tools.files.staging import Desk, takes

from hearth.core.vocabulary.permitting import EXTERNAL, READ
from hearth.performers.tools.files import lines, read_file
from hearth.performers.tools.files.seen import digest_of

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + bytes(100)


@pytest.mark.promise("DP-TOOL-01")
async def test_a_path_begins_at_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("below\n")
    (tmp_path / "a.txt").write_text("above\n")
    assert "1→above" in (await Desk(tmp_path).read("a.txt")).text
    desk = Desk(tmp_path, directory=tmp_path / "sub")
    below = await desk.read("a.txt")
    assert "1→below" in below.text
    assert below.files == (str(tmp_path / "sub" / "a.txt"),)
    assert "1→above" in (await desk.read("../a.txt")).text


@pytest.mark.promise("DP-TOOL-02")
async def test_an_absolute_path_is_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    outside = tmp_path / "spilled.txt"
    outside.write_text("outside\n")
    desk = Desk(tmp_path / "project")
    assert "1→outside" in (await desk.read(outside)).text
    wanted, _ = desk.judged(desk.reading, {"path": str(outside)})
    assert [(need.permission, need.target) for need in wanted.needs] == [
        (READ, str(outside)),
        (EXTERNAL, str(outside)),
    ]
    assert not wanted.may_change
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "1→outside" in (await desk.read("~/spilled.txt")).text


@pytest.mark.promise("DP-TOOL-03")
async def test_a_plain_read_is_five_hundred_lines_and_never_longer_than_a_result(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "short").write_text("".join(f"line {number}\n" for number in range(1, 401)))
    whole = await desk.read("short")
    assert whole.text.startswith("short, lines 1-400 of 400 (number→ is not part of the file):\n")
    assert whole.text.endswith("\n400→line 400")
    (tmp_path / "long").write_text("".join(f"line {number}\n" for number in range(1, 601)))
    part = await desk.read("long")
    assert part.text.startswith("long, lines 1-500 of 600")
    assert part.text.endswith("\n500→line 500\nRead on with offset=501.")
    rest = await desk.read("long", offset=501)
    assert "\n501→line 501\n" in rest.text
    assert "Read on" not in rest.text
    for width in (30, 60, 1900, 2500):
        (tmp_path / "wide").write_text(f"{'x' * width}\r\n" * 600 + "\xff")
        wide = await desk.read("wide")
        assert 16_000 < len(wide.text) <= 20_000
        assert "Read on with offset=" in wide.text


@pytest.mark.promise("DP-TOOL-03")
async def test_a_line_of_a_megabyte_is_cut_and_can_be_read_on_in(tmp_path: Path) -> None:
    line = "".join(f"{number:06}," for number in range(150_000))
    (tmp_path / "data.json").write_text(f"first\n{line}\nlast\n")
    desk = Desk(tmp_path)
    cut = await desk.read("data.json")
    assert len(cut.text) < 3000
    assert "3→last" in cut.text
    assert (
        "Line 2 has 1050000 characters, 1-2000 are shown. "
        "Read on with offset=2, limit=1, column=2001." in cut.text
    )
    part = await desk.read("data.json", offset=2, limit=1, column=2001)
    assert f"2→{line[2000:4000]}" in part.text
    assert len(part.text) <= 20_000
    assert "limit=1, column=20001." in part.text
    end = await desk.read("data.json", offset=2, limit=1, column=1_049_994)
    assert "2→149999," in end.text
    assert "column=" not in end.text


async def test_what_a_model_may_ask_for_is_checked(tmp_path: Path) -> None:
    tool = Desk(tmp_path).reading
    assert takes(tool, '{"path": "a", "offset": 3}') == {"path": "a", "offset": 3}
    for bad in ('{"path": ""}', '{"path": "a", "offset": 0}', '{"path": "a", "lines": 1}', "{}"):
        with pytest.raises(ValueError, match=r"is|has|must|missing"):
            takes(tool, bad)
    assert tool.read_only
    assert tool.is_offered(Desk(tmp_path).scene)


async def test_a_picture_is_shown(tmp_path: Path) -> None:
    (tmp_path / "shot.txt").write_bytes(PNG)  # whatever it is called
    desk = Desk(tmp_path)
    seen = await desk.read("shot.txt")
    assert seen.text == "shot.txt is an image (image/png): 640 by 480 pixels, 124 bytes."
    [picture] = seen.pictures
    assert picture.media_type == "image/png"
    assert desk.kept[picture.sha256] == PNG


async def test_a_picture_that_is_too_large_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_file, "LARGEST_PICTURE", 50)
    (tmp_path / "a.png").write_bytes(PNG)
    told = await Desk(tmp_path).read("a.png")
    assert told.text.startswith("a.png is an image (image/png), 124 bytes: it cannot be read")
    assert not told.pictures


async def test_other_files_are_a_sentence(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b\0\0")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "three").write_bytes(b"1\n2\n3")
    (tmp_path / "folder").mkdir()
    told = {
        name: (one.text, one.is_error)
        for name in ("a.gz", "empty", "folder", "thre", "far/away")
        for one in [await desk.read(name)]
    }
    zipped = "a.gz is gzip-compressed, 4 bytes: it cannot be read as text."
    assert told == {
        "a.gz": (zipped, False),
        "empty": ("empty is empty.", False),
        "folder": ("folder is a folder: use list_files to see it.", True),
        "thre": ("There is no thre. Beside it: three.", True),
        "far/away": ("There is no far/away. Its folder is not there either.", True),
    }
    assert (await desk.read("three", offset=4)).text == "three has 3 lines; there is no line 4."
    assert "The last line does not end in a newline." in (await desk.read("three")).text


@pytest.mark.parametrize(
    ("content", "line", "note"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9\n", "1→caf\u00e9", "It begins with a byte order mark"),
        (b"caf\xc3\xa9\r\n", "1→caf\u00e9", "Lines end in CR LF"),
        (b"caf\xe9 au lait\n", "1→caf\ufffd au lait", "Some bytes are not UTF-8"),
        ("caf\u00e9\n".encode("utf-16"), "1→caf\u00e9", "It is encoded as utf-16-le"),
        (b"\xfe\xff\0a\0\n", "1→a", "It is encoded as utf-16-be"),
    ],
)
async def test_every_encoding_is_read_and_said(
    tmp_path: Path, content: bytes, line: str, note: str
) -> None:
    (tmp_path / "a").write_bytes(content)
    told = (await Desk(tmp_path).read("a")).text
    assert line in told.split("\n")
    assert note in told


async def test_what_was_read_is_remembered_for_the_session_that_read_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    desk = Desk(tmp_path)
    await desk.read("a", limit=1)
    assert desk.seen.digest(desk.session, str(tmp_path / "a")) == digest_of(b"one\ntwo\n")
    assert desk.seen.digest("another", str(tmp_path / "a")) is None


async def test_forty_reads_at_once_all_come_back(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"f{number}").write_text(f"content {number}\n" * 1000)
    desk = Desk(tmp_path)
    async with asyncio.timeout(30):
        read = await asyncio.gather(*(desk.read(f"f{number}") for number in range(40)))
    for number, one in enumerate(read):
        assert f"1→content {number}\n" in one.text


class TestAttacks:
    async def test_a_link_that_appears_after_the_judgement_is_refused(self, tmp_path: Path) -> None:
        root, secret = tmp_path / "project", tmp_path / "secret"
        root.mkdir()
        secret.write_text("key")
        (root / "a").write_text("harmless")
        desk = Desk(root)
        _, scene = desk.judged(desk.reading, {"path": "a"})
        (root / "a").unlink()
        (root / "a").symlink_to(secret)
        told = await desk.reading.run({"path": "a"}, scene)
        assert told.is_error
        assert "changed since it was allowed: it is now" in told.text
        assert "key" not in told.text

    async def test_a_folder_that_becomes_a_link_after_the_judgement_is_refused(
        self, tmp_path: Path
    ) -> None:
        root = tmp_path / "project"
        for folder in (root / "sub", tmp_path / "out"):
            folder.mkdir(parents=True)
            (folder / "f").write_text(folder.name)
        desk = Desk(root)
        _, scene = desk.judged(desk.reading, {"path": "sub/f"})
        (root / "sub").rename(root / "aside")
        (root / "sub").symlink_to(tmp_path / "out")
        told = await desk.reading.run({"path": "sub/f"}, scene)
        assert told.is_error
        assert "changed since it was allowed" in told.text

    async def test_nothing_is_read_that_was_not_allowed(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("x")
        desk = Desk(tmp_path)
        told = await desk.reading.run({"path": "a"}, replace(desk.scene, needs=()))
        assert told.is_error
        _, scene = desk.judged(desk.writing, {"path": "a", "content": ""})
        assert (await desk.reading.run({"path": "a"}, scene)).is_error

    @pytest.mark.parametrize(
        "path",
        [
            "/proc/self/environ",
            "/proc/self/mem",
            "/proc/1/environ",
            "/proc/self/root/etc/passwd",
            "/dev/zero",
            "/dev/stdin",
            "a\0b",
            "n" * 5000,
            "d/" * 3000 + "f",
            "\ud800",
            "",
        ],
    )
    async def test_what_is_no_file_of_anybody_is_a_short_sentence(
        self, tmp_path: Path, path: str
    ) -> None:
        begun = time.perf_counter()
        told = await Desk(tmp_path).read(path)
        assert told.is_error
        assert len(told.text) < 500
        assert "HOME=" not in told.text
        assert time.perf_counter() - begun < 5

    async def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        async with asyncio.timeout(20):
            told = await Desk(tmp_path).read("pipe")
        assert told.is_error
        assert "is a named pipe, not a file" in told.text

    async def test_a_sparse_file_of_four_gigabytes_is_told_at_once(self, tmp_path: Path) -> None:
        with (tmp_path / "zeros").open("wb") as file:
            file.truncate(4 << 30)
        with (tmp_path / "head").open("wb") as file:
            file.write(b"some text\n" * 2000)
            file.truncate(4 << 30)
        desk = Desk(tmp_path)
        async with asyncio.timeout(20):
            zeros, head = await desk.read("zeros"), await desk.read("head")
        assert "binary data, zeros as far as was looked, 4.0 GiB" in zeros.text
        assert "lines 1-500 of more than 200" in head.text

    async def test_a_file_that_is_written_to_while_it_is_read_is_told_and_not_remembered(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "a"
        file.write_text("before\n")
        real = lines.taken

        def meanwhile(*arguments: object) -> object:
            found = real(*arguments)  # type: ignore[arg-type] # what it is given goes on
            file.write_text("after, and longer\n")
            return found

        monkeypatch.setattr(read_file, "taken", meanwhile)
        desk = Desk(tmp_path)
        told = await desk.read("a")
        assert told.text.startswith("It was being written to while it was read: read it again.")
        assert desk.seen.digest(desk.session, str(file)) is None

    async def test_a_file_that_is_replaced_while_it_is_read_is_read_as_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file, other = tmp_path / "a", tmp_path / "other"
        file.write_text("before\n")
        other.write_text("after\n")
        real = lines.taken

        def meanwhile(*arguments: object) -> object:
            other.rename(file)
            return real(*arguments)  # type: ignore[arg-type] # what it is given goes on

        monkeypatch.setattr(read_file, "taken", meanwhile)
        desk = Desk(tmp_path)
        assert "1→before" in (await desk.read("a")).text
        late = await desk.edit("a", ("before", "mine"))
        assert "changed since you read it" in late.text
        assert file.read_text() == "after\n"
