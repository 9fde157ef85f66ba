"""Real interpreters, real processes: what every performer of interpreters must do, and more."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts import performer as contract
from tests.contracts.performer import Troupe

from hearth.core.vocabulary import effects as fx
from hearth.core.vocabulary.commands import SessionConfig
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.performing import Stage
from hearth.engine.performing import SessionStage
from hearth.performers.interpreter.live import LiveInterpreter
from hearth.performers.interpreter.preferences import Preferences


class LiveTroupe:
    """Performers that follow each other in one home, as daemons do."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._script = home / "script.py"
        self._script.write_text(contract.SCRIPT)
        self.last: LiveInterpreter | None = None

    def performer(self) -> LiveInterpreter:
        """Another performer, which begins when it is first needed."""
        self.last = LiveInterpreter(self.home, Preferences(orphan_after=60.0, spares=0))
        return self.last

    def script(self) -> Path:
        """A file with two statements."""
        return self._script


@pytest.fixture
async def troupe(tmp_path: Path) -> AsyncIterator[Troupe]:
    made = LiveTroupe(tmp_path)
    yield made
    last = LiveInterpreter(tmp_path)
    await last.end_all()
    await last.close()


class TestItIsAnInterpreter(contract.InterpreterContract):
    """It passes what every interpreter must."""


class TestItOutlivesItsDaemon(contract.OutlivingContract):
    """Its processes live on."""


async def test_nothing_passes_what_waits_until_the_home_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that came before its interpreter was taken up would be lost."""
    begun: list[fx.Effect] = []

    async def note(_: LiveInterpreter, __: SessionId, effect: fx.Effect, ___: Stage) -> None:
        begun.append(effect)

    monkeypatch.setattr(LiveInterpreter, "_carry_out", note)
    live = LiveInterpreter(tmp_path)
    session, stage = (
        SessionId("session-a"),
        SessionStage(SessionId(""), lambda _: None, lambda *_: None),
    )
    effects: list[fx.Effect] = [
        fx.AttachWorker(1, SessionConfig()),
        fx.AnswerInWorker(1, CellId("c1"), "ann"),
    ]
    await asyncio.gather(*(live.perform(session, effect, stage) for effect in effects))
    assert begun == effects
    await live.close()
