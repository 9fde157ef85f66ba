"""A home in whose log people and agents have talked, as offline tests need one."""

import asyncio
from pathlib import Path

from msgspec.structs import replace
from tests.contracts.playing_talks import Talk

from hearth.core.vocabulary import codec
from hearth.core.vocabulary.ids import EventId
from hearth.log.sqlite import SqliteLog


def keep(home: Path, *talks: Talk) -> None:
    """Put these conversations into the log of a home."""
    asyncio.run(_kept(home, talks))


async def _kept(home: Path, talks: tuple[Talk, ...]) -> None:
    log = SqliteLog(home / "data" / "hearth.db")
    await log.open()
    for talk in talks:
        session = talk.state.session
        facts = [replace(fact, id=EventId(f"{session}:{fact.id}")) for fact in talk.facts]
        await log.append(session, 0, [codec.draft(fact) for fact in facts])
    await log.close()
