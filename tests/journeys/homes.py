"""Real daemons on a home of their own, started, spoken to and killed as users would."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from tests.journeys.live import PATIENCE, assert_nothing_left, marked, processes

from hearth.daemon.discovery import Found, find


class Home(NamedTuple):
    """A home, and the folder that sessions work in."""

    path: Path
    project: Path

    @property
    def environment(self) -> dict[str, str]:
        """What whoever uses this home is given."""
        own = {"HEARTH_HOME": str(self.path), "XDG_CONFIG_HOME": str(self.path / "config")}
        return {**os.environ, **own}

    def hearth(self, *words: str, **more: Any) -> "subprocess.CompletedProcess[str]":
        """What `hearth` with these words says."""
        return subprocess.run(  # noqa: S603 - this very hearth
            [sys.executable, "-m", "hearth", *words],
            env=self.environment,
            cwd=self.project,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE * 2,
            **{"stdin": subprocess.DEVNULL, **more},
        )

    def spawn(self) -> "subprocess.Popen[bytes]":
        """A daemon as a child of ours, so that its end is seen."""
        return subprocess.Popen(
            [sys.executable, "-m", "hearth", "--server"],
            env=self.environment,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def found(self, process: "subprocess.Popen[bytes]") -> Found:
        """Where that daemon listens, once it does."""
        watched = psutil.Process(process.pid)
        until = _monotonic() + PATIENCE
        while _monotonic() < until:
            found = find(str(self.path))
            if found is not None and found.pid == process.pid:
                return found
            assert process.poll() is None, f"it ended with {process.returncode}"
            watched.cpu_times()  # a system call: others have their turn
            os.sched_yield()
        raise AssertionError("the daemon did not announce itself in time")


@contextmanager
def a_home(folder: Path) -> Iterator[Home]:
    """A fresh home; in the end its daemon and all that it started are gone."""
    home = Home(folder / "home", folder / "project")
    home.project.mkdir()
    with marked(home.path):
        try:
            yield home
        finally:
            home.hearth("stop")
            for left in processes(home.path):
                with suppress(psutil.NoSuchProcess):  # it ended with one of the others
                    left.kill()
        assert_nothing_left(home.path)


class Caller:
    """One connection to a daemon; OSError or HTTPException when it is gone."""

    def __init__(self, found: Found, token: str = "") -> None:
        """By default with the person's own token."""
        self._token = token or found.token
        self._connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=PATIENCE)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """What it answers; a status of 400 and above raises Refused."""
        told = {"Authorization": f"Bearer {self._token}", **headers}
        if body is not None:
            told["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body)
        self._connection.request(method, path, data, told)
        answer = self._connection.getresponse()
        said = json.loads(answer.read() or b"null")
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise Refused(answer.status, said)
        return said

    def close(self) -> None:
        """Let go."""
        self._connection.close()


class Refused(Exception):
    """The daemon said no: the status, and what it said."""

    def __init__(self, status: int, said: Any) -> None:
        super().__init__(f"{status} {said}")
        self.status = status
        self.said = said


def _monotonic() -> float:
    return os.times().elapsed
