"""A daemon that is killed again and again under load loses nothing that it acknowledged."""

import http.client
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final

import pytest
from tests.journeys.homes import Caller, Home, Refused, a_home
from tests.journeys.live import processes

from hearth.core.vocabulary.codec import decode_envelope, encode
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.events import SETTLING, CellFinished
from hearth.daemon.discovery import Found

KILLS: Final = 50
CLIENTS: Final = 2
SEED: Final = 20261116
WAIT: Final = {"Prefer": "wait=30"}


class Client(Thread):
    """Sends commands one after the other until its daemon is gone; knows what was acknowledged."""

    def __init__(self, found: Found, session: str, name: str, enough: Event, after: int) -> None:
        super().__init__(daemon=True)
        self.acknowledged: list[str] = []
        self.trouble: Exception | None = None
        self._caller = Caller(found)
        self._session = session
        self._name = name
        self._enough = enough
        self._after = after

    def run(self) -> None:
        """Until it fails."""
        number = 0
        try:
            while True:
                number += 1
                id_ = f"{self._name}-{number}"
                command = {"type": "run_cell", "code": "count += 1", "if_busy": "queue"}
                path = f"/sessions/{self._session}/commands"
                with suppress(Refused):  # it is not ready yet, or a hundred wait
                    self._caller.ask("POST", path, command, **{"Idempotency-Key": id_})
                    self.acknowledged.append(id_)
                if len(self.acknowledged) >= self._after:
                    self._enough.set()
        except (OSError, http.client.HTTPException):
            pass  # it was killed
        except Exception as trouble:  # noqa: BLE001 - told in the main thread
            self.trouble = trouble
        finally:
            self._enough.set()
            self._caller.close()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as made:
        yield made


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.promise("SF-DMN-02", "SF-PERF-04")
def test_fifty_kills_lose_nothing_that_was_acknowledged(home: Home) -> None:
    chance = random.Random(SEED)  # noqa: S311 - the same kills every time
    acknowledged: list[str] = []
    process = home.spawn()
    found = home.found(process)
    session, worker = _begin(home, found)
    for kill in range(KILLS):
        enough = Event()
        clients = [
            Client(found, session, f"k{kill}-c{place}", enough, chance.randint(1, 12))
            for place in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        assert enough.wait(60)
        process.kill()
        process.wait()
        for client in clients:
            client.join(60)
            assert client.trouble is None
            acknowledged += client.acknowledged
        process = home.spawn()
        found = home.found(process)
    caller = Caller(found)
    _all_settled(caller, session)
    rows = _log(home, session)
    _each_has_an_outcome(rows, acknowledged)
    assert len(acknowledged) > KILLS
    # The interpreter is the same one all along, and has counted every cell that ended well.
    assert _value(caller, session, "os.getpid()") == worker
    counted = [row for row in rows if isinstance(row.event, CellFinished)]
    by_clients = [row for row in counted if row.cause.startswith("k")]
    assert int(_value(caller, session, "count")) == len(by_clients)
    caller.ask("POST", "/shutdown", {"end_sessions": True})
    caller.close()
    assert process.wait(60) == 0


def _begin(home: Home, found: Found) -> tuple[str, str]:
    caller = Caller(found)
    body = {"directory": str(home.project), "mode": "bare"}
    session = caller.ask("POST", "/sessions", body, **WAIT)["session"]
    _value(caller, session, "import os; count = 0")
    worker = _value(caller, session, "os.getpid()")
    caller.close()
    return session, worker


def _value(caller: Caller, session: str, code: str) -> str:
    command = {"type": "run_cell", "code": code, "if_busy": "queue"}
    settled = caller.ask("POST", f"/sessions/{session}/commands", command, **WAIT)
    event = settled["envelopes"][-1]["event"]
    assert event["type"] == "cell_finished", event
    return str(event.get("value", ""))


def _all_settled(caller: Caller, session: str) -> None:
    """Behind a cell that is queued last, nothing waits any more."""
    while True:
        try:
            _value(caller, session, "None")
        except Refused as refused:
            if refused.said["error"]["code"] != "not_now":
                raise
        else:
            return


def _log(home: Home, session: str) -> list[Envelope]:
    target = home.path / "exported.jsonl"
    done = home.hearth("log", "export", session, str(target))
    assert done.returncode == 0, done.stderr
    shown = home.hearth("events", "--session", session, "--after", "0", "--json")
    assert shown.returncode == 0, shown.stderr
    return [decode_envelope(encode(row)) for row in json.loads(shown.stdout)["events"]]


def _each_has_an_outcome(rows: list[Envelope], acknowledged: list[str]) -> None:
    begun = {row.cause for row in rows}
    settled = {row.cause for row in rows if type(row.event) in SETTLING}
    assert [one for one in acknowledged if one not in begun] == []
    assert [one for one in acknowledged if one not in settled] == []
    assert len({row.id for row in rows}) == len(rows)


@pytest.mark.promise("SF-DMN-09", "SF-CLI-03")
def test_five_that_start_at_once_on_a_fresh_home_share_one_daemon(home: Home) -> None:
    words = ["-m", "hearth", "-d", "--json"]
    starting = [
        subprocess.Popen(  # noqa: S603 - this very hearth
            [sys.executable, *words],
            env=home.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(5)
    ]
    said = [process.communicate(timeout=120) for process in starting]
    assert [process.returncode for process in starting] == [0] * 5, said
    status = home.hearth("status", "--json")
    assert status.returncode == 0, status.stderr
    daemons = [one for one in _daemons(home) if "--server" in one]
    assert len(daemons) == 1


def _daemons(home: Home) -> list[list[str]]:
    return [one.cmdline() for one in processes(home.path)]
