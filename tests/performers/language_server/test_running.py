"""One server that runs: shown files, asked about them, listened to."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.performers.interpreter.checking.pretended_server import SILENT
from tests.performers.language_server import pretended as parts

from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.language_server import disk, running
from hearth.performers.language_server.beginning import begin
from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.known import Known
from hearth.performers.language_server.running import Running

Begun = Callable[[str], Awaitable[Running]]


@pytest.fixture
async def begun(root: Path, pretended: Callable[[str], ServerSpec]) -> AsyncIterator[Begun]:
    made: list[Running] = []

    async def start(part: str) -> Running:
        spec = pretended(part)
        made.append(await begin(spec.command, spec, str(root), os.environ, Known()))
        return made[-1]

    yield start
    for one in made:
        await one.close()


async def show(server: Running, path: Path, text: str) -> str:
    await server.show(str(path), written(path, text))
    return str(path)


def written(path: Path, text: str) -> disk.Content:
    path.write_text(text)
    return disk.content(str(path))


def lines(server: Running, path: str) -> list[tuple[int, int]]:
    return [(one.line, one.column) for one in server.known[path]]


async def test_a_server_that_tells_is_waited_for_and_old_news_are_let_go(
    begun: Begun, root: Path
) -> None:
    server = await begun(parts.PUSHING)
    assert not server.can.pulls
    path = await show(server, root / "a.py", "good\n  bad\n")
    async with asyncio.timeout(30):
        await server.look([path])
        assert lines(server, path) == [(2, 3)]
        assert server.known[path][0].message == "bad: bad"
        await show(server, root / "a.py", "good\n")
        await server.look([path])
    assert server.known[path] == ()


async def test_a_server_that_is_asked_is_asked_about_other_open_files_too(
    begun: Begun, root: Path
) -> None:
    server = await begun(parts.PULLED)
    assert (server.can.pulls, server.can.reaches_far, server.can.sees_all) == (True, True, False)
    a = await show(server, root / "a.py", "é = bad\n")
    b = await show(server, root / "b.py", "bad\n")
    await server.look([a])
    # This one counts columns in bytes, says that, and gets them wrong by itself.
    assert lines(server, a) == [(1, 4)]
    assert lines(server, b) == [(1, 1)]


async def test_a_text_that_is_the_same_is_not_told_again(begun: Begun, root: Path) -> None:
    server = await begun(parts.PULLED)
    await show(server, root / "a.py", "bad\n")
    edits = server.edits
    await show(server, root / "a.py", "bad\n")
    assert server.edits == edits
    await show(server, root / "a.py", "bad\nbad\n")
    assert server.documents[str(root / "a.py")].version == 2


async def test_files_that_were_not_touched_for_long_are_closed(
    begun: Begun, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "MOST_OPEN", 2)
    server = await begun(parts.PULLED)
    for name in ("a", "b", "a", "c"):
        await show(server, root / f"{name}.py", "bad\n")
    assert [Path(path).name for path in server.documents] == ["a.py", "c.py"]
    await server.look([str(root / "a.py"), str(root / "b.py")])
    assert str(root / "b.py") not in server.known


async def test_whatever_a_server_asks_is_answered(begun: Begun, root: Path) -> None:
    server = await begun(parts.CURIOUS)
    path = await show(server, root / "a.py", "x\n")
    async with asyncio.timeout(30):
        await server.look([path])
    answers = [json.loads(one.message) for one in server.known[path]]
    assert answers == [
        [{"a": {"b": 7}}, 7, {"a": {"b": 7}}, {"a": {"b": 7}}],
        None,
        None,
        [{"uri": root.as_uri(), "name": "project"}],
        {"applied": False, "failureReason": "nobody asked for it"},
        {"success": False},
        None,
        None,
    ]


async def test_a_server_that_says_much_and_little_sense_is_understood_as_far_as_it_goes(
    begun: Begun, root: Path
) -> None:
    server = await begun(parts.LOUD)
    path = await show(server, root / "a.py", "x\n")
    async with asyncio.timeout(60):
        await server.look([path])
    assert 400 < len(server.known[path]) <= 500
    await server.close()
    assert server.complaint.endswith("the last word")
    assert len(server.complaint) <= 2000


async def test_an_answer_that_is_too_large_is_skipped_and_the_next_one_taken(
    begun: Begun, root: Path
) -> None:
    server = await begun(parts.VERBOSE)
    path = await show(server, root / "a.py", "bad\n")
    async with asyncio.timeout(60):
        with pytest.raises(Unavailable, match="more than can be told"):
            await server.look_at_all()
        await server.look([path])
    assert lines(server, path) == [(1, 1)]
    assert not server.is_over


async def test_a_server_that_refuses_is_asked_again_and_then_believed(
    begun: Begun, root: Path
) -> None:
    server = await begun(parts.PULLED)
    path = await show(server, root / "a.py", "refuses\n")
    with pytest.raises(Unavailable, match="content modified"):
        await server.look([path])
    assert not server.is_over
    await show(server, root / "a.py", "bad\n")
    await server.look([path])
    assert lines(server, path) == [(1, 1)]


@pytest.mark.parametrize("part", [parts.PULLED, SILENT])
async def test_whoever_waits_for_a_server_that_ends_hears_it(
    part: str, begun: Begun, root: Path
) -> None:
    server = await begun(part)
    path = await show(server, root / "a.py", "hangs\n")
    looking = asyncio.create_task(server.look([path]))
    await asyncio.sleep(0)
    assert not looking.done()
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(Unavailable):
        async with asyncio.timeout(30):
            await looking


async def test_what_was_known_stays_with_the_caller(
    root: Path, pretended: Callable[[str], ServerSpec]
) -> None:
    known = Known()
    spec = pretended(parts.PULLED)
    server = await begin(spec.command, spec, str(root), os.environ, known)
    path = await show(server, root / "a.py", "bad\n")
    await server.look([path])
    await server.close()
    assert len(known[path]) == 1
