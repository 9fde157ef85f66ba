"""Changed settings are taken up while the daemon runs, and recorded."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.contracts.manual_clock import ManualClock

from hearth.api import Following, each
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import SettingsReloaded
from hearth.core.vocabulary.ids import DAEMON_STREAM
from hearth.engine.engine import Engine
from hearth.log.memory import MemoryLog
from hearth.serving.reloading import PAUSE, Reloading
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.schema import Settings


class Scene:
    """A daemon's settings, and what is recorded of them."""

    def __init__(self, file: Path, following: Following) -> None:
        self.file = file
        self.keeper = SettingsKeeper(file, {})
        self.following = following
        self.clock = ManualClock()
        self.applied: list[Settings] = []

    async def later(self) -> None:
        """Let the time pass after which files are looked at again."""
        async with asyncio.timeout(30):
            await self.clock.someone_waits()
        self.clock.pass_time(PAUSE)

    async def recorded(self) -> SettingsReloaded:
        async with asyncio.timeout(30):
            async for item in each(self.following):
                if isinstance(item, Stored):
                    event = envelope(item).event
                    assert isinstance(event, SettingsReloaded)
                    return event
        raise AssertionError("the stream ended")


def save(file: Path, text: str) -> None:
    """At once: nobody reads half of it."""
    aside = file.with_suffix(".new")
    aside.write_text(text)
    aside.replace(file)


@asynccontextmanager
async def scene(file: Path) -> AsyncIterator[tuple[Scene, Reloading]]:
    log = MemoryLog()
    await log.open()
    engine = Engine(log)
    await engine.open()
    one = Scene(file, engine.follow(DAEMON_STREAM))
    reloading = Reloading(one.keeper, engine, one.clock, one.applied.append)
    reloading.open()
    try:
        yield one, reloading
    finally:
        await reloading.close()
        one.following.close()
        await engine.close()
        await log.close()


async def test_a_saved_file_is_taken_up_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    save(file, "{}")
    async with scene(file) as (one, _):
        await one.later()
        save(file, '{"model": "m"}')
        await one.later()
        await one.later()
        event = await one.recorded()
        assert event.changed == ("model",)
        assert [now.model for now in one.applied] == ["m"]
        assert event.sources == (str(file),)
        assert event.problems == ()


async def test_a_file_in_a_folder_that_is_not_there_yet_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "config" / "hearth" / "hearth.jsonc"
    async with scene(file) as (one, _):
        await one.later()
        file.parent.mkdir(parents=True)
        save(file, '{"model": "m"}')
        await one.later()
        await one.later()
        assert (await one.recorded()).changed == ("model",)
        save(file, '{"model": "nn"}')
        await one.later()
        await one.later()
        assert (await one.recorded()).changed == ("model",)


async def test_a_broken_file_keeps_what_held_and_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    save(file, '{"model": "m"}')
    async with scene(file) as (one, reloading):
        save(file, "{ broken")
        reloading.reload()
        event = await one.recorded()
        assert event.changed == ()
        assert str(file) in event.problems[0]
        assert one.keeper.current().settings.model == "m"


async def test_what_was_saved_while_the_daemon_started_is_not_missed(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    save(file, "{}")
    async with scene(file) as (one, _):
        save(file, '{"model": "m"}')
        assert (await one.recorded()).changed == ("model",)


async def test_nothing_is_recorded_when_nothing_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "hearth.jsonc"
    save(file, '{"model": "m"}')
    async with scene(file) as (one, reloading):
        save(file, '{"model":   "m"}')
        reloading.reload()
        save(file, '{"model": "n"}')
        reloading.reload()
        assert (await one.recorded()).changed == ("model",)
