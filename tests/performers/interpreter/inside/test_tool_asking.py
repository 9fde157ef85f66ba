"""How code asks the daemon, and what it hears when nobody is there."""

import asyncio
import contextvars
import json
import socket
import struct
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.performers.interpreter.inside.telling_daemon import TellingDaemon

from hearth.performers.interpreter.inside.cells import CURRENT, RunningCell
from hearth.performers.interpreter.inside.streams import CAUSE
from hearth.performers.interpreter.inside.tool_asking import (
    LARGEST_ANSWER,
    LARGEST_QUESTION,
    Talk,
    calling_cell,
    encoded,
)
from hearth.performers.interpreter.inside.tool_results import NotAllowed, NotAvailable, ToolError
from hearth.performers.interpreter.inside.tools import SOCKET

CALL = {"ask": "call", "server": "the-mill", "tool": "turn", "arguments": {}}


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ha-", dir="/tmp") as made:
        yield Path(made)


@pytest.fixture
async def daemon(folder: Path) -> AsyncIterator[TellingDaemon]:
    one = TellingDaemon(folder)
    yield one
    one.listening.close()


async def asked(folder: Path, **question: Any) -> dict[str, Any]:
    async with asyncio.timeout(20):
        return await asyncio.to_thread(Talk(folder).ask, {**CALL, **question})


async def test_a_question_is_answered(folder: Path, daemon: TellingDaemon) -> None:
    assert await asked(folder, arguments={"wheels": 3}) == {"text": "done"}
    assert daemon.asked[0]["arguments"] == {"wheels": 3}


async def test_trouble_is_raised(folder: Path, daemon: TellingDaemon) -> None:
    daemon.call = lambda _: {"error": {"kind": "not_allowed", "text": "never"}}
    with pytest.raises(NotAllowed, match="never"):
        await asked(folder)


async def test_where_nobody_listens_nothing_is_run(folder: Path) -> None:
    with pytest.raises(NotAvailable, match="cannot be asked"):
        await asked(folder)
    (folder / "connection.json").write_text("{}")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / SOCKET))  # as a daemon leaves it that was killed
    with pytest.raises(NotAvailable, match="cannot be asked"):
        await asked(folder)


async def test_another_key_is_said(folder: Path) -> None:
    daemon = TellingDaemon(folder, key="another")
    with pytest.raises(NotAvailable, match="another key"):
        await asked(folder)
    assert daemon.asked == []
    daemon.listening.close()


async def test_a_daemon_that_goes_away_leaves_it_open_whether_the_tool_was_run(
    folder: Path, daemon: TellingDaemon
) -> None:
    asking = asyncio.create_task(asked(folder, tool="hang"))
    await asyncio.wait_for(daemon.begun.wait(), 20)
    daemon.listening.close()
    with pytest.raises(ToolError, match="whether the tool was run is not known") as told:
        await asking
    assert not isinstance(told.value, NotAvailable)
    assert len(daemon.asked) == 1


async def test_who_stops_waiting_is_noticed(folder: Path, daemon: TellingDaemon) -> None:
    talk = Talk(folder)
    asking = asyncio.create_task(asyncio.to_thread(talk.ask, {**CALL, "tool": "hang"}))
    await asyncio.wait_for(daemon.begun.wait(), 20)
    talk.stop()
    await asyncio.wait_for(daemon.stopped.wait(), 20)
    with pytest.raises(ToolError):
        await asking


async def test_what_was_stopped_before_is_not_asked(folder: Path, daemon: TellingDaemon) -> None:
    talk = Talk(folder)
    talk.stop()
    with pytest.raises(NotAvailable):
        await asyncio.to_thread(talk.ask, CALL)
    assert daemon.asked == []


@pytest.mark.parametrize(
    "said", [struct.pack(">I", LARGEST_ANSWER + 1), struct.pack(">I", 3) + b"[1]", b"\0\0\0\1{"]
)
async def test_whoever_else_answers_there_is_not_believed(folder: Path, said: bytes) -> None:
    async def met(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        writer.close()

    server = await asyncio.start_unix_server(met, folder / SOCKET)
    with pytest.raises(NotAvailable):
        await asked(folder)
    server.close()
    await server.wait_closed()


class TestWhoseCell:
    def test_nobodys(self) -> None:
        assert contextvars.Context().run(calling_cell) == ""

    def test_that_which_runs_in_this_task(self) -> None:
        def ask() -> str:
            CURRENT.set(RunningCell({"header": {"msg_id": "cell:c3"}}))
            return calling_cell()

        assert contextvars.copy_context().run(ask) == "cell:c3"

    @pytest.mark.parametrize(
        ("cause", "cell"), [({"msg_id": "cell:c4"}, "cell:c4"), ({}, ""), (None, ""), ("odd", "")]
    )
    def test_that_which_started_this_thread(self, cause: Any, cell: str) -> None:
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(calling_cell()))
        setattr(thread, CAUSE, cause)
        thread.start()
        thread.join(20)
        assert found == [cell]


def test_what_json_cannot_say_is_told() -> None:
    assert json.loads(encoded({"a": Path("/srv/x")})) == {"a": "/srv/x"}
    with pytest.raises(TypeError, match="a set cannot be given to a tool"):
        encoded({"a": {1}})
    with pytest.raises(TypeError, match="JSON"):
        encoded({"a": float("nan")})
    with pytest.raises(ToolError, match=str(LARGEST_QUESTION)):
        encoded({"a": "x" * LARGEST_QUESTION})
