"""Which servers run: those that are used, and not too many."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.performers.language_server import pretended as parts

from hearth.performers.language_server import pool as pool_module
from hearth.performers.language_server.detecting import ServerSpec
from hearth.performers.language_server.findings import ServerState
from hearth.performers.language_server.pool import Bounds, Pool
from hearth.performers.language_server.server import Server, Ways

Making = Callable[..., Pool]


@pytest.fixture
async def making(pretended: Callable[[str], ServerSpec]) -> AsyncIterator[Making]:
    made: list[Pool] = []

    def make(most: int = 8) -> Pool:
        spec = pretended(parts.PULLED)
        made.append(Pool(lambda _: (spec,), Ways(), Bounds(most=most)))
        return made[-1]

    yield make
    for one in made:
        await one.close()


async def used(pool: Pool, root: Path) -> Server:
    """The server of a new project, after it was used."""
    os.makedirs(root, exist_ok=True)  # noqa: PTH103 - of tests, nobody waits
    (server,) = await pool.of(str(root))
    pool.use(server)
    async with asyncio.timeout(30):
        await server.ready()
    return server


async def test_a_project_has_one_server_of_a_name(making: Making, tmp_path: Path) -> None:
    pool = making()
    first = await used(pool, tmp_path / "a")
    assert await used(pool, tmp_path / "a") is first
    assert await used(pool, tmp_path / "b") is not first
    assert pool.known(str(tmp_path / "a")) == (first,)
    assert [Path(one.root).name for one in pool.status()] == ["a", "b"]


async def test_the_one_that_was_used_longest_ago_makes_room(making: Making, tmp_path: Path) -> None:
    pool = making(most=2)
    for name in "abac":
        await used(pool, tmp_path / name)
    async with asyncio.timeout(30):
        await asyncio.gather(*pool._tasks)
    states = {Path(one.root).name: one.state for one in pool.status()}
    ready, stopped = ServerState.READY, ServerState.STOPPED
    assert states == {"a": ready, "b": stopped, "c": ready}
    assert "others were needed more" in {one.why for one in pool.status()}


async def test_one_that_is_in_use_makes_no_room_while_another_can(
    making: Making, tmp_path: Path
) -> None:
    pool = making(most=2)
    async with (await used(pool, tmp_path / "a")).turn:
        await used(pool, tmp_path / "b")
        await used(pool, tmp_path / "c")
        async with asyncio.timeout(30):
            await asyncio.gather(*pool._tasks)
    assert [one.state for one in pool.status()][:2] == [ServerState.READY, ServerState.STOPPED]


async def test_one_that_nobody_uses_goes(making: Making, tmp_path: Path) -> None:
    pool = making()
    server = await used(pool, tmp_path / "a")
    running = await server.ready()
    pool._bounds = Bounds(idle=0.001)
    pool.use(server)
    async with asyncio.timeout(30):
        await running.ended.wait()
        await asyncio.gather(*pool._tasks)
    (status,) = pool.status()
    assert (status.state, status.pid) == (ServerState.STOPPED, 0)
    assert "nobody used it" in status.why


async def test_a_server_of_which_the_settings_changed_is_another(
    making: Making, tmp_path: Path
) -> None:
    pool = making()
    first = await used(pool, tmp_path / "a")
    spec = replace(first.spec, options={"other": 1})
    pool._specs = lambda _: (spec,)
    second = await used(pool, tmp_path / "a")
    async with asyncio.timeout(30):
        await asyncio.gather(*pool._tasks)
    assert second is not first
    assert (first.is_on, second.is_on) == (False, True)


async def test_what_does_not_run_is_forgotten_in_the_end(
    making: Making, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "MOST_REMEMBERED", 2)
    pool = making()
    for name in "abc":
        (server,) = await pool.of(str(tmp_path / name))
        pool.use(server)
    assert [Path(one.root).name for one in pool.status()] == ["b", "c"]


async def test_closing_ends_every_server_and_every_task(making: Making, tmp_path: Path) -> None:
    pool = making()
    pids = [(await used(pool, tmp_path / name)).status().pid for name in "ab"]
    waiting = pool.task(asyncio.Event().wait())
    await pool.close()
    assert waiting.cancelled()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
