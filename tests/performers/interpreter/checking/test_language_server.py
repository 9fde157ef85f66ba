"""Questions and answers with a server that is a process, well behaved or not."""

import asyncio
import contextlib
import os
import select
from pathlib import Path

import pytest
from tests.performers.interpreter.checking import pretended_server as pretended

from hearth.performers.interpreter.checking import language_server
from hearth.performers.interpreter.checking.language_server import LanguageServer, start
from hearth.performers.interpreter.checking.tools import Unavailable


async def test_a_question_gets_its_answer_whatever_else_the_server_says(tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, pretended.ECHOING)], "/", {"a": 1})
    try:
        told = await asyncio.gather(*(server.ask("echo", number) for number in range(3)))
        assert told == [[[{"a": 1}, {"a": 1}], None, number] for number in range(3)]
    finally:
        await server.close()


async def test_a_server_that_reads_only_after_it_has_written_is_not_waited_for(
    tmp_path: Path,
) -> None:
    server = await start([pretended.written(tmp_path, pretended.PRESSING)], "/", {"a": "x" * 1000})
    try:
        async with asyncio.timeout(30):
            assert await server.ask("how many", None) == 2000
    finally:
        await server.close()


async def test_a_server_that_says_very_much_leaves_others_their_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns, heard = 0, set()

    async def somebody_else() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def hear(_server: LanguageServer, _method: str, _params: object) -> None:
        heard.add(turns)

    monkeypatch.setattr(LanguageServer, "hear", hear)
    server = await start([pretended.written(tmp_path, pretended.CHATTY)], "/", {})
    other = asyncio.create_task(somebody_else())
    try:
        async with asyncio.timeout(30):
            await server.ask("anything", None)
    finally:
        other.cancel()
        await server.close()
    assert len(heard) > 900  # nearly each of them in a turn of its own


async def test_a_server_that_does_not_read_is_ended_before_memory_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_server, "MOST_UNREAD", 1_000_000)
    server = await start([pretended.written(tmp_path, "signal.pause()")], "/", {})
    async with asyncio.timeout(30):
        with pytest.raises(Unavailable, match="does not read"):
            await server.tell("much", "x" * 3_000_000)
        await server.ended.wait()


@pytest.mark.parametrize("said", pretended.NONSENSE)
async def test_nonsense_ends_the_server_and_whoever_waits_hears_it(
    said: str, tmp_path: Path
) -> None:
    part = f"sys.stdout.write({said!r}); sys.stdout.flush(); signal.pause()"
    server = await start([pretended.written(tmp_path, part)], "/", {})
    with pytest.raises(Unavailable, match="the server ended"):
        async with asyncio.timeout(30):
            await server.ask("anything", None)
    assert server.is_over


async def test_what_a_server_started_ends_with_it(tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, pretended.PARENTAL)], "/", {})
    async with asyncio.timeout(30):
        child = await server.ask("your child", None)
        await server.close()
        ended = os.pidfd_open(child) if _is_there(child) else None
        if ended is not None:  # it ends in this moment, or already has
            await asyncio.to_thread(select.select, [ended], [], [], 20)
            os.close(ended)
    assert not _is_running(child)


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _is_running(pid: int) -> bool:
    """Whether it is more than the trace of a process for which nobody has asked yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def test_a_refusal_is_told(tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, pretended.REFUSING)], "/", {})
    try:
        with pytest.raises(Unavailable, match="no thanks"):
            await server.ask("anything", None)
    finally:
        await server.close()


@pytest.mark.parametrize("part", [pretended.DYING, pretended.BABBLING])
async def test_whoever_waits_hears_that_the_server_ended(part: str, tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, part)], "/", {})
    with pytest.raises(Unavailable, match="the server ended"):
        await server.ask("anything", None)
    await server.ended.wait()
    with pytest.raises(Unavailable, match="the server ended"):
        await server.tell("anything", None)


async def test_closing_ends_the_process_and_whoever_waits(tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, pretended.SILENT)], "/", {})
    asking = asyncio.create_task(server.ask("anything", None))
    await asyncio.sleep(0)
    await server.close()
    await server.close()
    with pytest.raises(Unavailable):
        await asking
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


async def test_a_question_that_is_given_up_leaves_nothing_waiting(tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, pretended.SILENT)], "/", {})
    try:
        asking = asyncio.create_task(server.ask("anything", None))
        await asyncio.sleep(0)
        asking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asking
        assert not server._waiting
    finally:
        await server.close()


async def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be started"):
        await start([str(tmp_path / "gone")], "/", {})
