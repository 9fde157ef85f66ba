"""A stream keeps a bounded amount for a reader who does not read, and loses none of it."""

import asyncio
from pathlib import Path

from tests.contracts.hearth_api import PATIENCE, S, begin, ran
from tests.servers.http.streams.daemons import daemon

from hearth.api import Item
from hearth.clients.remote.following import MOST_AHEAD, RemoteFollowing
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.envelope import Stored


async def test_a_reader_who_does_not_read_keeps_little_and_gets_everything(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        following = hearth.follow(S, after=0)
        assert isinstance(following, RemoteFollowing)
        for _ in range(120):
            await ran(one.engine, c.RunCell(f"# {'x' * 30_000}"))
        rows = await one.log.read(session=S, limit=10_000)
        assert sum(len(row.data) for row in rows) > 3 * MOST_AHEAD
        assert following._bytes < 2 * MOST_AHEAD
        seen: list[Item] = []
        async with asyncio.timeout(PATIENCE):
            while len([item for item in seen if isinstance(item, Stored)]) < len(rows):
                seen += await following.batch()
        assert [item for item in seen if isinstance(item, Stored)] == list(rows)
        following.close()


async def test_closing_is_for_ever_and_at_once(tmp_path: Path) -> None:
    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        following = hearth.follow(S, after=0)
        async with asyncio.timeout(PATIENCE):
            assert await following.batch()
            following.close()
            following.close()
            assert await following.batch() == ()
            assert await following.batch() == ()
        assert not hearth._following
