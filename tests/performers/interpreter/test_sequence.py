"""Numbered messages are delivered in order, each once, also those that only the journal has."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.performers.interpreter import sequence
from hearth.performers.interpreter.inside import journal
from hearth.performers.interpreter.sequence import Frames, Sequence


def frames(number: int) -> Frames:
    return [str(number).encode()]


class Delivered:
    """Keeps what was delivered, and lets a test wait for it."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._news = asyncio.Event()

    def __call__(self, message: Frames) -> None:
        self.numbers.append(int(message[0]))
        self._news.set()

    async def until(self, condition: Callable[[list[int]], bool]) -> None:
        async with asyncio.timeout(10):
            while not condition(self.numbers):
                self._news.clear()
                await self._news.wait()


def write(folder: Path, count: int, **how: int) -> journal.Writer:
    """A journal of so many messages."""
    writer = journal.Writer(folder, **how)
    for number in range(1, count + 1):
        writer.put(journal.IOPUB, frames(number))
    return writer


@given(st.permutations(range(1, 8)), st.lists(st.integers(1, 7), max_size=5))
async def test_messages_in_any_order_and_twice_are_delivered_in_order_once(
    order: list[int], again: list[int]
) -> None:
    delivered = Delivered()
    one = Sequence(Path("/nonexistent"), delivered)
    for number in (*order, *again):
        one.feed(number, frames(number))
    assert delivered.numbers == list(range(1, 8))
    assert one.last == 7
    assert one.lost == 0
    one.close()


async def test_what_came_by_no_socket_is_found_in_the_journal(tmp_path: Path) -> None:
    write(tmp_path, 6)
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    one.feed(1, frames(1))
    one.feed(6, frames(6))
    assert delivered.numbers == [1], "nothing overtakes"
    await delivered.until(lambda found: 6 in found)
    assert delivered.numbers == [1, 2, 3, 4, 5, 6]
    assert one.lost == 0
    one.close()


async def test_what_is_in_neither_place_is_counted_and_holds_up_nothing(tmp_path: Path) -> None:
    write(tmp_path, 2)
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    for number in (1, 5, 6, 9):
        one.feed(number, frames(number))
    await delivered.until(lambda found: 9 in found)
    assert delivered.numbers == [1, 2, 5, 6, 9]
    assert one.lost == 2 + 2
    one.feed(10, frames(10))
    assert delivered.numbers[-1] == 10
    one.close()


async def test_a_hole_in_the_journal_is_counted(tmp_path: Path) -> None:
    write(tmp_path, 8, segment_bytes=40)
    there = journal.segments(tmp_path)
    assert len(there) > 3, "each segment holds few records"
    (first, hole), (after, _) = there[2:4]
    hole.unlink()
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    await one.catch_up()
    assert delivered.numbers == [n for n in range(1, 9) if not first <= n < after]
    assert one.lost == after - first


async def test_a_torn_tail_ends_the_catching_up_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, 4)
    ((_, path),) = journal.segments(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    await one.catch_up()
    assert delivered.numbers == [1, 2, 3]
    one.feed(4, frames(4))
    assert delivered.numbers == [1, 2, 3, 4], "it comes whole by a socket"
    assert one.lost == 0


async def test_a_new_daemon_is_told_everything_that_the_journal_still_has(tmp_path: Path) -> None:
    write(tmp_path, 10, segment_bytes=40, kept=3)
    first = journal.segments(tmp_path)[0][0]
    assert first > 1
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    await one.catch_up()
    assert delivered.numbers == list(range(first, 11))
    assert one.lost == 0, "what is gone from the beginning had been heard"


async def test_catching_up_twice_at_once_delivers_nothing_twice(tmp_path: Path) -> None:
    write(tmp_path, 50)
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    one.feed(50, frames(50))
    one.feed(20, frames(20))
    await asyncio.gather(one.catch_up(), one.catch_up())
    assert delivered.numbers == list(range(1, 51))
    one.close()


async def test_messages_that_come_meanwhile_wait_for_their_turn(tmp_path: Path) -> None:
    write(tmp_path, 30)
    fed: list[Sequence] = []

    class Interrupting(Delivered):
        def __call__(self, message: Frames) -> None:
            super().__call__(message)
            if len(self.numbers) == 5:
                for number in (31, 32, 3):
                    fed[0].feed(number, frames(number))

    delivered = Interrupting()
    fed.append(Sequence(tmp_path, delivered))
    await fed[0].catch_up()
    assert delivered.numbers == list(range(1, 33))
    fed[0].close()


async def test_what_is_overtaken_while_the_journal_is_read_is_not_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 6)
    fed: list[Sequence] = []

    class Overtaking(Delivered):
        def __call__(self, message: Frames) -> None:
            super().__call__(message)
            if len(self.numbers) == 3:
                monkeypatch.setattr(sequence, "PATIENCE", 60.0)
                fed[0].feed(8, frames(8))

    delivered = Overtaking()
    fed.append(Sequence(tmp_path, delivered))
    fed[0].feed(1, frames(1))
    fed[0].feed(6, frames(6))
    await delivered.until(lambda found: 6 in found)
    for _ in range(10):
        await asyncio.sleep(0)
    assert delivered.numbers == [1, 2, 3, 4, 5, 6], "the eighth waits for the seventh"
    fed[0].feed(7, frames(7))
    assert delivered.numbers == [1, 2, 3, 4, 5, 6, 7, 8]
    assert fed[0].lost == 0
    fed[0].close()


async def test_each_missing_message_is_waited_for_as_long_as_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "PATIENCE", 0.0)
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    for number in (1, 3, 2, 5):
        one.feed(number, frames(number))
    monkeypatch.setattr(sequence, "PATIENCE", 60.0)
    for _ in range(10):
        await asyncio.sleep(0)
    assert delivered.numbers == [1, 2, 3]
    assert one._reading is None, "the fourth is missing since a moment only"
    one.feed(4, frames(4))
    assert delivered.numbers == [1, 2, 3, 4, 5]
    assert one.lost == 0
    one.close()


@pytest.mark.parametrize("damage", ["name", "content", "folder"])
async def test_a_journal_that_cannot_be_read_holds_up_nothing(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "journal"
    write(folder, 3)
    if damage == "name":
        (folder / "notes.journal").write_bytes(b"")
    elif damage == "content":
        (folder / f"{4:016d}.journal").write_bytes(b"\0\0\0\x0f" + b"\xff" * 40)
    else:
        (folder / f"{4:016d}.journal").mkdir()
    delivered = Delivered()
    one = Sequence(folder, delivered)
    await one.catch_up()
    one.feed(9, frames(9))
    await delivered.until(lambda found: 9 in found)
    one.feed(10, frames(10))
    assert delivered.numbers[-2:] == [9, 10]
    one.close()


async def test_after_closing_nothing_is_delivered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence, "PATIENCE", 0.0)
    write(tmp_path, 5)
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    one.feed(3, frames(3))
    one.close()
    one.feed(1, frames(1))
    await one.catch_up()
    for _ in range(10):
        await asyncio.sleep(0)
    assert delivered.numbers == []


async def test_the_journal_forgets_what_was_delivered_once_it_is_much(tmp_path: Path) -> None:
    write(tmp_path, sequence.MUCH + 3, segment_bytes=60)
    delivered = Delivered()
    one = Sequence(tmp_path, delivered)
    for number in range(1, sequence.MUCH):
        one.feed(number, frames(number))
    assert not one.has_much_behind
    one.feed(sequence.MUCH, frames(sequence.MUCH))
    assert one.has_much_behind
    before = len(journal.segments(tmp_path))
    await one.forget()
    assert len(journal.segments(tmp_path)) < before
    assert not one.has_much_behind, "not again for the same ones"
    await one.catch_up()
    assert delivered.numbers == list(range(1, sequence.MUCH + 4)), "what came later is all there"
    one.close()
