"""Questions and answers with a server that is a process, well behaved or not."""

import asyncio
import contextlib
import os
from pathlib import Path

import pytest
from tests.performers.interpreter.checking import pretended_server as pretended

from hearth.performers.interpreter.checking.language_server import start
from hearth.performers.interpreter.checking.tools import Unavailable


async def test_a_question_gets_its_answer_whatever_else_the_server_says(tmp_path: Path) -> None:
    server = await start([pretended.written(tmp_path, pretended.ECHOING)], "/", {"a": 1})
    try:
        told = await asyncio.gather(*(server.ask("echo", number) for number in range(3)))
        assert told == [[[{"a": 1}, {"a": 1}], None, number] for number in range(3)]
    finally:
        await server.close()


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
