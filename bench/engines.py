"""Engines to measure: the real one on a real file, with an interpreter that answers at once."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.histories import ANNA

from hearth.api import Accepted, settle
from hearth.core.vocabulary.commands import Command, CreateSession, RunCell
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.performing import Performer
from hearth.core.vocabulary.refusals import Refused
from hearth.engine.engine import Engine
from hearth.log.sqlite import SqliteLog
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter

CODE: Final = "1 + 1"
SCENES: Final = {CODE: Scene(prints=("working\n",), value="2", value_type="int")}
CELL: Final = RunCell(CODE, if_busy="queue")


@asynccontextmanager
async def engine_on(path: Path, *performers: Performer) -> AsyncIterator[Engine]:
    """An open engine on the file; closed with its log at the end."""
    log = SqliteLog(path)
    await log.open()
    try:
        engine = Engine(log, performers or [ScriptedInterpreter(SCENES)], most_sessions=10_000)
        try:
            await engine.open()
            yield engine
        finally:
            await engine.close()
    finally:
        await log.close()


async def ready_sessions(engine: Engine, number: int, word: str = "session") -> Sequence[SessionId]:
    """So many new sessions whose interpreters wait for code."""
    sessions = [SessionId(f"{word}-{place:04d}") for place in range(number)]
    for session in sessions:
        await settled(engine, session, CreateSession())
    return sessions


async def settled(engine: Engine, session: SessionId, command: Command) -> None:
    """Have a command carried out to its end; a refusal is a mistake of the bench."""
    outcome = await settle(engine, session, command, ANNA)
    if isinstance(outcome, Refused):
        raise TypeError(f"{session} refused {command}: {outcome.why}")


async def accepted(engine: Engine, session: SessionId, command: Command) -> Accepted:
    """Have a command accepted; a refusal is a mistake of the bench."""
    answer = await engine.submit(session, command, ANNA)
    if isinstance(answer, Refused):
        raise TypeError(f"{session} refused {command}: {answer.why}")
    return answer
