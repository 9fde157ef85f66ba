"""An agent tries several ways and keeps one, whenever its daemon is killed: exactly one is kept."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from tests.contracts.scenes import ANN
from tests.journeys.agents import GO, MODEL, S, asked
from tests.journeys.gates import Gate
from tests.journeys.homes import Home, a_home
from tests.journeys.live import comes_true
from tests.providers.script import Call, Reply, Say, answers_in
from tests.providers.server import provider

from hearth.api import Settled, settle
from hearth.clients.remote.remote_hearth import RemoteHearth
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import CreateSession, RunCell, SessionConfig, SessionMode
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.origin import Door
from hearth.core.vocabulary.prompting import SendMessage
from hearth.daemon.discovery import find
from hearth.performers.interpreter.runtime import Runtime, runtime_folder

PATIENCE: Final = 60.0
WAYS: Final = 3
SECOND: Final = 2


class Killed:
    """A daemon that is killed and started again."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._process: subprocess.Popen[bytes] = home.spawn()
        home.found(self._process)

    def kill(self) -> None:
        """Without a warning."""
        self._process.kill()
        self._process.wait(PATIENCE)

    def start(self) -> None:
        """Another one, in the same home."""
        self._process = self._home.spawn()
        self._home.found(self._process)

    def close(self) -> None:
        """End it as people do, with its interpreters."""
        self._home.hearth("stop")
        self._process.wait(PATIENCE)


class Model:
    """Tries three ways, keeps the second, looks at it, and is done.

    By the answers that a request holds already: asked again, it answers the same.
    """

    def __init__(self, ways: list[str]) -> None:
        self._replies = (
            Reply((Call("try_code", {"variants": ways}),)),
            Reply((Call("keep_variant", {"variant": SECOND}),)),
            Reply((Call("run_code", {"code": "found.append('after'); found"}),)),
            Reply((Say("Done."),)),
        )
        self.to_be_killed: Killed | None = None
        """Whose daemon dies before it hears an answer: which one is to be kept, unless `at`."""
        self.at = 1
        self.killed = asyncio.Event()

    def __call__(self, request: dict[str, Any], _: int) -> Reply:
        step = answers_in(request)
        if step == self.at and self.to_be_killed is not None:
            daemon, self.to_be_killed = self.to_be_killed, None
            daemon.kill()
            self.killed.set()
        return self._replies[step]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as made:
        yield made


@asynccontextmanager
async def asking(home: Home, model: Model) -> AsyncIterator[tuple[RemoteHearth, Killed]]:
    """Somebody who stays connected as well as possible, and a session that is ready."""
    async with provider("anthropic", model) as fake:
        own = home.path / "config" / "hearth" / "hearth.jsonc"
        own.parent.mkdir(parents=True)
        said = {"anthropic": {"baseUrl": fake.url, "apiKey": "sk-ant-pretended"}}
        own.write_text(json.dumps({"model": MODEL, "provider": said}))
        daemon = await asyncio.to_thread(Killed, home)
        try:
            at = find(str(home.path))
            assert at is not None
            async with RemoteHearth.at(
                at, door=Door.CLI, locate=lambda: find(str(home.path)), patience=PATIENCE
            ) as hearth:
                config = SessionConfig(directory=str(home.project), mode=SessionMode.BARE)
                assert isinstance(await settle(hearth, S, CreateSession(config), ANN), Settled)
                yield hearth, daemon
        finally:
            await asyncio.to_thread(daemon.close)
        assert not fake.refusals


async def value(hearth: RemoteHearth, code: str) -> str:
    settled = await settle(hearth, S, RunCell(code, if_busy="queue"), ANN)
    assert isinstance(settled, Settled), settled
    assert isinstance(settled.outcome.event, e.CellFinished), settled.outcome.event
    return str(settled.outcome.event.value)


async def seen(hearth: RemoteHearth, *kinds: type[e.Event]) -> list[e.Event]:
    """All events up to the first of these kinds."""
    following = hearth.follow(S, after=0)
    told: list[e.Event] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                for item in await following.batch():
                    if isinstance(item, Stored):
                        told.append(envelope(item).event)
                        if isinstance(told[-1], kinds):
                            return told
    finally:
        following.close()


def ways(*before: str) -> list[str]:
    """Three that tell themselves and their processes apart."""
    held = "\n".join(before)
    return [
        f"import os\nfound = [{way}]\n{held}\nfound.append({way} * 10); os.getpid()"
        for way in range(1, WAYS + 1)
    ]


async def one_is_kept(hearth: RemoteHearth, home: Home, first: int) -> None:
    """The turn came to its end, the second way is the session, and nothing else is left of it."""
    told = await seen(hearth, t.TurnFinished)
    finished = told[-1]
    assert isinstance(finished, t.TurnFinished)
    assert finished.end is t.TurnEnd.DONE
    (trial,) = [one for one in told if isinstance(one, e.TrialEnded)]
    assert [one.is_ok for one in trial.results] == [True] * WAYS, trial
    pids = [int(str(one.value)) for one in trial.results]
    assert len({first, *pids}) == WAYS + 1
    kept = [one for one in told if isinstance(one, e.VariantKept)]
    assert [one.variant for one in kept] == [SECOND]
    assert not [one for one in told if isinstance(one, e.VariantsDropped | e.SessionFaulted)]
    assert await value(hearth, "found, os.getpid()") == f"([2, 20, 'after'], {pids[1]})"
    others = [first, pids[0], pids[2]]
    await comes_true(lambda: not any(psutil.pid_exists(one) for one in others))
    await comes_true(lambda: len(interpreters(home)) == 1)
    (folder,) = interpreters(home)
    guardian = folder.guardian()
    assert guardian is not None
    assert guardian.kernel.pid == pids[1]


def interpreters(home: Home) -> list[Any]:
    """What there is of the session, whatever it is for."""
    there = Runtime(runtime_folder(home.path)).workers()
    records = [(folder, folder.record()) for folder in there]
    return [folder for folder, record in records if record is not None and record.session == S]


@pytest.mark.timeout(180)
async def test_a_daemon_dies_between_the_results_and_the_choice(home: Home) -> None:
    model = Model(ways())
    async with asking(home, model) as (hearth, daemon):
        first = int(await value(hearth, "__import__('os').getpid()"))
        model.to_be_killed = daemon
        await asked(hearth, SendMessage("Try."), GO)
        # Not until the trial was seen here: who follows may not have been told of it by then.
        await asyncio.wait_for(model.killed.wait(), PATIENCE)
        await asyncio.to_thread(daemon.start)
        await one_is_kept(hearth, home, first)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("ends", ["while nobody listens", "when the next one listens"])
async def test_a_daemon_dies_while_the_ways_are_tried(
    home: Home, tmp_path: Path, ends: str
) -> None:
    with Gate(tmp_path / "begun") as begun, Gate(tmp_path / "go") as go:
        model = Model(ways("meet()"))
        async with asking(home, model) as (hearth, daemon):
            # A person's: what the agent itself writes about files may have to be allowed.
            await value(hearth, f"def meet():\n    {begun.open_in_cell}\n    {go.wait_in_cell}")
            first = int(await value(hearth, "__import__('os').getpid()"))
            await asked(hearth, SendMessage("Try."), GO)
            for _ in range(WAYS):
                await begun.passed()
            await asyncio.to_thread(daemon.kill)
            if ends == "while nobody listens":
                for _ in range(WAYS):
                    go.open()
            await asyncio.to_thread(daemon.start)
            if ends == "when the next one listens":
                for _ in range(WAYS):
                    go.open()
            await one_is_kept(hearth, home, first)


@pytest.mark.timeout(180)
async def test_a_daemon_dies_while_the_second_becomes_the_session(home: Home) -> None:
    model = Model(ways())
    async with asking(home, model) as (hearth, daemon):
        first = int(await value(hearth, "__import__('os').getpid()"))
        # At the latest when it is over, before anything is run in it.
        model.to_be_killed, model.at = daemon, 2
        await asked(hearth, SendMessage("Try."), GO)
        kept = asyncio.create_task(seen(hearth, e.VariantKept))
        killed = asyncio.create_task(model.killed.wait())
        await asyncio.wait((kept, killed), return_when=asyncio.FIRST_COMPLETED)
        kept.cancel()
        killed.cancel()
        await asyncio.to_thread(daemon.kill)
        model.to_be_killed = None
        await asyncio.to_thread(daemon.start)
        await one_is_kept(hearth, home, first)
