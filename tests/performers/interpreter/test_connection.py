"""Requests go out, what comes back is heard in order, and nonsense is passed over."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq
from tests.performers.interpreter.pretended_kernel import PretendedKernel, pretending

from hearth.performers.interpreter.connection import Connection, Message, Request
from hearth.performers.interpreter.inside import journal
from hearth.performers.interpreter.worker_folder import WorkerFolder

INFO = Request("shell", "kernel_info_request", {})


@pytest.fixture
def folder() -> Iterator[WorkerFolder]:
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp") as made:  # sockets have short paths
        folder = WorkerFolder(Path(made))
        folder.write_connection()
        yield folder


class Heard:
    """Keeps what was heard, and lets a test wait for it."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._news = asyncio.Event()

    def __call__(self, message: Message) -> None:
        self.messages.append(message)
        self._news.set()

    @property
    def types(self) -> list[str]:
        return [one.type for one in self.messages]

    async def until(self, condition: Callable[["Heard"], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition(self):
                self._news.clear()
                await self._news.wait()


class Line:
    """A connection and the kernel at its other end."""

    def __init__(self, kernel: PretendedKernel, connection: Connection, heard: Heard) -> None:
        self.kernel = kernel
        self.connection = connection
        self.heard = heard


@pytest.fixture(params=[True, False], ids=["numbered", "plain"])
async def line(folder: WorkerFolder, request: pytest.FixtureRequest) -> AsyncIterator[Line]:
    async with pretending(folder, numbered=request.param) as (kernel, context):
        heard = Heard()
        connection = Connection(folder, folder.connection(), context, heard)
        connection.open()
        await kernel.listened_to()
        yield Line(kernel, connection, heard)
        connection.close()


async def test_a_request_comes_as_it_was_meant_and_its_answer_names_it(line: Line) -> None:
    line.kernel.answers["x_request"] = lambda asked: {"was": asked.content["é"]}
    request = Request("control", "x_request", {"é": "€"}, metadata={"m": 1}, subshell="sub")
    sent = line.connection.send(request)
    await line.heard.until(lambda heard: "x_reply" in heard.types)
    (message,) = line.heard.messages
    assert (message.parent, message.content) == (sent, {"was": "€"})
    asked = line.kernel.asked[0]
    assert asked.channel == "control"
    assert asked.id == sent
    assert asked.message["metadata"] == {"m": 1}
    assert asked.message["header"]["subshell_id"] == "sub"


async def test_the_sender_may_choose_the_id_and_otherwise_each_has_its_own(line: Line) -> None:
    assert line.connection.send(Request("shell", "execute_request", {}, id="cell:c7")) == "cell:c7"
    assert (await line.kernel.heard("execute_request")).id == "cell:c7"
    assert line.connection.send(INFO) != line.connection.send(INFO)


async def test_every_channel_is_heard(line: Line) -> None:
    line.connection.send(Request("stdin", "input_reply", {}))
    stdin = await line.kernel.heard("input_reply")
    line.connection.send(INFO)
    shell = await line.kernel.heard("kernel_info_request")
    await line.kernel.publish("status", {"execution_state": "busy"})
    await line.kernel.ask_person({"prompt": "?"}, stdin)
    await line.kernel.reply(shell, {"status": "ok"})
    await line.heard.until(lambda heard: len(heard.messages) == 3)
    assert set(line.heard.types) == {"status", "input_request", "kernel_info_reply"}
    by_type = {one.type: one for one in line.heard.messages}
    assert by_type["status"].parent == "", "nobody asked for it"
    assert by_type["kernel_info_reply"].parent == shell.id


async def test_nonsense_is_passed_over_and_what_follows_is_heard(line: Line) -> None:
    session = line.kernel.session
    good = session.msg("stream", {"text": "x"})
    forged = session.serialize(good)
    forged[1] = b"0" * 64
    rows: list[list[bytes]] = [
        [b"no delimiter"],
        [b"topic", b"<IDS|MSG>"],
        [b"topic", b"<IDS|MSG>", b"", b"{}", b"{}", b"{}", b"{}"],
        [b"topic", *forged],
        [b"topic", *_with(line, header={"no": "type"})],
        [b"topic", *_with(line, content=["a", "list"])],
        [b"topic", *_with(line, content=None)],
        [b"topic", *_with(line, parent_header=7)],
        [b"topic", *_with(line, parent_header=None)],
    ]
    for frames in rows:
        await line.kernel.send_frames("iopub", frames)
    await line.kernel.publish("stream", {"text": "last"})
    await line.heard.until(lambda heard: "stream" in heard.types)
    assert [one.content for one in line.heard.messages][-1] == {"text": "last"}
    assert len(line.heard.messages) == 1


def _with(line: Line, **parts: Any) -> list[bytes]:
    """A message that is signed as it should be and otherwise as it should not."""
    session = line.kernel.session
    message = {**session.msg("stream", {"text": "bad"}), **parts}
    order = ("header", "parent_header", "metadata", "content")
    packed = [json.dumps(message[name], default=str).encode() for name in order]
    return [b"<IDS|MSG>", session.sign(packed), *packed]


async def test_halves_of_characters_are_heard_as_something_that_can_be_stored(line: Line) -> None:
    await line.kernel.send_frames(
        "iopub", [b"t", *_with(line, content={"text": "a\ud800b\U0001f4a9", "more": ["\udfff"]})]
    )
    await line.heard.until(lambda heard: bool(heard.messages))
    (message,) = line.heard.messages
    assert message.content == {"text": "a?b\U0001f4a9", "more": ["?"]}
    msgspec.json.encode(message.content)


async def test_what_is_only_nearly_json_is_heard(line: Line) -> None:
    await line.kernel.send_frames("iopub", [b"t", *_with(line, content={"data": float("inf")})])
    await line.heard.until(lambda heard: bool(heard.messages))
    assert line.heard.messages[0].content == {"data": float("inf")}


async def test_a_message_of_an_older_protocol_is_heard_in_the_words_of_this_one(line: Line) -> None:
    header = {**line.kernel.session.msg_header("pyerr"), "version": "4.1"}
    content = {"ename": "E", "evalue": "", "traceback": []}
    await line.kernel.send_frames("iopub", [b"t", *_with(line, header=header, content=content)])
    await line.heard.until(lambda heard: bool(heard.messages))
    (message,) = line.heard.messages
    assert message.type == "error", "it was called pyerr once"
    assert message.content["ename"] == "E"


async def test_after_closing_nothing_is_heard_and_nothing_is_sent(line: Line) -> None:
    line.connection.close()
    assert line.connection.send(INFO), "who asks gets an id all the same"
    await line.kernel.publish("stream", {"text": "x"})
    for _ in range(20):
        await asyncio.sleep(0)
    assert line.heard.messages == []
    assert line.kernel.asked == []


async def test_a_message_is_heard_once_and_in_order_although_sockets_differ(
    folder: WorkerFolder,
) -> None:
    async with pretending(folder, numbered=True) as (kernel, context):
        heard = Heard()
        connection = Connection(folder, folder.connection(), context, heard)
        connection.open()
        await kernel.listened_to()
        frames = [kernel.session.serialize(kernel.session.msg(f"m{n}", {})) for n in range(1, 5)]
        for number in (3, 1, 1, 4, 3):
            identities = [b"topic", f"#{number}".encode()]
            await kernel.send_frames("iopub", [*identities, *frames[number - 1]])
        await heard.until(lambda one: "m1" in one.types)
        assert heard.types == ["m1"], "the second is not there yet"
        assert kernel.journal is not None
        for one in frames[:2]:
            kernel.journal.put(journal.IOPUB, one)
        await heard.until(lambda one: "m4" in one.types)
        assert heard.types == ["m1", "m2", "m3", "m4"], "the second was in the journal"
        connection.close()


async def test_what_was_said_before_anyone_listened_is_in_the_journal(folder: WorkerFolder) -> None:
    async with pretending(folder, numbered=True) as (kernel, context):
        for number in range(3):
            await kernel.publish(f"m{number}", {})
        heard = Heard()
        connection = Connection(folder, folder.connection(), context, heard)
        connection.open()
        await connection.sequence.catch_up()
        assert heard.types == ["m0", "m1", "m2"]
        await kernel.listened_to()
        await kernel.publish("m3", {})
        await heard.until(lambda one: "m3" in one.types)
        assert heard.types == ["m0", "m1", "m2", "m3"]
        connection.close()


@pytest.mark.parametrize("times", [0, 2], ids=["once", "back"])
async def test_the_next_daemon_gets_the_answer_to_the_last_ones_request(
    folder: WorkerFolder, times: int
) -> None:
    async with pretending(folder) as (kernel, context):
        first = Connection(folder, folder.connection(), context, Heard())
        first.open()
        for _ in range(times):
            first.disconnect()
            first.open()
        sent = first.send(Request("shell", "execute_request", {}, id="cell:c1"))
        asked = await kernel.heard("execute_request")
        first.close()
        heard = Heard()
        second = Connection(folder, folder.connection(), context, heard)
        second.open()
        second.send(INFO)
        assert (await kernel.heard("kernel_info_request")).identities == asked.identities
        await kernel.reply(asked, {"status": "ok"})
        await heard.until(lambda one: "execute_reply" in one.types)
        assert heard.messages[0].parent == sent
        second.close()


async def test_who_comes_back_is_heard_although_who_it_was_has_not_left_yet(
    folder: WorkerFolder,
) -> None:
    async with pretending(folder) as (kernel, context):
        connection = Connection(folder, folder.connection(), context, Heard())
        connection.open()
        connection.send(INFO)
        before = await kernel.heard("kernel_info_request")
        connection.disconnect()
        connection.open()
        connection.send(INFO)
        await kernel.heard("kernel_info_request", 2)
        # Sockets are closed beside: one that waits for its turn to be may come back until then.
        stray = context.socket(zmq.DEALER)
        stray.identity = before.identities[0]
        info = folder.connection()
        stray.connect(f"ipc://{info['ip']}-{info['shell_port']}")
        await stray.send_multipart(kernel.session.serialize(kernel.session.msg("stray", {})))
        await kernel.heard("stray")
        connection.send(Request("shell", "execute_request", {}, id="cell:c1"))
        assert (await kernel.heard("execute_request")).identities != before.identities
        stray.close(linger=0)
        connection.close()


async def test_a_name_that_cannot_be_noted_costs_the_connection_nothing(
    folder: WorkerFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(WorkerFolder, "write_caller", refuse)
    async with pretending(folder) as (kernel, context):
        connection = Connection(folder, folder.connection(), context, Heard())
        connection.open()
        connection.disconnect()
        connection.open()
        sent = connection.send(INFO)
        assert (await kernel.heard("kernel_info_request")).id == sent
        connection.close()


async def test_a_flood_lets_others_have_their_turn(line: Line) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while len(line.heard.messages) < 900:
            await asyncio.sleep(0)
            turns += 1

    beside = asyncio.create_task(others())
    for number in range(900):
        await line.kernel.publish("stream", {"text": str(number)})
    async with asyncio.timeout(30):
        await beside
    assert [one.content["text"] for one in line.heard.messages] == [str(n) for n in range(900)]
    assert turns > 1
