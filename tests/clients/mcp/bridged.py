"""A bridge as a process, spoken to line by line, and the program that stands in for the daemon."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
PATIENCE: Final = 30.0
VERSION: Final = "2025-11-25"
MODERN: Final = "2026-07-28"
META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


class Bridged:
    """One process of `hearth mcp`, and what it says."""

    def __init__(self, home: Path, *words: str, **environment: str) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - this very hearth
            [sys.executable, "-m", "hearth", "mcp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "HEARTH_HOME": str(home), **environment},
        )
        self.lines: list[bytes] = []
        """Everything that came on stdout."""
        self._news: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._kept: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def send(self, message: object) -> None:
        """One message on one line."""
        self.raw(json.dumps(message).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        """These bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message of this kind, however much else comes."""
        for one in self._kept:
            if wanted(one):
                self._kept.remove(one)
                return one
        while (came := self._news.get(timeout=PATIENCE)) is not None:
            if wanted(came):
                return came
            self._kept.append(came)
        raise AssertionError(f"it ended without that; before: {self._kept}")

    def answer(self, about: object) -> dict[str, Any]:
        """The answer to this request."""
        return self.hear(lambda said: said.get("id") == about and "method" not in said)

    def ask(self, about: object, method: str, **params: Any) -> dict[str, Any]:
        """Ask, in the earlier era, and wait for the answer."""
        self.send({"jsonrpc": "2.0", "id": about, "method": method, "params": params})
        return self.answer(about)

    def call(self, about: object, tool: str, **arguments: Any) -> Any:
        """What a tool gives as text."""
        said = self.ask(about, "tools/call", name=tool, arguments=arguments)
        return said["result"]["content"][0]["text"]

    def begin(self) -> dict[str, Any]:
        """The handshake of the earlier era."""
        info = {"name": "raw", "version": "1"}
        said = self.ask(
            "hello", "initialize", protocolVersion=VERSION, capabilities={}, clientInfo=info
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return said

    def end(self) -> tuple[int, str]:
        """Close its input and wait for its end: the exit code, and what it said beside."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait for its end."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        said = self.process.stderr.read().decode()
        self.process.stderr.close()
        return code, said

    def close(self) -> None:
        """Leave nothing behind."""
        for pipe in (self.process.stdin, self.process.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(OSError):
                    pipe.close()
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            for line in stdout:
                self.lines.append(line)
                self._news.put(json.loads(line))
        self._news.put(None)


@contextmanager
def bridged(home: Path, *words: str, **environment: str) -> Iterator[Bridged]:
    """A bridge, gone in the end."""
    one = Bridged(home, *words, **environment)
    try:
        yield one
    finally:
        one.close()


class StandIn:
    """The program in place of the daemon."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.start()

    def start(self) -> None:
        """Until it serves."""
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "tests.clients.mcp.sdk_server", str(self.home)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"serving\n"

    def kill(self) -> None:
        """Without a warning."""
        self.process.kill()
        self.process.wait(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def asked(self) -> list[dict[str, Any]]:
        """What it was asked so far."""
        path = self.home / "asked"
        return (
            [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        )

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until it has written down something like this."""
        until = os.times().elapsed + PATIENCE
        while os.times().elapsed < until:
            for one in self.asked():
                if wanted(one):
                    return one
            os.sched_yield()
        raise AssertionError(f"it was never asked that; it was: {self.asked()}")
