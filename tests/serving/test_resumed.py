"""How many sessions of an earlier daemon are up again."""

from pathlib import Path

from tests.contracts.scenes import ANN, SCENES
from tests.journeys.live import comes_true

from hearth.api import settle
from hearth.core.vocabulary.commands import CreateSession, SessionConfig, StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.engine import Engine
from hearth.log.sqlite import SqliteLog
from hearth.performers.interpreter.scripted import ScriptedInterpreter
from hearth.serving.resumed import Resumed


async def test_those_that_are_up_again_are_counted_once_and_new_ones_are_not(
    tmp_path: Path,
) -> None:
    log = SqliteLog(tmp_path / "hearth.db")
    await log.open()
    first = Engine(log, [ScriptedInterpreter(SCENES)])
    await first.open()
    for name in ("a", "b", "c"):
        config = SessionConfig(directory=f"/{name}")
        await settle(first, SessionId(name), CreateSession(config), ANN)
    await settle(first, SessionId("c"), StopSession(), ANN)
    await first.close()
    second = Engine(log, [ScriptedInterpreter(SCENES)])
    await second.open()
    resumed = Resumed(second)
    try:
        await resumed.open()
        await comes_true(lambda: resumed.count == 2)
        await settle(second, SessionId("d"), CreateSession(SessionConfig(directory="/d")), ANN)
        assert resumed.count == 2
    finally:
        await resumed.close()
        await second.close()
        await log.close()


async def test_a_fresh_home_has_none(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "hearth.db")
    await log.open()
    engine = Engine(log, [ScriptedInterpreter(SCENES)])
    await engine.open()
    resumed = Resumed(engine)
    await resumed.open()
    assert resumed.count == 0
    await resumed.close()
    await engine.close()
    await log.close()
