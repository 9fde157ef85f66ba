"""Interpreters are ready before anyone asks; those that died while they waited are not given."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.performers.interpreter.pretended_python import PATIENCE, line_from, program

from hearth.performers.interpreter import pool as pools
from hearth.performers.interpreter import signalling
from hearth.performers.interpreter.launching import Launching
from hearth.performers.interpreter.pool import Pool
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.runtime import Runtime
from hearth.performers.interpreter.starting import CannotStart
from hearth.performers.interpreter.template import Template
from hearth.performers.interpreter.worker import Worker

PYTHON = sys.executable


@pytest.fixture
async def launching(runtime: Runtime) -> AsyncIterator[Launching]:
    made = Launching(runtime, Preferences(spares=1))
    yield made
    await made.close()
    assert list(runtime.workers()) == [], "what nobody uses goes with the daemon"


async def test_a_spare_is_given_and_another_made_in_its_place(launching: Launching) -> None:
    pool = launching.pool
    pool.warm(PYTHON)
    await pool.warmed(PYTHON)
    (spare,) = pool._environments[PYTHON].spares
    taken = await pool.take(PYTHON)
    assert taken is spare
    assert taken.record.session is None
    await pool.warmed(PYTHON)
    (following,) = pool._environments[PYTHON].spares
    assert following is not taken
    assert not following.process.is_over
    await taken.end(politely=False)


async def test_two_that_are_taken_at_once_are_two(launching: Launching) -> None:
    pool = launching.pool
    pool.warm(PYTHON)
    await pool.warmed(PYTHON)
    one, other = await asyncio.gather(pool.take(PYTHON), pool.take(PYTHON))
    assert one.folder.name != other.folder.name
    await asyncio.gather(one.end(politely=False), other.end(politely=False))


async def test_a_spare_that_died_while_it_waited_is_not_given(
    launching: Launching, runtime: Runtime
) -> None:
    pool = launching.pool
    pool.warm(PYTHON)
    await pool.warmed(PYTHON)
    (spare,) = pool._environments[PYTHON].spares
    told = spare.folder.guardian()
    assert told is not None
    signalling.send(told.kernel, signal.SIGKILL)
    async with asyncio.timeout(20):
        await spare.process.over()
    taken = await pool.take(PYTHON)
    assert taken is not spare
    assert await taken.asking.ask("ping", {}, where="control", patience=PATIENCE)
    assert spare.folder.name not in {one.name for one in runtime.workers()}, "nothing is left of it"
    await taken.end(politely=False)


async def test_a_template_that_died_is_replaced(launching: Launching) -> None:
    pool = launching.pool
    pool.warm(PYTHON)
    await pool.warmed(PYTHON)
    environment = pool._environments[PYTHON]
    assert environment.template is not None
    template = await environment.template
    assert template is not None
    os.kill(template._process.pid, signal.SIGKILL)
    await template._process.wait()
    workers = [await pool.take(PYTHON), await pool.take(PYTHON)]
    await pool.warmed(PYTHON)
    following = await environment.template
    assert following is not None
    assert following is not template
    assert following.is_alive
    for worker in workers:
        await worker.end(politely=False)


# -- without processes ----------------------------------------------------------------------------


class Maker:
    """Starts nothing; remembers how often it was asked, and fails if it is told to."""

    def __init__(self, trouble: Exception | None = None) -> None:
        self.trouble = trouble
        self.templates: list[Template | None] = []

    async def __call__(self, _: str, template: Template | None) -> Worker:
        self.templates.append(template)
        raise self.trouble or CannotStart("no")


@pytest.mark.parametrize("trouble", [CannotStart("no"), OSError(28, "No space left on device")])
async def test_a_spare_that_cannot_be_made_troubles_nobody_until_one_is_needed(
    tmp_path: Path, trouble: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def template(_: str) -> object:
        return SimpleNamespace(is_alive=True)

    monkeypatch.setattr(pools, "start_template", template)
    make = Maker(trouble)
    pool = Pool(make, Preferences(spares=1))
    python = program(tmp_path, "")
    pool.warm(python)
    await pool.warmed(python)
    with pytest.raises(type(trouble)):
        await pool.take(python)
    assert len(make.templates) == 2
    await pool.close()


async def test_without_a_template_interpreters_are_started_from_nothing_and_none_ahead(
    tmp_path: Path,
) -> None:
    make = Maker()
    pool = Pool(make, Preferences(spares=3))
    python = program(tmp_path, "exit 1")
    pool.warm(python)
    await pool.warmed(python)
    assert make.templates == [], "starting from nothing ahead of time is not worth it"
    with pytest.raises(CannotStart):
        await pool.take(python)
    assert make.templates == [None]
    await pool.close()


async def test_a_template_that_no_descriptor_is_left_for_is_done_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def template(_: str) -> Template:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(pools, "start_template", template)
    pool = Pool(Maker(), Preferences())
    with pytest.raises(CannotStart, match="no"):
        await pool.take("python")
    await pool.close()


async def test_closing_while_a_template_starts_leaves_no_process(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "begun")
    python = program(tmp_path, f"echo $$ > {tmp_path}/begun; exec tail -f {tmp_path}/python")
    pool = Pool(Maker(), Preferences())
    pool.warm(python)
    pid = int(await line_from(tmp_path / "begun"))
    await pool.close()
    assert not (Path("/proc") / str(pid)).exists()
    pool.warm(python)
    assert pool._environments[python].filling is None, "nothing is made after the end"
    await pool.close()


async def test_what_is_not_used_goes_away(launching: Launching, runtime: Runtime) -> None:
    made: list[Worker] = []

    async def make(python: str, template: Template | None) -> Worker:
        made.append(await launching._python(python, template))
        return made[-1]

    pool = Pool(make, Preferences(spares=1, idle_template=0.01))
    try:
        pool.warm(PYTHON)
        await pool.warmed(PYTHON)
        # It may be on its way out already: the pool itself is not asked for it.
        (spare,) = made
        async with asyncio.timeout(30):
            await spare.process.over()
    finally:
        await pool.close()
    assert list(runtime.workers()) == []
