"""A daemon is killed in the middle of an agent's turn: it goes on, and nothing is done twice."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import pytest
from tests.contracts.scenes import ANN
from tests.journeys.agents import (
    MODEL,
    PATIENCE,
    STEPS,
    Death,
    Life,
    S,
    ask_and_add,
    boundaries,
    living,
    long_turn,
    ready,
)
from tests.journeys.gates import Gate
from tests.journeys.homes import Home, a_home
from tests.journeys.outliving import HELD, Outliving
from tests.journeys.transcripts import (
    Told,
    assert_same_but_interrupted,
    assert_whole,
    transcript,
)
from tests.providers.caching import Shares
from tests.providers.process import provider_process, recorded
from tests.providers.server import provider

from hearth.api import Settled, settle
from hearth.clients.remote.remote_hearth import RemoteHearth
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import CreateSession, RunCell, SessionConfig, SessionMode
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.origin import Door
from hearth.daemon.discovery import find


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory: daemons that only seem to be killed have no need to wait for a disk."""
    shared = Path("/dev/shm")  # noqa: S108 - in a folder of its own there, with a name of its own
    if not shared.is_dir():
        yield tmp_path
        return
    with TemporaryDirectory(dir=shared) as folder:
        yield Path(folder)


class Undisturbed(NamedTuple):
    """The turn as it goes by itself."""

    told: list[Told]
    deaths: list[Death]
    """All the points at which a daemon can end in it."""


async def undisturbed(home: Path, *, weighs: bool = True) -> Undisturbed:
    outliving = Outliving()
    async with provider("anthropic", long_turn(weighs=weighs)) as fake:
        async with living(home, outliving, fake.url) as life:
            before = (await life.envelopes())[-1].version
            async with asyncio.timeout(PATIENCE):
                await ask_and_add(life.engine, outliving.let_go)
            envelopes = await life.envelopes()
        assert not fake.refusals
    assert_whole(envelopes)
    assert len(outliving.ran) == len(set(outliving.ran)) == STEPS + 1
    assert len(outliving.weigh.weighed) == weighs
    ends = [one.event for one in envelopes if isinstance(one.event, t.TurnFinished)]
    assert [one.end for one in ends] == [t.TurnEnd.DONE]
    told = transcript(envelopes)
    assert assert_same_but_interrupted(told, told) == []
    return Undisturbed(told, [*boundaries(life.mortal.appends, before)])


async def killed_once(home: Path, death: Death) -> tuple[list[Envelope], Outliving]:
    """The turn with a daemon that ends in it, and another that goes on."""
    outliving = Outliving()
    async with provider("anthropic", long_turn()) as fake:
        life = Life(home, outliving, fake.url, death)
        await life.open()
        await ready(life.engine)
        asking = asyncio.create_task(ask_and_add(life.engine, outliving.let_go))
        async with asyncio.timeout(PATIENCE):
            await life.mortal.died.wait()
        await life.kill(fake)
        assert asking.done()
        left = life.mortal.left_at

        life = Life(home, outliving, fake.url)
        await life.log.open()
        # All that was appended together is there, or nothing of it.
        assert (await life.envelopes())[-1].version == left
        await life.engine.open()
        async with asyncio.timeout(PATIENCE):
            await ask_and_add(life.engine, outliving.let_go)
        envelopes = await life.envelopes()
        await life.close()
        assert fake.refusals == []
        assert {one.stability for one in fake.shares} == {1.0}
    return envelopes, outliving


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.promise("DP-LOG-06", "DP-LOG-07", "DP-TURN-10", "DP-WIRE-02", "DP-WIRE-12")
async def test_a_turn_goes_on_wherever_its_daemon_ends(memory: Path) -> None:
    clean, deaths = await undisturbed(memory / "undisturbed")
    assert len(deaths) > 4 * STEPS
    for number, death in enumerate(deaths):
        envelopes, outliving = await killed_once(memory / str(number), death)
        assert_whole(envelopes)
        cut_off = assert_same_but_interrupted(clean, transcript(envelopes))
        assert len(cut_off) <= 2, death
        assert max(Counter(outliving.ran).values()) == 1, death
        assert len(outliving.weigh.weighed) <= 1
        lost = STEPS + 1 - len(outliving.ran) + 1 - len(outliving.weigh.weighed)
        assert lost <= len(cut_off)


# -- real daemons, killed by a signal ------------------------------------------------------------

NOTE: Final = """
import os
seen = []
def note(number):
    seen.append(number)
    with open({marks!r}, "a") as marks:
        marks.write(f"{{number}}\\n")
    if number == {held}:
        os.read(os.open({gate!r}, 0), 1)
    return number
"""

When = Callable[[e.Event], bool]

KILLS: Final[tuple[When, ...]] = (
    lambda event: isinstance(event, t.TurnStarted),
    lambda event: isinstance(event, t.ModelAsked) and event.step == 1,
    lambda event: isinstance(event, t.ToolStarted) and event.step == 3,
    lambda event: isinstance(event, e.CellFinished) and event.value == "7",
    lambda event: isinstance(event, t.MessageQueued),
    lambda event: isinstance(event, e.CellStarted) and "note(12)" in str(event.code),
    lambda event: isinstance(event, t.ModelAsked) and event.step == 15,
    lambda event: isinstance(event, t.TurnFinished),
)
"""What a daemon is killed at, one after the other: in every phase of a turn."""


class Killing:
    """A daemon that is killed whenever the next of these things is seen, and started again."""

    def __init__(self, home: Home) -> None:
        self.kills = 0
        self._home = home
        self._process = home.spawn()
        home.found(self._process)

    async def watch(self, hearth: RemoteHearth) -> None:
        """Until there is nothing left to be killed at."""
        following = hearth.follow(S, after=0)
        last = 0
        while self.kills < len(KILLS):
            for item in await following.batch():
                if not isinstance(item, Stored):
                    continue
                assert item.version == last + 1, "a follower never has a gap"
                last = item.version
                if self.kills < len(KILLS) and KILLS[self.kills](envelope(item).event):
                    self.kills += 1
                    await asyncio.to_thread(self._again)
        following.close()

    def close(self) -> None:
        """End it as people do, with its interpreters."""
        self._home.hearth("stop")
        self._process.wait(PATIENCE)

    def _again(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        self._process = self._home.spawn()
        self._home.found(self._process)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with a_home(tmp_path) as made:
        yield made


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.promise("DP-LOG-06", "DP-TURN-10", "DP-WIRE-02", "DP-WIRE-12", "DP-BG-05")
async def test_a_turn_outlives_eight_daemons_that_are_killed(home: Home, tmp_path: Path) -> None:
    clean, _ = await undisturbed(tmp_path / "undisturbed", weighs=False)
    marks = tmp_path / "marks"
    with (
        provider_process("anthropic", long_turn(weighs=False), tmp_path, "--delay", "0.1") as url,
        Gate(tmp_path / "gate") as gate,
    ):
        _configure(home, url)
        with closing(Killing(home)) as killing:
            async with asyncio.timeout(8 * PATIENCE):
                envelopes, seen = await _killed_often(home, killing, gate, marks)
        _assert_accepted(tmp_path)
    assert killing.kills == len(KILLS)
    assert_whole(envelopes)
    cut_off = assert_same_but_interrupted(clean, transcript(envelopes))
    assert len(cut_off) <= 4
    ran = [int(line) for line in marks.read_text().splitlines()]
    # The interpreter is the same one all along.
    assert seen == ran
    assert max(Counter(ran).values()) == 1
    assert STEPS + 1 - len(ran) <= len(cut_off)


def _configure(home: Home, url: str) -> None:
    own = home.path / "config" / "hearth" / "hearth.jsonc"
    own.parent.mkdir(parents=True)
    provider = {"anthropic": {"baseUrl": url, "apiKey": "sk-ant-pretended"}}
    own.write_text(json.dumps({"model": MODEL, "provider": provider}))


async def _killed_often(
    home: Home, killing: Killing, gate: Gate, marks: Path
) -> tuple[list[Envelope], list[int]]:
    """The turn, by clients that stay connected as well as they can; what was seen."""
    found = find(str(home.path))
    assert found is not None
    config = SessionConfig(directory=str(home.project), mode=SessionMode.BARE)
    code = NOTE.format(marks=str(marks), gate=str(marks.with_name("gate")), held=HELD)
    async with RemoteHearth.at(
        found, door=Door.CLI, locate=lambda: find(str(home.path)), patience=PATIENCE
    ) as hearth:
        assert isinstance(await settle(hearth, S, CreateSession(config), ANN), Settled)
        assert isinstance(await settle(hearth, S, RunCell(code), ANN), Settled)
        async with asyncio.TaskGroup() as both:
            both.create_task(killing.watch(hearth))
            both.create_task(ask_and_add(hearth, gate.open))
        settled = await settle(hearth, S, RunCell("seen", if_busy="queue"), ANN)
        assert isinstance(settled, Settled)
        assert isinstance(settled.outcome.event, e.CellFinished)
        seen = json.loads(str(settled.outcome.event.value))
        following = hearth.follow(S, after=0)
        envelopes: list[Envelope] = []
        while not envelopes or envelopes[-1].seq < settled.outcome.seq:
            items = await following.batch()
            envelopes += [envelope(one) for one in items if isinstance(one, Stored)]
        following.close()
    return envelopes, seen


def _assert_accepted(folder: Path) -> None:
    """The provider refused nothing, and could read from its cache whatever it had read before."""
    lines = recorded(folder)
    assert not [one for one in lines if one["outcome"] == "refused"]
    shares = [Shares(**one["shares"]) for one in lines if one["shares"]]
    assert len(shares) >= STEPS
    assert {one.stability for one in shares} == {1.0}
