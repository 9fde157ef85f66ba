"""Who speaks at the socket of an interpreter, and what happens to what is no question."""

import asyncio
import contextlib
import hashlib
import hmac
import json
import struct
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.journeys.live import comes_true

from hearth.performers.cell_tools import listening
from hearth.performers.cell_tools.listening import LARGEST_QUESTION, MOST_AT_ONCE, Listening

KEY = "a key"
Meet: TypeAlias = Callable[[], Awaitable["Speaker"]]


class Answering:
    """Answers with the question; `wait` waits until it may."""

    def __init__(self) -> None:
        self.questions: list[dict[str, Any]] = []
        self.may = asyncio.Event()
        self.stopped = 0

    async def answer(self, question: dict[str, Any]) -> bytes:
        self.questions.append(question)
        if question.get("ask") == "wait":
            try:
                await self.may.wait()
            except asyncio.CancelledError:
                self.stopped += 1
                raise
        if question.get("ask") == "fall":
            raise RuntimeError("a defect")
        return json.dumps({"you": question.get("ask")}).encode()


class Speaker:
    """Whoever connects."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def heard(self) -> dict[str, Any]:
        async with asyncio.timeout(20):
            (length,) = struct.unpack(">I", await self._reader.readexactly(4))
            found: dict[str, Any] = json.loads(await self._reader.readexactly(length))
            return found

    def say(self, content: bytes) -> None:
        self._writer.write(struct.pack(">I", len(content)) + content)

    def throw(self, content: bytes) -> None:
        self._writer.write(content)

    async def ask(self, key: str = KEY, **question: Any) -> None:
        nonce = (await self.heard())["nonce"]
        proof = hmac.new(key.encode(), nonce.encode(), hashlib.sha256).hexdigest()
        self.say(json.dumps({**question, "proof": proof}).encode())

    async def is_left(self) -> bool:
        async with asyncio.timeout(20):
            return await self._reader.read(1) == b""

    def close(self) -> None:
        self._writer.close()

    async def gone(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hl-", dir="/tmp") as made:
        yield Path(made) / "tools"


@pytest.fixture
async def met(path: Path) -> AsyncIterator[Meet]:
    """Connects, and lets go in the end."""
    speakers: list[Speaker] = []

    async def meet() -> Speaker:
        speakers.append(Speaker(*await asyncio.open_unix_connection(path)))
        return speakers[-1]

    yield meet
    for one in speakers:
        await one.gone()


@pytest.fixture
def answering() -> Answering:
    return Answering()


@pytest.fixture
async def open_(path: Path, answering: Answering) -> AsyncIterator[Listening]:
    one = Listening(path, KEY, answering.answer)
    one.open()
    yield one
    one.close()


@pytest.mark.usefixtures("open_")
async def test_a_question_with_the_key_is_answered(met: Meet) -> None:
    speaker = await met()
    await speaker.ask(ask="anything")
    assert await speaker.heard() == {"you": "anything"}
    assert await speaker.is_left()


@pytest.mark.usefixtures("open_")
async def test_a_wrong_key_is_told_and_nothing_is_done(met: Meet, answering: Answering) -> None:
    for key in ("another key", ""):
        speaker = await met()
        await speaker.ask(key, ask="anything")
        assert "another key" in (await speaker.heard())["error"]["text"]
    speaker = await met()
    await speaker.heard()
    speaker.say(b'{"ask": "anything", "proof": 7}')
    assert "another key" in (await speaker.heard())["error"]["text"]
    assert answering.questions == []


@pytest.mark.usefixtures("open_")
@pytest.mark.parametrize("garbage", [b"", b"nonsense", b"[1]", b"\xff\xfe", b"[" * 100_000])
async def test_garbage_is_told(met: Meet, answering: Answering, garbage: bytes) -> None:
    speaker = await met()
    await speaker.heard()
    speaker.say(garbage)
    assert "no question" in (await speaker.heard())["error"]["text"]
    assert await speaker.is_left()
    assert answering.questions == []


@pytest.mark.usefixtures("open_")
async def test_a_question_that_is_too_long_is_not_even_read(met: Meet) -> None:
    speaker = await met()
    await speaker.heard()
    speaker.throw(struct.pack(">I", LARGEST_QUESTION + 1))
    assert str(LARGEST_QUESTION) in (await speaker.heard())["error"]["text"]
    assert await speaker.is_left()


async def test_who_says_nothing_is_left(path: Path, met: Meet, answering: Answering) -> None:
    one = Listening(path, KEY, answering.answer, patience=0.01)
    one.open()
    speaker = await met()
    await speaker.heard()
    assert await speaker.is_left()
    one.close()


@pytest.mark.usefixtures("open_")
async def test_who_leaves_before_the_answer_stops_the_call(met: Meet, answering: Answering) -> None:
    speaker = await met()
    await speaker.ask(ask="wait")
    await comes_true(lambda: bool(answering.questions))
    assert answering.stopped == 0
    speaker.close()
    await comes_true(lambda: answering.stopped == 1)


@pytest.mark.usefixtures("open_")
async def test_some_are_answered_at_once_and_the_others_wait(
    met: Meet, answering: Answering
) -> None:
    speakers = [await met() for _ in range(MOST_AT_ONCE + 3)]
    for one in speakers:
        await one.ask(ask="wait")
    await comes_true(lambda: len(answering.questions) >= MOST_AT_ONCE)
    late = await met()
    await late.ask(ask="late")
    assert len(answering.questions) == MOST_AT_ONCE
    answering.may.set()
    assert [await one.heard() for one in speakers] == [{"you": "wait"}] * len(speakers)
    assert await late.heard() == {"you": "late"}


@pytest.mark.usefixtures("open_")
async def test_more_than_can_wait_are_left(met: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 1)
    first = await met()
    second = await met()
    assert await second.is_left()
    await first.ask(ask="still")
    assert await first.heard() == {"you": "still"}


@pytest.mark.usefixtures("open_")
async def test_a_defect_costs_one_answer(met: Meet) -> None:
    speaker = await met()
    await speaker.ask(ask="fall")
    assert await speaker.is_left()
    other = await met()
    await other.ask(ask="still")
    assert await other.heard() == {"you": "still"}


async def test_closing_leaves_everybody_and_another_can_listen_there(
    path: Path, met: Meet, open_: Listening, answering: Answering
) -> None:
    speaker = await met()
    await speaker.ask(ask="wait")
    await comes_true(lambda: bool(answering.questions))
    open_.close()
    assert await speaker.is_left()
    assert answering.stopped == 1
    again = Listening(path, KEY, answering.answer)
    again.open()
    again.open()
    other = await met()
    await other.ask(ask="still")
    assert await other.heard() == {"you": "still"}
    again.close()


def test_what_cannot_be_taken_away_is_an_error(path: Path, answering: Answering) -> None:
    path.mkdir()
    with pytest.raises(OSError, match="tools"):
        Listening(path, KEY, answering.answer).open()
    assert path.is_dir()
