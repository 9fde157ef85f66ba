"""A real daemon to measure, in a process and a home of its own, and ways to talk to it."""

import http.client
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any, Final, NamedTuple, Self

import psutil
from bench.measuring import scratch

from hearth.daemon.discovery import Found
from hearth.daemon.starting import start

PATIENCE: Final = 60.0
LOOK_EVERY: Final = 0.005


class Daemon(NamedTuple):
    """A daemon that runs."""

    found: Found
    home: Path
    project: Path

    @property
    def process(self) -> psutil.Process:
        """Its process."""
        return psutil.Process(self.found.pid)

    def memory(self) -> int:
        """The bytes that its process holds."""
        return int(self.process.memory_info().rss)

    def computed(self) -> float:
        """The seconds that its process has computed."""
        times = self.process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def daemon() -> Iterator[Daemon]:
    """A daemon on a fresh home; it and its interpreters end with the block."""
    with scratch() as folder, at_home(folder) as home:
        found = start(str(home))
        running = Daemon(found, home, project_in(folder))
        try:
            yield running
        finally:
            with Wire(running) as wire:
                wire.ask("POST", "/shutdown", {"end_sessions": True})
            gone(found.pid)


@contextmanager
def at_home(folder: Path) -> Iterator[Path]:
    """A home for whatever is started in the block, and no settings of a person."""
    home = folder / "home"
    wanted = {"HEARTH_HOME": str(home), "XDG_CONFIG_HOME": str(folder / "config")}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield home
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def project_in(folder: Path) -> Path:
    """A root of its own: the bench may run in somebody's repository, with much to import."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    (project / ".git").mkdir(exist_ok=True)
    return project


def gone(pid: int) -> None:
    """Wait until a process has ended; one that does not is killed, and that is a mistake."""
    try:
        until(lambda: not _is_there(pid), "the daemon did not end")
    except TimeoutError:
        with suppress(psutil.NoSuchProcess):
            psutil.Process(pid).kill()
        raise


def until(condition: Callable[[], bool], missed: str) -> None:
    """Wait for something that must come; what it means if it does not."""
    end = monotonic() + PATIENCE
    while not condition():
        if monotonic() > end:
            raise TimeoutError(missed)
        sleep(LOOK_EVERY)


def _is_there(pid: int) -> bool:
    """A daemon is a child of whoever started it, and may be waited for by nobody."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Wire:
    """One connection to a daemon over TCP, kept open."""

    def __init__(self, daemon: Daemon) -> None:
        self._token = daemon.found.token
        self._connection = http.client.HTTPConnection(
            "127.0.0.1", daemon.found.port, timeout=PATIENCE
        )
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """What the daemon answers; anything but success is a mistake of the bench."""
        told = {"Authorization": f"Bearer {self._token}", **headers}
        data = None
        if body is not None:
            told["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        self._connection.request(method, path, data, told)
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise TypeError(f"{method} {path}: {answer.status} {said[:500]!r}")
        return json.loads(said) if said else None

    def session(self, directory: Path) -> str:
        """A new session that waits for code."""
        body = {"directory": str(directory), "mode": "bare"}
        return str(self.ask("POST", "/sessions", body, Prefer="wait=60")["session"])

    def run(self, session: str, code: str) -> Any:
        """What a cell led to, once it has ended."""
        command = {"type": "run_cell", "code": code}
        return self.ask("POST", f"/sessions/{session}/commands", command, Prefer="wait=60")

    def seconds(self, session: str, code: str) -> float:
        """How long a cell takes, from here and back."""
        began = perf_counter()
        self.run(session, code)
        return perf_counter() - began
