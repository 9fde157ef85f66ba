"""A server that is kept: begun when it is needed, and again when it ends."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.performers.language_server import pretended as parts

from hearth.performers.interpreter.checking.tools import Unavailable
from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.findings import ServerState
from hearth.performers.language_server.server import Server, Ways


class Times:
    """Time as the test wants it: pauses are noted and over at once."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    def clock(self) -> float:
        return self.now

    def today(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
async def kept(
    root: Path, pretended: Callable[[str], ServerSpec], times: Times
) -> AsyncIterator[Callable[..., Server]]:
    made: list[Server] = []

    def make(part: str, ways: Ways | None = None, command: tuple[str, ...] = ()) -> Server:
        usual = Ways(pause=times.pause, clock=times.clock, now=times.today)
        spec = pretended(part)
        spec = replace(spec, command=command or spec.command)
        made.append(Server(spec, str(root), ways or usual))
        return made[-1]

    yield make
    for one in made:
        await one.close()


Kept = Callable[..., Server]


async def test_nothing_runs_before_it_is_needed(kept: Kept) -> None:
    server = kept(parts.PULLED)
    assert (server.status().state, server.status().pid) == (ServerState.STOPPED, 0)
    async with asyncio.timeout(30):
        first, second = await asyncio.gather(server.ready(), server.ready())
    assert first is second
    status = server.status()
    assert (status.state, status.pid, status.why) == (ServerState.READY, first.pid, "")
    assert status.since.startswith("1970-01-01T00:16:40")


@pytest.mark.promise("DP-LSP-02")
async def test_one_that_ends_is_started_again_by_itself_and_shown_what_was_open(
    kept: Kept, root: Path, times: Times
) -> None:
    (root / "a.py").write_text("bad\n")
    server = kept(parts.PULLED)
    async with asyncio.timeout(30):
        first = await server.ready()
        assert await server.refresh(first, [str(root / "a.py")]) == [str(root / "a.py")]
        os.kill(first.pid, signal.SIGKILL)
        await first.ended.wait()
        second = await server.ready()
    assert second.pid != first.pid
    assert list(second.documents) == [str(root / "a.py")]
    assert server.status().restarts == 1
    assert times.pauses == [0.1]


async def test_one_that_ends_again_and_again_stays_off_for_a_while(
    kept: Kept, times: Times
) -> None:
    server = kept(parts.STILLBORN)
    async with asyncio.timeout(60):
        with pytest.raises(
            Unavailable, match=r"ended 6 times in 10 minutes; the last: .*no licence"
        ):
            await server.ready()
    assert times.pauses == [0.1, 1.0, 5.0, 15.0, 30.0]
    assert server.status().state is ServerState.STOPPED
    assert not server.is_on
    with pytest.raises(Unavailable, match="ended 6 times"):
        await server.ready()
    assert len(times.pauses) == 5
    times.now += 601
    async with asyncio.timeout(60):
        with pytest.raises(Unavailable):
            await server.ready()
    assert len(times.pauses) == 10


async def test_one_that_never_begins_is_given_up(kept: Kept, times: Times) -> None:
    ways = Ways(pause=times.pause, clock=times.clock, back_off=(), starting=0.05)
    server = kept(parts.MUTE, ways)
    async with asyncio.timeout(30):
        with pytest.raises(Unavailable, match=r"did not begin within 0\.05 seconds"):
            await server.ready()


async def test_a_program_that_is_not_there_is_missing(kept: Kept, tmp_path: Path) -> None:
    for command in ("no-such-server", str(tmp_path / "gone")):
        server = kept(parts.PULLED, command=(command,))
        with pytest.raises(Unavailable, match=r"not installed|no program"):
            await server.ready()
        assert server.status().state is ServerState.MISSING
        assert command in server.status().why


async def test_a_program_is_found_on_the_path_that_it_is_given(
    kept: Kept, tmp_path: Path, pretended: Callable[[str], ServerSpec]
) -> None:
    (tmp_path / "my-server").symlink_to(pretended(parts.PULLED).command[0])
    ways = Ways(lambda: {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    server = kept(parts.PULLED, ways, command=("my-server",))
    async with asyncio.timeout(30):
        assert (await server.ready()).pid


async def test_it_runs_wrapped_and_with_the_variables_it_is_given(
    kept: Kept, root: Path, tmp_path: Path
) -> None:
    (root / "a.py").write_text("bad\n")
    seen = tmp_path / "seen"

    def wrap(command: tuple[str, ...], where: str) -> tuple[str, ...]:
        assert where == str(root)
        return ("/bin/sh", "-c", f'echo "$MINE:$VIRTUAL_ENV" > {seen}; exec "$0" "$@"', *command)

    ways = Ways(lambda: {"MINE": "1", "VIRTUAL_ENV": "/x", "PATH": os.environ["PATH"]}, wrap)
    server = kept(parts.PULLED, ways)
    async with asyncio.timeout(30):
        running = await server.ready()
        mine = await server.refresh(running, [str(root / "a.py")])
        await running.look(mine)
    assert len(server.known[str(root / "a.py")]) == 1
    assert seen.read_text() == "1:\n"


async def test_one_that_cannot_be_contained_is_not_run(kept: Kept) -> None:
    def wrap(_command: tuple[str, ...], _root: str) -> tuple[str, ...]:
        raise RuntimeError("no walls")

    server = kept(parts.PULLED, Ways(wrap=wrap, back_off=()))
    with pytest.raises(Unavailable, match="it cannot be contained: no walls"):
        await server.ready()
    assert server.status().state is ServerState.STOPPED


async def test_a_defect_of_ours_is_told_to_whoever_waits(
    kept: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> dict[str, str]:
        raise RuntimeError

    server = kept(parts.PULLED, Ways(broken))
    with pytest.raises(Unavailable, match="a defect of hearth: RuntimeError"):
        await server.ready()
    assert "went wrong" in caplog.text


async def test_what_changes_behind_its_back_is_shown_when_it_is_used_again(
    kept: Kept, root: Path
) -> None:
    (root / "a.py").write_text("bad\n")
    (root / "b.py").write_text("bad\n")
    (root / "notes.txt").write_text("bad\n")
    server = kept(parts.PULLED)
    async with asyncio.timeout(30):
        running = await server.ready()
        written = [str(root / name) for name in ("a.py", "b.py", "notes.txt", "gone.py")]
        mine = await server.refresh(running, written)
        assert [Path(path).name for path in mine] == ["a.py", "b.py"]
        await running.look(mine)
        (root / "a.py").write_text("good\n")
        (root / "b.py").unlink()
        await server.refresh(running)
        await running.look(tuple(running.documents))
    assert server.known == {str(root / "a.py"): ()}


async def test_closing_ends_it_and_whoever_waits_and_it_may_be_used_again(
    kept: Kept,
) -> None:
    server = kept(parts.MUTE)
    waiting = asyncio.create_task(server.ready())
    await asyncio.sleep(0)
    await server.close("because")
    with pytest.raises(Unavailable):
        async with asyncio.timeout(30):
            await waiting
    assert (server.status().state, server.status().why) == (ServerState.STOPPED, "because")
    again = kept(parts.PULLED)
    async with asyncio.timeout(30):
        pid = (await again.ready()).pid
        await again.close()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        assert (await again.ready()).pid != pid


async def test_one_that_listens_no_more_is_ended_and_started_again(kept: Kept) -> None:
    server = kept(parts.DEAF)
    async with asyncio.timeout(30):
        first = await server.ready()
        stdin = first._process.stdin
        assert stdin is not None
        stdin.close()  # as when it closes its end
        assert not first.ended.is_set()
        second = await server.ready()
    assert second.pid != first.pid
    assert first.ended.is_set()


def test_what_was_not_known_before_is_not_taken_for_clean(root: Path) -> None:
    server = Server(ServerSpec("s", ("s",), ("*",)), str(root), Ways())
    server.known.keep("/a", ())
    before = server.before()
    server.known.keep("/b", ())
    assert before.of("/a") == ()
    assert before.of("/b") is None
    server.is_whole = True
    assert server.before().of("/c") == ()
