"""Drives real worker processes in tests: a folder, a guardian, a kernel, a client."""

import contextlib
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any, Final

from jupyter_client.blocking.client import BlockingKernelClient

from hearth.performers.interpreter import inside
from hearth.performers.interpreter.inside import processes

LAUNCH: Final = Path(inside.__file__).with_name("launch.py")
DEADLINE: Final = 30.0

Message = dict[str, Any]


def until(condition: Callable[[], Any], what: str, seconds: float = DEADLINE) -> Any:
    """Wait for a condition of the outside world that nobody announces; answer what it gave."""
    end = time.monotonic() + seconds
    nothing = select.poll()
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        nothing.poll(5)
    raise AssertionError(f"in {seconds} s it did not come to this: {what}")


def new_folder(runtime: Path, **settings: Any) -> Path:
    """A worker's folder as the daemon makes it."""
    folder = runtime / f"w-{secrets.token_hex(4)}"
    folder.mkdir(mode=0o700)
    connection = {
        "transport": "ipc",
        "ip": str(folder / "s"),
        "shell_port": 1,
        "iopub_port": 2,
        "stdin_port": 3,
        "control_port": 4,
        "hb_port": 5,
        "key": secrets.token_hex(16),
        "signature_scheme": "hmac-sha256",
    }
    (folder / "connection.json").write_text(json.dumps(connection), encoding="utf-8")
    launch: dict[str, Any] = {
        "argv": [],
        # A kernel that believes itself under pytest would not watch its descriptors.
        "environment": {
            **{k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"},
            "STARTED_IN": str(runtime),
        },
        "directory": str(runtime),
        "memory": None,
        "processes": None,
        "orphan_after": 600,
        "lock": str(runtime / "daemon.lock"),
    }
    launch.update(settings)
    (folder / "launch.json").write_text(json.dumps(launch), encoding="utf-8")
    return folder


@contextlib.contextmanager
def runtime_folder() -> Iterator[Path]:
    """A short path: sockets have little room for theirs."""
    with tempfile.TemporaryDirectory(prefix="hi-", dir="/tmp") as made:
        yield Path(made)


class Ran:
    """What came of one cell."""

    def __init__(self, reply: Message, messages: list[Message]) -> None:
        self.content = reply["content"]
        self.messages = messages

    @property
    def status(self) -> str:
        return str(self.content["status"])

    @property
    def told(self) -> dict[str, Any]:
        """What the kernel told hearth about the cell."""
        told: dict[str, Any] = self.content["hearth"]
        return told

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [one["content"] for one in self.messages if one["msg_type"] == kind]

    def text(self, name: str = "stdout") -> str:
        return "".join(one["text"] for one in self.of("stream") if one["name"] == name)

    @property
    def value(self) -> str:
        return "".join(one["data"]["text/plain"] for one in self.of("execute_result"))


def _is_over(published: list[Message]) -> bool:
    return any(one["content"].get("execution_state") == "idle" for one in published)


class Worker:
    """One worker: its processes and a client that speaks to it."""

    def __init__(self, folder: Path, guardian: int) -> None:
        self.folder = folder
        self.guardian = guardian
        self._watch = os.pidfd_open(guardian)
        self.client = BlockingKernelClient()
        self._started = ""
        self._early: dict[str, Message] = {}
        self._unread: dict[str, list[Message]] = {}
        self.client.load_connection_file(str(folder / "connection.json"))
        self.client.start_channels(hb=False)

    def ready(self) -> "Worker":
        """Wait until it answers, and until what it publishes is heard."""
        self.until_published("iopub_welcome")
        self.request("kernel_info_request", {})
        return self

    @property
    def state(self) -> dict[str, Any]:
        """What the guardian wrote."""
        path = self.folder / "guardian.json"
        until(path.exists, "the guardian has written its file")
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return content

    @property
    def kernel(self) -> int:
        return int(self.state["kernel"]["pid"])

    @property
    def stdio(self) -> str:
        return (self.folder / "stdio.log").read_text(encoding="utf-8")

    def request(
        self, kind: str, content: dict[str, Any], *, channel: str = "shell", **header: Any
    ) -> Message:
        """Ask, and wait for the answer."""
        sent = self.send(kind, content, channel=channel, **header)
        return self.reply_to(sent, channel)

    def send(
        self, kind: str, content: dict[str, Any], *, channel: str = "shell", **header: Any
    ) -> str:
        """Send a request and answer its id."""
        message = self.client.session.msg(kind, content)
        message["metadata"] = header.pop("metadata", {})
        message["header"].update(header)
        getattr(self.client, f"{channel}_channel").send(message)
        return str(message["header"]["msg_id"])

    def reply_to(self, sent: str, channel: str = "shell", seconds: float = DEADLINE) -> Message:
        """The reply to a request; others that come before are kept for whoever waits for them."""
        if (early := self._early.pop(sent, None)) is not None:
            return early
        end = time.monotonic() + seconds
        source = getattr(self.client, f"{channel}_channel")
        while time.monotonic() < end:
            message = self._next(source.get_msg)
            if message is None:
                continue
            if (request := message["parent_header"].get("msg_id")) == sent:
                return message
            self._early[request] = message
        raise AssertionError(f"no reply in {seconds} s; {self.stdio[-2000:]}")

    def start(self, code: str, *, allow_stdin: bool = False, **told: Any) -> str:
        """Send a cell."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "allow_stdin": allow_stdin,
            "stop_on_error": False,
        }
        subshell = told.pop("subshell", None)
        header = {"subshell_id": subshell} if subshell else {}
        self._started = self.send("execute_request", content, metadata={"hearth": told}, **header)
        return self._started

    def finish(self, sent: str, seconds: float = DEADLINE) -> Ran:
        """Wait for a cell's reply, and for all that it published."""
        messages = self.published(sent, seconds)
        return Ran(self.reply_to(sent), messages)

    def run(self, code: str, **told: Any) -> Ran:
        """Run a cell to its end."""
        return self.finish(self.start(code, **told))

    def published(self, sent: str, seconds: float = DEADLINE) -> list[Message]:
        """What a request published until the kernel was idle again.

        Others that come meanwhile are kept for whoever waits for them: they may end first.
        """
        found = self._unread.setdefault(sent, [])
        if _is_over(found):
            return found
        for message in self.listen(seconds):
            request = message["parent_header"].get("msg_id", "")
            self._unread.setdefault(request, []).append(message)
            if request == sent and _is_over(found):
                return found
        raise AssertionError(f"it was not idle in {seconds} s; {self.stdio[-2000:]}")

    def listen(self, seconds: float = DEADLINE) -> Iterator[Message]:
        """Everything published from now on."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if (message := self._next(self.client.get_iopub_msg)) is not None:
                yield message

    def catch_up(self) -> None:
        """Hear all that was published: who is too far behind misses what comes next."""
        while self._next(self.client.get_iopub_msg) is not None:
            pass

    def _next(self, receive: Callable[..., Message]) -> Message | None:
        """The next message, if it comes soon; what was said before the end is heard, too."""
        has_ended = self.has_ended
        try:
            return receive(timeout=0.2)
        except Empty:
            if has_ended:
                raise AssertionError(
                    f"it ended: {self.state['exit']}; {self.stdio[-2000:]}"
                ) from None
            return None

    def until_published(self, kind: str, **content: Any) -> Message:
        """Wait for one published message of this kind, with this content."""
        for message in self.listen():
            if message["msg_type"] == kind and content.items() <= message["content"].items():
                return message
        raise AssertionError(f"no {kind} was published")

    def until_said(self, text: str) -> Message:
        """Wait until one request has printed this; it may come in pieces. Answers the last."""
        said: dict[str, str] = {}
        for message in self.listen():
            if message["msg_type"] == "stream":
                cause = message["parent_header"].get("msg_id", "")
                said[cause] = said.get(cause, "") + message["content"]["text"]
                if text in said[cause]:
                    return message
        raise AssertionError(f"nobody printed {text!r}")

    def ask(self, ask: str, *, channel: str = "shell", subshell: str = "", **args: Any) -> Any:
        """A question to the kernel itself; its answer, or the error it gave as an exception."""
        header = {"subshell_id": subshell} if subshell else {}
        request = {"ask": ask, "args": args}
        content = self.request("hearth_request", request, channel=channel, **header)["content"]
        if content["status"] != "ok":
            raise RuntimeError(f"{content['ename']}: {content['evalue']}")
        return content["answer"]

    def interrupt(self) -> None:
        """Interrupt it as the daemon does, which has it look whether that was noticed."""
        self.signal_interrupt()
        told = {"rung": "interrupt", "request": self._started}
        self.send("hearth_request", {"ask": "stop_rung", "args": told}, channel="control")

    def signal_interrupt(self) -> None:
        """Only the signal: nothing is published of it, however often it comes."""
        os.kill(self.kernel, signal.SIGINT)

    @property
    def has_ended(self) -> bool:
        """Whether the guardian has gone."""
        waiting = select.poll()
        waiting.register(self._watch, select.POLLIN)
        return bool(waiting.poll(0))

    def ended(self, seconds: float = DEADLINE) -> dict[str, Any]:
        """Wait until the guardian has gone, and answer what it wrote about the end."""
        waiting = select.poll()
        waiting.register(self._watch, select.POLLIN)
        assert waiting.poll(seconds * 1000), "the guardian has not ended"
        exited: dict[str, Any] = self.state["exit"]
        return exited

    def close(self) -> None:
        """End it if it has not ended."""
        self.client.stop_channels()
        if not self.has_ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.guardian, signal.SIGTERM)
            self.ended()
        os.close(self._watch)


@contextlib.contextmanager
def worker(
    runtime: Path, *, how: str = "cold", python: str = sys.executable, **settings: Any
) -> Iterator[Worker]:
    """A worker that starts from nothing; it is ended when the test is over."""
    folder = new_folder(runtime, **settings)
    process = subprocess.Popen(  # noqa: S603 - our own program
        [python, str(LAUNCH), how, str(folder)],
        env={**json.loads((folder / "launch.json").read_text("utf-8"))["environment"]},
        stdin=subprocess.DEVNULL,
    )
    one = Worker(folder, process.pid)
    try:
        yield one
    finally:
        one.close()
        process.wait()


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it is more than an entry waiting to be taken."""
    return processes.parent(pid) is not None
