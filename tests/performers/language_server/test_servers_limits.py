"""Servers that are late, broken or gone: an edit is not held up, and nothing is lost."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.performers.interpreter.checking.pretended_server import BABBLING, SILENT
from tests.performers.language_server import pretended as parts
from tests.performers.language_server.conftest import PATIENT

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_server.detecting import ServerChange, ServerSpec, specs_of
from hearth.performers.language_server.findings import ServerState
from hearth.performers.language_server.pool import Bounds
from hearth.performers.language_server.server import Ways
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.tools.tool import Scene

HASTY = Bounds(after_write=0.05, asking=60)
Serving = Callable[..., LanguageServers]


def put(root: Path, name: str, text: str) -> str:
    (root / name).write_text(text)
    return str(root / name)


@pytest.mark.parametrize("part", [SILENT, parts.MUTE, parts.STILLBORN, BABBLING, parts.PULLED])
async def test_an_edit_is_not_held_up_by_a_server_that_does_not_answer(
    part: str, serving: Serving, scene: Scene, root: Path
) -> None:
    servers = serving(part, bounds=HASTY)
    async with asyncio.timeout(30):
        assert await servers.after_write(scene, (put(root, "a.py", "bad hangs\n"),)) == ""


async def test_looking_before_and_after_a_write_takes_no_longer_than_an_edit_may_wait(
    serving: Serving, scene: Scene, root: Path
) -> None:
    servers = serving(parts.MUTE, bounds=Bounds(after_write=2.0))
    paths = (put(root, "a.py", "bad\n"),)
    began = time.monotonic()
    await servers.before_write(scene, paths)
    assert await servers.after_write(scene, paths) == ""
    assert time.monotonic() - began < 3.5  # each alone would take 2


@pytest.mark.promise("DP-LSP-01")
@pytest.mark.parametrize(
    "which",
    [
        ("tsconfig.json", "typescript", "a.ts"),
        ("package.json", "typescript", "a.jsx"),
        ("go.mod", "gopls", "a.go"),
        ("Cargo.toml", "rust-analyzer", "a.rs"),
        ("README.md", "mine", "a.my"),
    ],
    ids=" ".join,
)
async def test_a_project_gets_its_server_by_its_files_with_the_command_of_the_settings(
    which: tuple[str, str, str],
    scene: Scene,
    root: Path,
    pretended: Callable[[str], ServerSpec],
) -> None:
    marker, server, file = which
    (root / "pyproject.toml").unlink()
    put(root, marker, "")
    (program,) = pretended(parts.PUSHING).command
    files = ("*.my",) if server == "mine" else ()
    changes = {server: ServerChange(program, (), files)}
    servers = LanguageServers(lambda at: specs_of(at, changes, is_trusted=True), bounds=PATIENT)
    try:
        told = await servers.after_write(scene, (put(root, file, "bad\n"),))
        assert f"{file}:1:1 error bad: bad (B1, {server})" in told
        assert [one.server for one in servers.status() if one.pid] == [server]
    finally:
        await servers.close()


async def test_what_comes_too_late_is_told_with_the_next_edit(
    serving: Serving, scene: Scene, root: Path
) -> None:
    os.mkfifo(root / "go")
    go = os.open(root / "go", os.O_RDWR)
    servers = serving(parts.WAITING)
    os.write(go, b"x")
    assert await servers.after_write(scene, (put(root, "a.py", "fine\n"),)) == ""
    servers._bounds = HASTY
    assert await servers.after_write(scene, (put(root, "a.py", "bad\n"),)) == ""
    servers._bounds = PATIENT
    os.write(go, b"xx")
    told = await servers.after_write(scene, (put(root, "a.py", "bad\nmore\n"),))
    assert "a.py:1:1 error bad: bad (B1, curious)" in told
    os.write(go, b"x")
    assert await servers.after_write(scene, (put(root, "a.py", "bad\n"),)) == ""
    os.close(go)


async def test_a_server_that_tells_by_itself_says_what_an_edit_broke_elsewhere(
    serving: Serving, scene: Scene, root: Path
) -> None:
    servers = serving(parts.PUSHING)
    assert await servers.after_write(scene, (put(root, "a.py", "fine\n"),)) == ""
    told = await servers.after_write(scene, (put(root, "a.py", "bad\nbreaks other\n"),))
    assert told.splitlines()[1:] == [
        "a.py:1:1 error bad: bad (B1, curious)",
        "other.py:1:1 error bad: bad by another (B1, curious)",
    ]


async def test_a_server_that_dies_of_a_file_is_told_of_in_the_status_and_the_edit_stands(
    serving: Serving, scene: Scene, root: Path
) -> None:
    ways = Ways(back_off=())
    servers = serving(parts.PULLED, ways)
    assert await servers.after_write(scene, (put(root, "a.py", "dies\n"),)) == ""
    (status,) = servers.status()
    assert status.state is ServerState.STOPPED
    assert "it hurt" in status.why
    told = await servers.of_file(str(root), str(root / "a.py"))
    assert not told.is_answer
    assert "curious could not be asked: it ended 1 times" in told.notes[0]


async def test_a_defect_of_ours_does_not_reach_who_edits(
    scene: Scene, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: str) -> tuple[ServerSpec, ...]:
        raise RuntimeError("defect")

    servers = LanguageServers(broken)
    assert await servers.after_write(scene, (put(root, "a.py", "x"),)) == ""
    await servers.before_write(scene, (str(root / "a.py"),))
    assert "could not be looked at" in caplog.text
    await servers.close()


async def test_without_a_project_or_outside_of_it_no_server_is_started(
    serving: Serving, scene: Scene, root: Path, tmp_path: Path
) -> None:
    servers = serving(parts.PUSHING)
    outside = put(tmp_path, "a.py", "bad\n")
    beside = tmp_path / "project2"
    beside.mkdir()
    assert await servers.after_write(scene, (outside, put(beside, "a.py", "bad\n"))) == ""
    alone = Scene(SessionId("alone"), str(root))
    assert await servers.after_write(alone, (put(root, "a.py", "bad\n"),)) == ""
    assert await servers.after_write(scene, ()) == ""
    assert await servers.after_write(scene, (put(root, "a.txt", "bad\n"),)) == ""
    assert all(one.state is ServerState.STOPPED for one in servers.status())


async def test_a_root_behind_a_link_is_the_same_project(
    serving: Serving, scene: Scene, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(root)
    servers = serving(parts.PUSHING)
    linked = Scene(SessionId("two"), str(tmp_path / "link"), str(tmp_path / "link"))
    assert "a.py:1:1" in await servers.after_write(linked, (put(root, "a.py", "bad\n"),))
    assert "b.py:1:1" in await servers.after_write(scene, (put(root, "b.py", "bad\n"),))
    assert len(servers.status()) == 1
    assert servers.given(linked.root) == servers.given(scene.root) != ()


async def test_what_can_not_be_looked_at_is_said(
    serving: Serving, root: Path, tmp_path: Path
) -> None:
    servers = serving(parts.PUSHING)
    (root / "folder.py").mkdir()
    for name, why in (("folder.py", "no plain file"), ("gone.py", "cannot be read")):
        told = await servers.of_file(str(root), str(root / name))
        assert not told.is_answer
        assert why in told.notes[0]
    told = await servers.of_file(str(root), put(root, "a.txt", "x"))
    assert told.notes == ("No language server of this project looks at such a file.",)
    servers = LanguageServers(lambda _: ())
    told = await servers.of_project(str(tmp_path))
    assert told.notes == ("No language server is known for this project.",)
    await servers.close()


async def test_a_project_with_more_findings_than_can_be_told_is_told_in_part(
    serving: Serving, scene: Scene, root: Path
) -> None:
    servers = serving(parts.VERBOSE)
    await servers.after_write(scene, (put(root, "a.py", "bad\n"),))
    told = await servers.of_project(str(root))
    assert [len(found) for found in told.by_file.values()] == [1]
    assert told.notes == ("Of curious: only of files that were written or asked about.",)
    (status,) = servers.status()
    assert (status.state, status.restarts) == (ServerState.READY, 0)


async def test_after_the_end_nothing_is_begun(serving: Serving, scene: Scene, root: Path) -> None:
    servers = serving(parts.PUSHING)
    await servers.close()
    assert await servers.after_write(scene, (put(root, "a.py", "bad\n"),)) == ""
    assert (await servers.of_project(str(root))).notes == ("hearth ends.",)
    assert servers.status() == ()


async def test_giving_up_an_edit_leaves_the_server_in_order(
    serving: Serving, scene: Scene, root: Path
) -> None:
    servers = serving(parts.PUSHING)
    editing = asyncio.create_task(servers.after_write(scene, (put(root, "a.py", "bad\n"),)))
    await asyncio.sleep(0)
    editing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await editing
    assert "b.py:1:1" in await servers.after_write(scene, (put(root, "b.py", "bad\n"),))
