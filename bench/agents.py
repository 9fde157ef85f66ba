"""A daemon whose agents speak with a pretended provider, each in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, NamedTuple

import msgspec
from bench.daemons import LOOK_EVERY, PATIENCE, Daemon, Wire, at_home, gone, project_in
from bench.measuring import scratch
from tests.providers.process import ROOT, provider_process
from tests.providers.script import Call, Reply, Say, Script

from hearth.daemon.discovery import find
from hearth.daemon.starting import start

MODEL: Final = "anthropic:claude-opus-4-5"
KEY: Final = "sk-pretended-key"
NOTHING: Final = "nothing"
"""The tool that does nothing, which only a daemon of `python -m bench.nothing` has."""
WAIT: Final = "wait=300"


class Heard(msgspec.Struct):
    """One line of a provider's record, without what was asked."""

    number: int
    outcome: str
    at: float
    ended: float
    shares: tuple[int, ...] | dict[str, int] | None = None


class Exchange(NamedTuple):
    """A request and its answer by the provider's clock, and what the provider found in it."""

    at: float
    ended: float
    size: int
    before: int
    shared: int
    readable: int


class Record:
    """What a provider was asked since this was last looked at."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "requests.jsonl"
        self._read = 0
        self._open: set[int] = set()

    def new(self) -> list[Exchange]:
        """The requests that were answered in whole; others are a mistake of the bench.

        All that were asked: whoever asked may have an answer a moment before its end is noted.
        TimeoutError.
        """
        found = self.so_far()
        until = monotonic() + PATIENCE
        while self._open:
            if monotonic() > until:
                raise TimeoutError(f"the provider never noted the end of request {min(self._open)}")
            sleep(LOOK_EVERY)
            found += self.so_far()
        return found

    def so_far(self) -> list[Exchange]:
        """The same of those whose end is noted by now."""
        found = []
        with self._path.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._read += len(line)
                heard = _heard.decode(line)
                if heard.outcome == "open":
                    self._open.add(heard.number)
                else:
                    self._open.discard(heard.number)
                    found.append(_exchange(heard))
        return found


_heard = msgspec.json.Decoder(Heard)


def _exchange(heard: Heard) -> Exchange:
    shares = heard.shares
    if heard.outcome not in {"whole", "left"} or not isinstance(shares, dict):
        raise TypeError(f"the provider took request {heard.number} for {heard.outcome}")
    return Exchange(
        heard.at,
        heard.ended,
        shares["size"],
        shares["before"],
        shares["shared"],
        shares["readable"],
    )


class Setting(NamedTuple):
    """A provider, and a daemon that knows it."""

    daemon: Daemon
    url: str
    record: Record


def gaps(exchanges: Sequence[Exchange]) -> list[float]:
    """Milliseconds from the end of each answer until the next request, by the provider's clock."""
    return [(after.at - before.ended) * 1000 for before, after in pairwise(exchanges)]


def calling(tool: str, steps: Iterable[int]) -> list[Reply]:
    """A trivial call in each of these steps, no two alike, and a last step without."""
    calls = [Reply((Say(f"Step {step}."), Call(tool, _arguments(tool, step)))) for step in steps]
    return [*calls, Reply((Say("Done."),))]


def _arguments(tool: str, step: int) -> dict[str, Any]:
    """What the model calls it with in this step; the same three times would be a loop."""
    return {"number": step} if tool == NOTHING else {"code": f"1 # {step}"}


@contextmanager
def speaking(
    script: Script, *options: str, nothing: bool = False, **settings: Any
) -> Iterator[Setting]:
    """A provider with this script and a daemon for it, both for as long as the block."""
    with scratch() as folder, provider_process("anthropic", script, folder, *options) as url:
        record = Record(folder)
        with known(folder, url, nothing=nothing, **settings) as daemon:
            yield Setting(daemon, url, record)


@contextmanager
def known(folder: Path, url: str, *, nothing: bool = False, **settings: Any) -> Iterator[Daemon]:
    """A daemon in this folder that knows the provider; it and its interpreters end after it."""
    with at_home(folder) as home:
        write_settings(folder, url, **settings)
        daemon = begun(home, project_in(folder), nothing=nothing)
        try:
            yield daemon
        finally:
            # Another one may have followed it.
            found = find(str(home))
            if found is not None:
                with Wire(daemon._replace(found=found)) as wire:
                    wire.ask("POST", "/shutdown", {"end_sessions": True})
                gone(found.pid)


def write_settings(folder: Path, url: str, **settings: Any) -> None:
    """The person's own file, for the home of this folder."""
    said = {
        "model": MODEL,
        "maxTurns": 1000,
        "provider": {"anthropic": {"baseUrl": url, "apiKey": KEY}},
        **settings,
    }
    path = folder / "config" / "hearth" / "hearth.jsonc"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said), "utf-8")
    path.chmod(0o600)


def begun(home: Path, project: Path, *, nothing: bool = False) -> Daemon:
    """The daemon of this home, begun; one with the tool that does nothing, or as it comes."""
    if not nothing:
        return Daemon(start(str(home)), home, project)
    home.mkdir(parents=True, exist_ok=True)
    with (home / "start.log").open("wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "bench.nothing"],
            cwd=ROOT,
            env={**os.environ, "HEARTH_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    until = monotonic() + PATIENCE
    while monotonic() < until and child.poll() is None:
        found = find(str(home))
        if found is not None:
            # It ends when it is asked to; nobody waits for it as a child.
            child.returncode = 0
            return Daemon(found, home, project)
        sleep(LOOK_EVERY)
    child.kill()
    child.wait()
    raise TimeoutError(f"no daemon: {(home / 'start.log').read_text('utf-8')[-500:]}")


def say(wire: Wire, session: str, text: str, **headers: str) -> Any:
    """Say something to the agent; nobody waits for it, unless a header says so."""
    command = {"type": "send_message", "text": text}
    return wire.ask("POST", f"/sessions/{session}/commands", command, **headers)


def send(wire: Wire, session: str, text: str) -> Any:
    """Say something to the agent, and wait until its turn is over."""
    answer = say(wire, session, text, Prefer=WAIT)
    ended = answer["envelopes"][-1]["event"]
    if ended.get("end") != "done":
        raise TypeError(f"the turn did not end as it should: {ended}")
    return ended


def with_project(wire: Wire, daemon: Daemon) -> str:
    """A new session in the project, with its instructions, that waits for code."""
    body = {"directory": str(daemon.project)}
    return str(wire.ask("POST", "/sessions", body, Prefer="wait=60")["session"])
