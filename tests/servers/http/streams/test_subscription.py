"""Whatever the interleaving, a client gets every row once and in order."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.servers.http.streams.played import Played, S, T, ids_in, played, texts_in

from hearth.core.vocabulary.ids import SessionId
from hearth.servers.http.streams.channels import Channels
from hearth.servers.http.streams.subscription import AHEAD, Subscription

PATIENCE = 20.0
ROOM = 4000


async def rows(subscription: Subscription, number: int) -> bytes:
    stream = b""
    async with asyncio.timeout(PATIENCE):
        while len(ids_in(stream)) < number:
            stream += await subscription.next()
    return stream


async def test_a_client_is_told_first_where_it_begins() -> None:
    async with played() as hearth:
        await hearth.write(4)
        channels = Channels(hearth)
        now, past = await Subscription.to(channels, S, None), await Subscription.to(channels, S, 2)
        assert (now.beginning, past.beginning) == (b"id: 4\n\n", b"id: 2\n\n")
        unknown = await Subscription.to(channels, T, None)
        assert unknown.beginning == b""
        for one in (now, past, unknown):
            one.close()


async def test_one_that_comes_back_is_served_from_the_ring_without_old_progress() -> None:
    async with played() as hearth:
        await hearth.write(2)
        channels = Channels(hearth)
        first = await Subscription.to(channels, S, None)
        await hearth.write()
        hearth.show("before")
        await hearth.write()
        assert texts_in(await rows(first, 2)) == ["before"]
        again = await Subscription.to(channels, S, 2)
        assert not again.is_behind
        assert hearth.subscribers.count == 1
        stream = await rows(again, 2)
        assert (ids_in(stream), texts_in(stream)) == ([3, 4], [])
        hearth.show("after")
        async with asyncio.timeout(PATIENCE):
            assert texts_in(await again.next()) == ["after"]
        first.close()
        again.close()


async def test_one_that_falls_out_of_the_ring_reads_by_itself_and_comes_back() -> None:
    async with played() as hearth:
        await hearth.write()
        channels = Channels(hearth, room=ROOM)
        quick, slow = (
            await Subscription.to(channels, S, None),
            await Subscription.to(channels, S, None),
        )
        stream = b""
        for _ in range(20):
            hearth.show("x")
            await hearth.write(3)
            stream += await rows(quick, 3)
        assert ids_in(stream) == list(range(2, 62))
        assert len(texts_in(stream)) == 20
        mine = await rows(slow, 60)
        assert ids_in(mine) == list(range(2, 62))
        assert slow.is_behind
        assert texts_in(mine) == []
        assert hearth.subscribers.count == 2
        # The next it gets is from the ring again, with a word about what it was not shown.
        await hearth.write()
        hearth.show("live")
        stream = await rows(slow, 1)
        while not texts_in(stream):
            async with asyncio.timeout(PATIENCE):
                stream += await slow.next()
        assert not slow.is_behind
        assert b'"type":"progress_dropped","count":20' in stream
        assert (ids_in(stream), texts_in(stream)) == ([62], ["live"])
        assert hearth.subscribers.count == 1
        quick.close()
        slow.close()
        assert hearth.subscribers.count == 0


async def test_one_that_kept_up_before_it_fell_behind_gets_nothing_twice() -> None:
    async with played() as hearth:
        await hearth.write()
        channels = Channels(hearth, room=ROOM)
        quick, slow = (
            await Subscription.to(channels, S, None),
            await Subscription.to(channels, S, None),
        )
        await hearth.write(3)
        await rows(quick, 3)
        stream = await rows(slow, 3)
        for _ in range(20):
            await hearth.write(3)
            await rows(quick, 3)
        stream += await rows(slow, 60)
        assert ids_in(stream) == list(range(2, 65))
        quick.close()
        slow.close()


async def test_a_page_of_large_rows_is_not_kept_whole() -> None:
    async with played() as hearth:
        await hearth.write(60, size=200_000)
        channels = Channels(hearth, room=ROOM)
        slow = await Subscription.to(channels, S, 0)
        async with asyncio.timeout(PATIENCE):
            stream = await slow.next()
        assert 1 <= len(ids_in(stream)) <= 2
        assert sum(len(row.data) for row in slow._page) <= AHEAD
        assert hearth.subscribers.count == 1, "the rest is not kept ready by a follower either"
        assert ids_in(stream + await rows(slow, 60 - len(ids_in(stream)))) == list(range(1, 61))
        slow.close()


async def test_a_cursor_that_lies_ahead_is_waited_for() -> None:
    async with played() as hearth:
        await hearth.write(2)
        channels = Channels(hearth)
        ahead = await Subscription.to(channels, S, 4)
        await hearth.write(4)
        assert ids_in(await rows(ahead, 2)) == [5, 6]
        ahead.close()


async def test_a_session_that_is_yet_to_come_is_followed_from_its_first_row() -> None:
    async with played() as hearth:
        channels = Channels(hearth, room=ROOM)
        now, start = await Subscription.to(channels, S, None), await Subscription.to(channels, S, 0)
        await hearth.write(30)
        for one in (now, start):
            assert ids_in(await rows(one, 30)) == list(range(1, 31))
        await hearth.write()
        await rows(start, 1)
        assert hearth.subscribers.count == 1
        now.close()
        start.close()


async def test_one_that_only_missed_progress_goes_on_without_reading_the_log() -> None:
    async with played() as hearth:
        channels = Channels(hearth, room=500)
        slow = await Subscription.to(channels, S, None)
        channel = await channels.join(S)
        for number in range(5):
            hearth.show("x" * 300)
            async with asyncio.timeout(PATIENCE):
                await channel.news(number)
        async with asyncio.timeout(PATIENCE):
            stream = await slow.next()
        assert b'"type":"progress_dropped","count":5' in stream
        await hearth.write()
        assert ids_in(await rows(slow, 1)) == [1]
        slow.close()
        channel.leave()


async def test_a_reader_that_is_cancelled_goes_on_where_it_was() -> None:
    async with played() as hearth:
        await hearth.write(3)
        hearth.seen_by_views = False
        channels = Channels(hearth)
        behind = await Subscription.to(channels, S, 1)
        assert ids_in(await rows(behind, 2)) == [2, 3]
        waiting = asyncio.create_task(behind.next())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await hearth.write(2)
        assert ids_in(await rows(behind, 2)) == [4, 5]
        behind.close()
        behind.close()
        assert hearth.subscribers.count == 0


# -- any interleaving ------------------------------------------------------------------------------


@dataclass
class Client:
    """One with its own will: it reads when the script says so."""

    subscription: Subscription
    session: SessionId | None
    after: int
    stream: bytes = b""
    reading: "asyncio.Task[bytes] | None" = None

    async def read(self) -> None:
        """Take one piece if there is one; else leave the question open, as a stream does."""
        if self.reading is None:
            self.reading = asyncio.create_task(self.subscription.next())
        await rest(4)
        if self.reading.done():
            self.stream += self.reading.result()
            self.reading = None

    async def read_all(self, wanted: list[int]) -> None:
        async with asyncio.timeout(PATIENCE):
            while ids_in(self.stream)[-1:] != wanted[-1:]:
                self.reading = self.reading or asyncio.create_task(self.subscription.next())
                self.stream += await self.reading
                self.reading = None

    def close(self) -> None:
        if self.reading is not None:
            self.reading.cancel()
        self.subscription.close()


@dataclass
class Stage:
    """What a script can do."""

    hearth: Played
    channels: Channels
    clients: list[Client] = field(default_factory=list)
    shown: int = 0

    async def write(self, session: SessionId, number: int) -> None:
        await self.hearth.write(number, session)

    async def show(self, session: SessionId, number: int) -> None:
        for _ in range(number):
            self.shown += 1
            self.hearth.show(f"{session[-1]}{self.shown:04};", session)

    async def join(self, session: SessionId | None, after: int | None) -> None:
        begins = max(self.hearth.of(session), default=0) if after is None else after
        subscription = await Subscription.to(self.channels, session, after)
        self.clients.append(Client(subscription, session, begins))

    async def read(self, place: int, times: int) -> None:
        for _ in range(times if self.clients else 0):
            await self.clients[place % len(self.clients)].read()

    async def flush(self) -> None:
        for channel in self.channels._channels.values():
            channel.flush()


async def rest(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


some_session = st.sampled_from([S, T])
step = st.one_of(
    st.tuples(st.just(Stage.write), some_session, st.integers(1, 8)),
    st.tuples(st.just(Stage.show), some_session, st.integers(1, 3)),
    st.tuples(st.just(Stage.join), st.sampled_from([S, None]), st.none() | st.integers(0, 40)),
    st.tuples(st.just(Stage.read), st.integers(0, 9), st.integers(1, 3)),
    st.tuples(st.just(Stage.flush)),
    st.tuples(st.just(rest), st.integers(1, 5)),
)


@given(st.lists(step, max_size=60))
def test_rows_come_once_and_in_order_whatever_happens_in_between(
    script: list[tuple[Any, ...]],
) -> None:
    asyncio.run(play(script))


async def play(script: list[tuple[Any, ...]]) -> None:
    async with played() as hearth:
        await hearth.write(2)
        stage = Stage(hearth, Channels(hearth, room=1500))
        for do, *with_these in script:
            await do(*with_these) if do is rest else await do(stage, *with_these)
        await hearth.write(1, S)
        for client in stage.clients:
            wanted = hearth.of(client.session, client.after)
            await client.read_all(wanted)
            assert ids_in(client.stream) == wanted
            seen = "".join(texts_in(client.stream)).split(";")[:-1]
            assert len(set(seen)) == len(seen), "progress is never shown twice"
            for session in (S, T):
                # What two sessions show at the same time may be joined, each by itself.
                mine = [text for text in seen if text[0] == session[-1]]
                assert mine == sorted(mine)
        for client in stage.clients:
            client.close()
        assert hearth.subscribers.count == 0
