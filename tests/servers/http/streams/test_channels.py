"""One follower serves all; nobody who leaves leaves anything behind."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.servers.http.streams.played import Played, S, T, ids_in, played, so, texts_in

from hearth.api import Following, Item
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.http.streams.channels import PIECE, Channel, Channels
from hearth.servers.http.streams.pace import Pace
from hearth.servers.http.streams.subscription import Subscription

PATIENCE = 20.0


async def rows(subscription: Subscription, number: int) -> bytes:
    """What comes until so many rows came."""
    stream = b""
    async with asyncio.timeout(PATIENCE):
        while len(ids_in(stream)) < number:
            stream += await subscription.next()
    return stream


@pytest.mark.promise("SF-HTTP-14")
async def test_fifty_clients_share_one_follower_and_get_the_same_bytes() -> None:
    async with played() as hearth:
        channels = Channels(hearth)
        await hearth.write(3)
        those = [await Subscription.to(channels, S, None) for _ in range(25)]
        those += [await Subscription.to(channels, S, 3) for _ in range(25)]
        assert (hearth.subscribers.count, channels.open) == (1, 1)
        reading = [asyncio.create_task(rows(one, 200)) for one in those]
        for _ in range(20):
            await hearth.write(10)
            await asyncio.sleep(0)
        streams = await asyncio.gather(*reading)
        assert hearth.subscribers.count == 1
        assert ids_in(streams[0]) == list(range(4, 204))
        assert set(streams) == {streams[0]}
        for one in those:
            one.close()
        assert (hearth.subscribers.count, channels.open) == (0, 0)


async def test_a_session_and_all_sessions_are_two_channels() -> None:
    async with played() as hearth:
        await hearth.write(1, S)
        await hearth.write(1, T)
        channels = Channels(hearth)
        one, everything = (
            await Subscription.to(channels, S, None),
            await Subscription.to(channels, None, None),
        )
        await hearth.write(2, T)
        await hearth.write(2, S)
        assert ids_in(await rows(one, 2)) == [5, 6]
        assert ids_in(await rows(everything, 4)) == [3, 4, 5, 6]
        one.close()
        assert channels.open == 1
        everything.close()
        assert (channels.open, hearth.subscribers.count) == (0, 0)


async def test_little_is_sent_at_once_and_much_is_joined() -> None:
    async with played() as hearth:
        channel = Channel(hearth.follow(S), 0, pace=Pace(3600.0, 3600.0, burst=2))
        channel.enter()
        for number in range(2):
            await hearth.write()
            async with asyncio.timeout(PATIENCE):
                await channel.news(number)
        await hearth.write()
        await hearth.write()
        await so(lambda: channel.newest == 4)
        assert [(one.first, one.last) for one in channel.ring.since(0) or ()] == [(1, 1), (2, 2)]
        channel.flush()
        chunks = channel.ring.since(0) or ()
        assert [(one.first, one.last) for one in chunks] == [(1, 1), (2, 2), (3, 4)]
        channel.leave()
        await channel.closed()


async def test_a_flood_is_sent_in_pieces_that_stay_small() -> None:
    async with played() as hearth:
        channel = Channel(hearth.follow(S), 0, pace=Pace(3600.0, 3600.0, burst=1))
        channel.enter()
        await hearth.write(40, size=20_000)
        await so(lambda: channel.newest == 40)
        channel.end()
        chunks = channel.ring.since(0) or ()
        assert sum(len(one.data) for one in chunks) > 800_000
        assert all(len(one.data) < PIECE + 25_000 for one in chunks)


async def test_silence_is_broken_by_a_comment_that_is_no_progress() -> None:
    async with played() as hearth:
        await hearth.write()
        channels = Channels(hearth)
        one = await Subscription.to(channels, S, None)
        channel = await channels.join(S)
        channel._keep_alive()
        async with asyncio.timeout(PATIENCE):
            assert await one.next() == b":\n\n"
        assert channel.ring.shown == 0
        one.close()
        channel.leave()


async def test_the_end_of_the_door_ends_every_stream_also_of_those_who_are_behind() -> None:
    async with played() as hearth:
        await hearth.write(5)
        channels = Channels(hearth)
        live = await Subscription.to(channels, S, None)
        behind = await Subscription.to(channels, S, 0)
        assert ids_in(await rows(behind, 5)) == [1, 2, 3, 4, 5]
        hearth.seen_by_views = False
        waiting = await Subscription.to(channels, T, 0)
        ends = [asyncio.create_task(one.next()) for one in (live, behind, waiting)]
        await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            await channels.close()
            assert await asyncio.gather(*ends) == [b"", b"", b""]
        for one in (live, behind, waiting):
            one.close()
        assert hearth.subscribers.count == 0
        late = await Subscription.to(channels, S, 0)
        async with asyncio.timeout(PATIENCE):
            assert await late.next() == b""
        late.close()
        assert hearth.subscribers.count == 0


async def test_the_end_of_the_engine_ends_every_stream() -> None:
    async with played() as hearth:
        await hearth.write(2)
        channels = Channels(hearth)
        live, unknown = (
            await Subscription.to(channels, S, None),
            await Subscription.to(channels, T, 0),
        )
        ends = [asyncio.create_task(one.next()) for one in (live, unknown)]
        await asyncio.sleep(0)
        await hearth.subscribers.close()
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.gather(*ends) == [b"", b""]


async def test_a_channel_whose_follower_breaks_ends_and_the_next_client_gets_a_new_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Breaking:
        async def batch(self) -> Sequence[Item]:
            raise RuntimeError("broken")

        def close(self) -> None:
            pass

    class Once(Played):
        broken = True

        def follow(
            self, session: SessionId | None = None, *, after: int | None = None
        ) -> Following:
            if self.broken:
                self.broken = False
                return Breaking()
            return super().follow(session, after=after)

    hearth = Once()
    await hearth.log.open()
    await hearth.subscribers.open()
    channels = Channels(hearth)
    first = await Subscription.to(channels, S, None)
    async with asyncio.timeout(PATIENCE):
        assert await first.next() == b""
    first.close()
    assert "a stream broke off" in caplog.text
    second = await Subscription.to(channels, S, None)
    hearth.show("still here")
    async with asyncio.timeout(PATIENCE):
        assert texts_in(await second.next()) == ["still here"]
    second.close()
    await hearth.subscribers.close()
