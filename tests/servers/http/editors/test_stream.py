"""A stream of signals sends each change once, in order, and says who asked."""

import asyncio
import json
from typing import Any

import pytest
from tests.contracts.facts import draft_of
from tests.servers.http.editors.happening import happened
from tests.servers.http.streams.played import Played, S, played

from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import encode, envelope_json
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.progress import EventUnsaved, Progress, WarmUpStep
from hearth.servers.http.editors import stream as module
from hearth.servers.http.editors.signals import Signals
from hearth.servers.http.editors.stream import SignalStream

PATIENCE = 20.0


class Names:
    """Shows the last name that a session was given, and what the warm-up does."""

    name = "names"

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"request": None, "newest": "", "step": ""}

    @property
    def now(self) -> Signals:
        return self.state

    async def happened(self, envelope: Envelope) -> bool:
        if not isinstance(envelope.event, e.SessionRenamed):
            return False
        new = {"request": envelope.cause, "newest": envelope.event.name}
        self.state = {**self.state, **new}
        return True

    def shown(self, progress: Progress) -> bool:
        if isinstance(progress, WarmUpStep):
            self.state = {**self.state, "step": progress.message}
            return True
        return False


def patches(stream: bytes) -> list[dict[str, Any]]:
    lines = stream.decode().split("\n")
    found = [line.removeprefix("data: signals ") for line in lines if line.startswith("data")]
    return [json.loads(line)["names"] for line in found]


async def rename(hearth: Played, name: str) -> None:
    rows = await hearth.log.append(S, len(hearth.rows), [draft_of(e.SessionRenamed(name))])
    hearth.rows += rows


async def some(stream: SignalStream, number: int) -> list[dict[str, Any]]:
    read = b""
    async with asyncio.timeout(PATIENCE):
        while len(patches(read)) < number:
            read += await stream.next()
    return patches(read)


async def test_each_event_is_a_patch_with_who_asked_also_when_they_come_together() -> None:
    async with played() as hearth:
        stream = SignalStream(Names(), hearth.follow(S, after=0))
        assert patches(stream.beginning) == [{"request": None, "newest": "", "step": ""}]
        for name in ("a", "b", "b"):
            await rename(hearth, name)
        hearth.subscribers.show(S, WarmUpStep("importing"))
        told = await some(stream, 4)
        assert [patch.get("newest") for patch in told] == ["a", "b", None, None]
        assert told[3]["step"] == "importing"
        assert all(patch["request"] for patch in told)
        assert told[2] == {"request": told[3]["request"]}, "the same name for somebody else"
        stream.close()
        assert hearth.subscribers.count == 0


async def test_an_event_that_waits_for_the_store_is_shown_once() -> None:
    async with played() as hearth:
        stream = SignalStream(Names(), hearth.follow(S, after=0))
        envelope = happened(e.SessionRenamed("early"))
        hearth.subscribers.show(S, EventUnsaved(encode(envelope).decode()))
        assert [patch["newest"] for patch in await some(stream, 1)] == ["early"]
        draft = draft_of(e.SessionRenamed("early"), envelope.id)
        row = Stored(0, S, 1, draft.data)
        assert json.loads(envelope_json(row))["id"] == envelope.id
        hearth.rows += await hearth.log.append(S, 0, [draft])
        await rename(hearth, "late")
        assert [patch["newest"] for patch in await some(stream, 1)] == ["late"]
        stream.close()


async def test_a_change_from_elsewhere_is_sent_when_the_stream_is_poked() -> None:
    async with played() as hearth:
        shape = Names()
        stream = SignalStream(shape, hearth.follow(S, after=0))
        waiting = asyncio.create_task(some(stream, 1))
        await asyncio.sleep(0)
        shape.state = {**shape.state, "step": "poked"}
        stream.poke()
        assert await waiting == [{"request": None, "step": "poked"}]
        stream.close()


async def test_nothing_new_sends_nothing_but_a_sign_of_life(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "IDLE", 0.01)
    async with played() as hearth:
        stream = SignalStream(Names(), hearth.follow(S, after=0))
        async with asyncio.timeout(PATIENCE):
            assert await stream.next() == b":\n\n"
        await rename(hearth, "still here")
        async with asyncio.timeout(PATIENCE):
            while not (read := patches(await stream.next())):
                pass
        assert read[0]["newest"] == "still here"
        stream.close()


async def test_a_row_that_cannot_be_read_does_not_end_the_stream() -> None:
    async with played() as hearth:
        stream = SignalStream(Names(), hearth.follow(S, after=0))
        draft = draft_of(e.SessionRenamed("x"))
        broken = draft._replace(data=draft.data.replace(b"session_renamed", b"session_unheard_of"))
        hearth.rows += await hearth.log.append(S, 0, [broken])
        await rename(hearth, "after it")
        assert [patch["newest"] for patch in await some(stream, 1)] == ["after it"]
        stream.close()


async def test_it_ends_with_the_daemon_and_with_the_engine() -> None:
    async with played() as hearth:
        one, two = (SignalStream(Names(), hearth.follow(S, after=0)) for _ in range(2))
        waiting = [asyncio.create_task(each.next()) for each in (one, two)]
        await asyncio.sleep(0)
        one.end()
        await hearth.subscribers.close()
        async with asyncio.timeout(PATIENCE):
            assert await asyncio.gather(*waiting) == [b"", b""]
