"""A stream keeps a bounded amount for a reader who does not read, and loses none of it."""

import asyncio
from pathlib import Path

import pytest
from tests.contracts.hearth_api import PATIENCE, S, begin, ran
from tests.servers.http.streams.daemons import daemon

from hearth.api import Item
from hearth.clients.remote.following import MOST_AHEAD, RemoteFollowing
from hearth.clients.remote.frames import Frames, NotOurs
from hearth.clients.remote.troubles import Rejected
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


async def test_what_no_daemon_sends_ends_the_stream_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nonsense(_: Frames, piece: bytes) -> list[tuple[Item, int]]:
        raise NotOurs(f"{piece[:3]!r} is no cursor")

    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        monkeypatch.setattr(Frames, "feed", nonsense)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(Rejected, match="cannot be read"):
                await hearth.follow(S, after=0).batch()


async def test_a_defect_of_ours_is_raised_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Frames, piece: bytes) -> list[tuple[Item, int]]:
        raise RuntimeError(piece)

    async with daemon(tmp_path) as one, one.client() as hearth:
        await begin(hearth)
        monkeypatch.setattr(Frames, "feed", broken)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(RuntimeError):
                await hearth.follow(S, after=0).batch()
