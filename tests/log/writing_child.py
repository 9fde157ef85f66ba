"""A program that writes to an SQLite log and says what was acknowledged, until it is killed.

`python writing_child.py DATABASE ROUND LIMIT`: three sessions append at once; each line of the
output is one thing that happened, written before the next is begun:

    ack SESSION VERSION ID    an append returned
    fail TYPE MESSAGE         it raised; the same ids are tried again
    done                      every session appended LIMIT times and the log was closed
"""

import asyncio
import os
import sys
from pathlib import Path

from tests.contracts.facts import NOON

from hearth.app import run
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.envelope import Draft, Fact
from hearth.core.vocabulary.events import CellFinished, Event, SessionRenamed
from hearth.core.vocabulary.ids import CellId, InputId, SessionId, event_id
from hearth.core.vocabulary.origin import SYSTEM
from hearth.log.event_log import LogError
from hearth.log.sqlite import SqliteLog

ROOT = Path(__file__).parents[2]
TRIES = 20


def command(database: Path, turn: object, limit: int) -> list[str]:
    """How to run this program."""
    return [sys.executable, str(Path(__file__)), str(database), str(turn), str(limit)]


def environment() -> dict[str, str]:
    """Where it finds what it imports: beside itself, whatever is installed."""
    places = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    return {**os.environ, "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"}


def say(*words: object) -> None:
    """One line, whole, and out of this process before anything else happens."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def drafts(cause: InputId, number: int, value: str) -> list[Draft]:
    """A few small events and one with a value."""
    events: list[Event] = [SessionRenamed(f"{cause} {place}") for place in range(number)]
    events.append(CellFinished(CellId("c1"), 0.1, value=value))
    facts = [
        Fact(id=event_id(cause, place), at=NOON, origin=SYSTEM, cause=cause, event=event)
        for place, event in enumerate(events)
    ]
    return [codec.draft(fact) for fact in facts]


async def write(log: SqliteLog, session: SessionId, turn: str, limit: int) -> None:
    """Append `limit` times to one session, each time again until it is acknowledged."""
    lease = await log.claim(session)
    known = {head.session: head.version for head in await log.heads()}
    version = known.get(session, 0)
    for number in range(limit):
        given = drafts(InputId(f"{session}-{turn}-{number}"), number % 3, "x" * (number % 7 * 500))
        for _ in range(TRIES):
            try:
                rows = await log.append(session, version, given, lease)
            except LogError as error:
                say("fail", type(error).__name__, error)
                continue
            version = rows[-1].version
            for row, draft in zip(rows, given, strict=True):
                say("ack", session, row.version, draft.id)
            break


async def main(path: Path, turn: str, limit: int) -> None:
    """Open, write, close."""
    log = SqliteLog(path)
    await log.open()
    sessions = [SessionId(f"session-{name}") for name in "abc"]
    await asyncio.gather(*(write(log, session, turn, limit) for session in sessions))
    await log.close()
    say("done")


if __name__ == "__main__":
    run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
