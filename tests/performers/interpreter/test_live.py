"""Real interpreters, real processes: what every performer of interpreters must do, and more."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.contracts import performer as contract
from tests.contracts.performer import Troupe

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
