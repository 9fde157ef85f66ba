"""A daemon in a process of its own that keeps itself busy until it is killed.

It says on stdout what it has been promised: `ready`, `usable <session>`, and for each command that
was accepted `ack <id> <session> <seq>`.

Usage: python -m tests.journeys.busy_daemon HOME URL NAME SESSION…
"""

import asyncio
import os
import random
import sys
from itertools import count
from pathlib import Path

from tests.contracts.scenes import ANN, SCENES
from tests.journeys.witness import MUTE, Witness

from hearth.api import Accepted, Hearth, Settled, settle
from hearth.app import run, running
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.events import CellFinished
from hearth.core.vocabulary.ids import InputId, SessionId

LOAD: tuple[c.Command, ...] = (
    *[c.RunCell("1+1", if_busy="queue")] * 6,
    *[c.RunCell("hang", if_busy="queue")] * 2,
    c.RunCell("1/0", if_busy="queue"),
    *[c.CancelCell()] * 3,
    c.CheckCode(MUTE),
    c.CheckCode("undefined"),
    c.RenameSession("another name"),
    c.HardResetSession(),
)
"""Cells that end, cells that do not, those that wait for them, questions that stay open."""

MARKS = "executed"


async def main(home: Path, url: str, name: str, sessions: list[SessionId]) -> None:
    """Run until killed."""
    witness = Witness(SCENES, home / MARKS)
    async with running(home, url or None, [witness]) as engine:
        _say("ready")
        async with asyncio.TaskGroup() as tasks:
            for session in sessions:
                tasks.create_task(_keep_busy(engine, session, name))


async def usable(hearth: Hearth, session: SessionId) -> None:
    """Return when a cell has run to its end, whatever was left of an earlier daemon."""
    following = hearth.follow(session)
    try:
        while True:
            done = await settle(hearth, session, c.RunCell("1+1", if_busy="queue"), ANN)
            if not isinstance(done, Settled):
                await following.batch()  # it becomes ready by itself: wait for anything to happen
            elif isinstance(done.outcome.event, CellFinished):
                return
    finally:
        following.close()


async def _keep_busy(hearth: Hearth, session: SessionId, name: str) -> None:
    chance = random.Random(f"{name} {session}")  # noqa: S311 - a load, not a secret
    await _submit(hearth, session, c.CreateSession(), InputId(f"{name}-{session}-create"))
    await usable(hearth, session)
    _say(f"usable {session}")
    for number in count():
        command = chance.choice(LOAD)
        await _submit(hearth, session, command, InputId(f"{name}-{session}-{number}"))


async def _submit(
    hearth: Hearth, session: SessionId, command: c.Command, input_id: InputId
) -> None:
    answer = await hearth.submit(session, command, ANN, input_id=input_id)
    if isinstance(answer, Accepted):
        _say(f"ack {answer.id} {session} {answer.seq}")
    else:
        # Refused at once, without waiting for anything: let the others have their turn.
        await asyncio.sleep(0)


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], [*map(SessionId, sys.argv[4:])]))
