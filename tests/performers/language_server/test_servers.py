"""What sessions are told after an edit, by the real ty and ruff."""

import asyncio
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hearth.core.vocabulary.ids import SessionId
from hearth.performers.language_server.findings import ServerState
from hearth.performers.language_server.servers import LanguageServers
from hearth.performers.tools.tool import Scene

F = "def f(a: int) -> int:\n    return a\n"
NEW = "New diagnostics after this edit:"


async def edit(servers: LanguageServers, scene: Scene, name: str, text: str) -> str:
    """Write a file as a tool does; what comes back with it."""
    path = put(scene, name, text)
    return await servers.after_write(scene, (path,))


def put(scene: Scene, name: str, text: str) -> str:
    path = Path(scene.root, name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return str(path)


@pytest.mark.promise("DP-LSP-03", "DP-LSP-04")
async def test_an_error_comes_back_with_the_edit_that_made_it_and_is_gone_when_it_is_fixed(
    servers: LanguageServers, scene: Scene, root: Path
) -> None:
    assert await edit(servers, scene, "src/a.py", F) == ""
    told = await edit(servers, scene, "src/a.py", f"{F}f('é', b)\n")
    assert told.splitlines()[0] == NEW
    assert "src/a.py:3:8 error Undefined name `b` (F821, ruff)" in told
    assert "src/a.py:3:8 error Name `b` used when not defined (unresolved-reference, ty)" in told
    file = str(root / "src" / "a.py")
    assert len((await servers.of_file(str(root), file)).by_file[file]) >= 3
    assert await edit(servers, scene, "src/a.py", F) == ""
    assert not any((await servers.of_file(str(root), file)).by_file[file])


async def test_what_was_wrong_before_is_not_told_again(
    servers: LanguageServers, scene: Scene
) -> None:
    old = "import os\n\n\ndef g() -> int:\n    return ''\n"
    path = put(scene, "a.py", old)
    await servers.before_write(scene, (path,))
    told = await edit(servers, scene, "a.py", f"# a line more\n\n{old}new\n")
    assert [line for line in told.splitlines()[1:] if "new" not in line] == []
    assert len(told.splitlines()) == 3
    assert await edit(servers, scene, "a.py", f"{old}new\n") == ""


async def test_of_a_file_that_no_server_knew_all_is_told_and_that_is_said(
    servers: LanguageServers, scene: Scene
) -> None:
    told = await edit(servers, scene, "a.py", "import os\n")
    assert "what there was before it is not known" in told
    assert "a.py:1:8 warning `os` imported but unused (F401, ruff)" in told


async def test_an_edit_that_breaks_another_open_file_says_so(
    servers: LanguageServers, scene: Scene
) -> None:
    await edit(servers, scene, "a.py", F)
    await edit(servers, scene, "b.py", "from a import f\n\nf(1)\n")
    told = await edit(servers, scene, "a.py", "def g(a: int) -> int:\n    return a\n")
    assert "b.py:1:15 error Module `a` has no member `f`" in told
    assert await edit(servers, scene, "a.py", F) == ""


async def test_an_edit_that_breaks_a_file_that_nobody_opened_says_so(
    servers: LanguageServers, scene: Scene
) -> None:
    put(scene, "user.py", "from a import f\n\nf(1)\n")
    await edit(servers, scene, "a.py", F)
    # The whole project is looked at beside the first edit.
    await asyncio.gather(*servers._pool._tasks)
    told = await edit(servers, scene, "a.py", "def g(a: int) -> int:\n    return a\n")
    assert "user.py:1:15 error Module `a` has no member `f`" in told


async def test_a_new_file_and_a_deleted_one_are_seen(
    servers: LanguageServers, scene: Scene, root: Path
) -> None:
    told = await edit(servers, scene, "b.py", "from c import x\n\nprint(x)\n")
    assert "b.py:1:6 error Cannot resolve imported module `c`" in told
    assert await edit(servers, scene, "c.py", "x = 1\n") == ""
    file = str(root / "b.py")
    assert not any((await servers.of_file(str(root), file)).by_file[file])
    (root / "c.py").unlink()
    told = await servers.after_write(scene, (str(root / "c.py"),))
    assert "b.py:1:6 error Cannot resolve" in told


async def test_the_projects_own_configuration_counts_also_when_it_is_edited(
    servers: LanguageServers, scene: Scene, root: Path
) -> None:
    assert await edit(servers, scene, "a.py", "x = 1;\n") == ""
    config = (root / "pyproject.toml").read_text().replace('"F"', '"F", "E703"')
    told = await edit(servers, scene, "pyproject.toml", config)
    assert "a.py:1:6 warning Statement ends with an unnecessary semicolon (E703, ruff)" in told
    assert told.startswith(NEW)


@pytest.mark.promise("DP-LSP-02")
async def test_two_sessions_share_the_servers_and_each_is_told_of_its_own_edits(
    servers: LanguageServers, scene: Scene
) -> None:
    other = replace(scene, session=SessionId("two"), agent="b")
    await edit(servers, scene, "a.py", F)
    await edit(servers, other, "b.py", "x = 1\n")
    pids = [one.pid for one in servers.status()]
    assert "wrong" in await edit(servers, scene, "a.py", f"{F}wrong\n")
    told = await edit(servers, other, "b.py", "x = 1\nother\n")
    assert "other" in told
    assert "wrong" not in told
    assert [one.pid for one in servers.status()] == pids
    assert [one.server for one in servers.status()] == ["ruff", "ty"]
    noted = servers.given(scene.root)
    assert {(one.finding.path[-4:], whom.session) for one in noted for whom in one.given} == {
        ("a.py", "one"),
        ("b.py", "two"),
    }


@pytest.mark.promise("DP-LSP-02")
async def test_a_server_that_was_killed_is_started_again_and_knows_what_was_open(
    servers: LanguageServers, scene: Scene
) -> None:
    await edit(servers, scene, "a.py", F)
    await edit(servers, scene, "b.py", "from a import f\n\nf(1)\n")
    for one in servers.status():
        os.kill(one.pid, signal.SIGKILL)
    told = await edit(servers, scene, "a.py", "def g(a: int) -> int:\n    return b\n")
    assert "b.py:1:15 error Module `a` has no member `f`" in told
    assert "(F821, ruff)" in told
    for one in servers.status():
        assert (one.state, one.restarts) == (ServerState.READY, 1)


async def test_what_is_given_is_known_until_it_is_gone(
    servers: LanguageServers, scene: Scene
) -> None:
    await edit(servers, scene, "a.py", "wrong\n")
    given = [one for one in servers.given(scene.root) if one.given]
    assert {one.given[0].agent for one in given} == {"a"}
    assert all(one.is_current for one in given)
    await edit(servers, scene, "a.py", "right = 1\n")
    assert {one.is_current for one in servers.given(scene.root)} == {False}


async def test_a_project_is_counted_with_the_files_that_nobody_opened(
    servers: LanguageServers, scene: Scene
) -> None:
    put(scene, "b.py", "x: int = ''\n")
    put(scene, "c.py", "x = 1\n")
    told = await servers.of_project(scene.root)
    assert {Path(path).name for path, found in told.by_file.items() if found} == {"b.py"}
    assert told.notes == ("Of ruff: only of files that were written or asked about.",)
    put(scene, "b.py", "x: int = 1\n")
    assert not any((await servers.of_project(scene.root)).by_file.values())


async def test_a_server_that_runs_answers_within_half_a_second(
    servers: LanguageServers, scene: Scene
) -> None:
    await edit(servers, scene, "a.py", F)
    await asyncio.gather(*servers._pool._tasks)
    took = []
    for number in range(10):
        began = time.monotonic()
        assert f"wrong_{number}" in await edit(servers, scene, "a.py", f"{F}wrong_{number}\n")
        took.append(time.monotonic() - began)
    # The quickest: others may be using the machine.
    assert min(took) < 0.5


async def test_a_large_project_begins_at_once_and_blocks_nobody(
    servers: LanguageServers, scene: Scene
) -> None:
    for number in range(2000):
        put(scene, f"m{number}.py", f"from a import f\n\nx{number}: int = f({number})\n")
    longest = 0.0
    is_over = False

    async def watch() -> None:
        nonlocal longest
        while not is_over:
            began = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - began)

    watching = asyncio.create_task(watch())
    assert await edit(servers, scene, "a.py", F) == ""
    await asyncio.gather(*servers._pool._tasks)
    told = await edit(servers, scene, "a.py", "def g(a: int) -> int:\n    return b\n")
    is_over = True
    await watching
    lines = told.splitlines()
    assert lines[1].startswith("a.py:2:12 error")
    assert len(lines) == 22
    assert lines[-1].startswith("and 19")
    # In seconds that the event loop itself computed in one go.
    assert longest < 0.5
