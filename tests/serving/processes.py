"""Real daemons in processes of their own, of which nothing is left in the end."""

import json
import os
import random
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx2
import psutil
import pytest
from tests.journeys.live import MARK, marked

from hearth.daemon import starting
from hearth.daemon.discovery import Found
from hearth.performers.interpreter.runtime import runtime_folder

PATIENCE: Final = 60.0


class Place:
    """A home with settings of its own, and whatever runs in it."""

    def __init__(self, tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = tmp / "home"
        self.config = tmp / "config" / "hearth"
        self.config.mkdir(parents=True)
        self.set(interpreter={"spares": 0, "orphanAfter": 60})
        monkeypatch.setenv("XDG_CONFIG_HOME", str(self.config.parent))
        monkeypatch.setenv("HEARTH_HOME", str(self.home))

    def set(self, **settings: Any) -> None:
        """Write the person's settings."""
        (self.config / "hearth.jsonc").write_text(json.dumps(settings))

    def start(self, **options: Any) -> Found:
        """Start a daemon, on a port that nobody else has."""
        options.setdefault("port", free_port())
        return starting.start(str(self.home), patience=PATIENCE, **options)

    def log(self) -> list[dict[str, Any]]:
        """What the daemon has logged."""
        path = self.home / "logs" / "daemon.log"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def messages(self) -> list[str]:
        """What the daemon has logged, in words alone."""
        return [line["message"] for line in self.log()]

    def processes(self) -> list[psutil.Process]:
        """Everything that runs here."""
        return [one for one in psutil.process_iter() if _mark_of(one) == str(self.home)]


@contextmanager
def place(tmp: Path) -> Iterator[Place]:
    """A home in which daemons can be started; all that runs there is ended in the end."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        here = Place(tmp, monkeypatch)
        with marked(here.home):
            try:
                yield here
            finally:
                # Asked once: of who is just ending it cannot be read any more whose it is.
                left = here.processes()
                for one in left:
                    with suppress(psutil.NoSuchProcess):  # it ended with one of the others
                        one.kill()
                psutil.wait_procs(left, timeout=PATIENCE)
                _reap()
                shutil.rmtree(runtime_folder(here.home), ignore_errors=True)


def assert_nothing_left(here: Place) -> None:
    """No process and no folder of one."""
    psutil.wait_procs(here.processes(), timeout=PATIENCE)
    assert here.processes() == []
    assert not runtime_folder(here.home).exists()


@contextmanager
def talking(found: Found) -> Iterator[httpx2.Client]:
    """A client of this daemon, over its unix socket."""
    with httpx2.Client(
        transport=httpx2.HTTPTransport(uds=found.socket),
        base_url="http://hearth",
        headers={"Authorization": f"Bearer {found.token}"},
        timeout=PATIENCE,
    ) as client:
        yield client


def create(client: httpx2.Client, directory: Path) -> str:
    """A bare session that is ready; its id."""
    directory.mkdir(parents=True, exist_ok=True)
    created = client.post(
        "/sessions",
        json={"directory": str(directory), "mode": "bare"},
        headers={"Prefer": "wait=60"},
    )
    assert created.status_code == 201, created.text
    return str(created.json()["session"])


def value(client: httpx2.Client, session: str, code: str) -> str:
    """The value of a cell."""
    done = client.post(
        f"/sessions/{session}/commands",
        json={"type": "run_cell", "code": code},
        headers={"Prefer": "wait=60"},
    )
    assert done.status_code == 200, done.text
    return str(done.json()["envelopes"][-1]["event"]["value"])


def gone(pid: int) -> None:
    """Wait until a process is no more; ours are reaped."""
    comes_true(lambda: not _runs(pid))


def comes_true(condition: Callable[[], Any]) -> None:
    """Of files and processes nobody tells."""
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit, "it does not come true"
        os.sched_yield()


def free_port() -> int:
    """A port that nobody listens on now, of those that no system gives to whoever connects."""
    while True:
        port = random.randrange(15000, 30000)  # noqa: S311 - no secret
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _reap() -> None:
    """Take leave of children that nobody waited for."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _mark_of(process: psutil.Process) -> str:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return ""
        return process.environ().get(MARK, "")
    except psutil.Error:  # gone meanwhile, or somebody else's
        return ""
