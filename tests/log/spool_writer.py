"""A process that spools events until it is killed: run with a directory and a first number.

After each batch it says which one is now on the disk.
"""

import asyncio
import sys
from itertools import count
from pathlib import Path

from hearth.core.vocabulary.envelope import Draft
from hearth.core.vocabulary.ids import EventId, SessionId
from hearth.log.spool import Spool


async def main(directory: Path, first: int) -> None:
    spool = Spool(directory, segment_bytes=2_000)
    for number in count(first):
        drafts = [Draft(EventId(f"{number}.{n}"), "session_ready", b"x" * 50) for n in range(3)]
        batch = await spool.append(SessionId(f"session-{number % 3}"), number, drafts)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        if number % 4 == 0:
            await spool.drop(batch)
            sys.stdout.write(f"-{number}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
