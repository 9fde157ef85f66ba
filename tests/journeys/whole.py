"""A whole hearth in this process, with real interpreters, for journeys that copy and go back."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.journeys.live import PLAIN, Live, S, assert_nothing_left, end_all, marked

from hearth import app
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.undoing import UndoFor
from hearth.engine.clock import Clock
from hearth.settings.agents import AgentSettings, usual_agents

EVERYONE = c.SessionConfig(undo=UndoFor.EVERYONE)


@asynccontextmanager
async def whole(
    home: Path,
    clock: Clock | None = None,
    agents: Callable[[str], AgentSettings] = usual_agents,
    **said: Any,
) -> AsyncIterator[Live]:
    """All that a daemon does, apart from its doors; nothing of it is left in the end."""
    with marked(home):
        try:
            async with app.living(
                home, preferences=PLAIN, clock=clock, watch=False, agents=agents, **said
            ) as made:
                live = Live(made.engine, home)
                try:
                    yield live
                finally:
                    await live.close()
        finally:
            await end_all(home)
        assert_nothing_left(home)


def of_session(live: Live, session: SessionId = S) -> int:
    """How many interpreters there are of a session, whatever they are for."""
    records = [folder.record() for folder in live.folders()]
    return sum(record is not None and record.session == session for record in records)
