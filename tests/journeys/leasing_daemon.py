"""A daemon on PostgreSQL whose leases are short, in a process of its own, until it is killed.

It says on stdout: `ready`, then `usable <session>`.

Usage: python -m tests.journeys.leasing_daemon HOME URL SESSION
"""

import asyncio
import os
import sys
from pathlib import Path

from tests.contracts.scenes import ANN, SCENES
from tests.journeys.busy_daemon import MARKS, usable
from tests.journeys.witness import Witness

from hearth.app import run
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import SessionId
from hearth.engine.engine import Engine
from hearth.log.postgres import PostgresLog
from hearth.log.postgres_connection import Times

SHORT = Times(ttl=1.5, renew_every=0.4)


async def opened(url: str, owner: str, witness: Witness) -> Engine:
    """An engine whose sessions are free soon after it was killed."""
    log = PostgresLog(url, owner=owner, times=SHORT)
    await log.open()
    engine = Engine(log, [witness])
    await engine.open()
    return engine


async def main(home: Path, url: str, session: SessionId) -> None:
    """Run a cell that does not end, until killed."""
    engine = await opened(url, home.name, Witness(SCENES, home / MARKS))
    os.write(1, b"ready\n")
    await engine.submit(session, c.CreateSession(), ANN)
    await usable(engine, session)
    await engine.submit(session, c.RunCell("hang"), ANN)
    os.write(1, f"usable {session}\n".encode())
    await asyncio.Event().wait()


if __name__ == "__main__":
    run(main(Path(sys.argv[1]), sys.argv[2], SessionId(sys.argv[3])))
