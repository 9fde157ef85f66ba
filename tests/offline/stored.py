"""A home with a log in it, as offline tests need one."""

from collections.abc import Sequence
from pathlib import Path

from tests.contracts.scenes import ANN, SCENES

from hearth.api import settle
from hearth.app import run, running
from hearth.core.vocabulary.commands import CreateSession, RunCell, SessionConfig, StopSession
from hearth.core.vocabulary.ids import SessionId
from hearth.performers.interpreter.scripted import ScriptedInterpreter


def fill(home: Path, sessions: Sequence[str] = ("session-aa11", "session-bb22")) -> None:
    """Play a session of each id, in folders called after the last letter, and stop the last."""
    run(_filled(home, sessions))


async def _filled(home: Path, sessions: Sequence[str]) -> None:
    async with running(home, None, [ScriptedInterpreter(SCENES)]) as engine:
        for name in sessions:
            session = SessionId(name)
            config = SessionConfig(directory=f"/home/ann/{name[-1]}")
            await settle(engine, session, CreateSession(config), ANN)
            await settle(engine, session, RunCell("1+1"), ANN)
        await settle(engine, SessionId(sessions[-1]), StopSession(), ANN)
