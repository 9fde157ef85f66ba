from pathlib import Path

from tests.performers.tools.files.staging import Desk

from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.deeds import ChangeKind
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.tools.files.seen import Seen, digest_of
from hearth.performers.tools.files.writing import Change, Writing
from hearth.performers.tools.tool import Scene


async def test_a_change_is_told_with_what_was_there_and_what_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one\ntwo\n")
    desk = Desk(tmp_path)
    await desk.read("a")
    done = await desk.edit("a", ("two", "2\n3"))
    [change] = done.changes
    assert change.path == str(tmp_path / "a")
    assert change.kind is ChangeKind.CHANGED
    assert change.before is not None
    assert desk.kept[change.before.sha256] == b"one\ntwo\n"
    assert change.after == digest_of(b"one\n2\n3\n")
    assert change.diff == (
        f"--- {tmp_path}/a\n+++ {tmp_path}/a\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n"
    )
    assert (change.added, change.removed) == (2, 1)
    assert done.files == (str(tmp_path / "a"),)
    assert done.text == "Edited a in 1 place (+2 -1 lines).\n1→one\n2→2\n3→3"


async def test_what_was_there_is_kept_before_anything_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"old\n")

    class Watched(Desk):
        async def _keep(self, content: bytes, media_type: str) -> Blob:
            assert file.read_bytes() == b"old\n"
            return await super()._keep(content, media_type)

    desk = Watched(tmp_path)
    await desk.read("a")
    assert not (await desk.write("a", "new\n")).is_error
    assert list(desk.kept.values()) == [b"old\n"]


async def test_a_long_diff_is_kept_beside_the_log(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    [change] = (await desk.write("a", "line\n" * 10_000)).changes
    assert isinstance(change.diff, Blob)
    assert change.diff.media_type == "text/x-diff"
    assert desk.kept[change.diff.sha256].count(b"+line\n") == 10_000
    assert (change.kind, change.before, change.added) == (ChangeKind.CREATED, None, 10_000)


async def test_only_so_much_of_a_change_is_shown_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("".join(f"{number} x{'y' * 900}\n" for number in range(1000)))
    desk = Desk(tmp_path)
    await desk.read("a")
    done = await desk.call(desk.editing, path="a", edits=[{"old": " x", "new": " z", "all": True}])
    assert done.text.startswith("Edited a in 1000 places (+1000 -1000 lines).\n   1→0 zy")
    assert done.text.endswith("\n…")
    assert len(done.text) < 20_000


async def test_others_may_add_what_they_found_and_never_break_it(tmp_path: Path) -> None:
    told: list[tuple[str, ...]] = []

    async def check(_scene: Scene, paths: tuple[str, ...]) -> str:
        told.append(paths)
        if len(told) > 1:
            raise RuntimeError("the checker is gone")
        return "1 new problem"

    desk = Desk(tmp_path, after_write=check)
    first = await desk.write("a", "x\n")
    assert first.text == "Created a (+1 -0 lines).\n\n1 new problem"
    assert told == [(str(tmp_path / "a"),)]
    second = await desk.write("a", "y\n")
    assert not second.is_error
    assert "checker" not in second.text
    assert (tmp_path / "a").read_text() == "y\n"


async def test_bytes_that_are_no_text_do_not_reach_the_log(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"caf\xe9\nx\n")
    desk = Desk(tmp_path)
    await desk.read("a")
    done = await desk.edit("a", ("x", "y"))
    assert (tmp_path / "a").read_bytes() == b"caf\xe9\ny\n"
    assert isinstance(done.changes[0].diff, str)
    (done.text + done.changes[0].diff).encode()  # which half a character could not be


async def test_others_may_look_before_a_file_is_replaced_and_stop_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    looked: list[str] = []

    def content(one: str) -> str:
        return Path(one).read_text()

    async def look(_scene: Scene, paths: tuple[str, ...]) -> None:
        looked.extend(map(content, paths))
        raise RuntimeError("no idea")

    writing = Writing(Seen(), before_write=look)
    scene = Scene(SessionId("s"), str(tmp_path), str(tmp_path))
    change = Change(str(path), "a.txt", b"old", b"new")
    outcome = await writing.carry_out(change, scene, "Replaced a.txt")
    assert looked == ["old"]
    assert not outcome.is_error
    assert path.read_text() == "new"
    await writing.carry_out(Change(str(tmp_path / "b"), "b", None, b"x"), scene, "Made b")
    assert looked == ["old"]
