"""A daemon with real interpreters in a process of its own, until it is killed.

It runs each piece of code to its end and begins the last one. It says on stdout `ready`, `ran` for
each that came to its end, `begun`, and from then on `shown <text>` for what is printed and
`event <type> <cell>` for what is recorded, with `printed <text>` for what came after a cell's end.

Usage: python -m tests.journeys.live_daemon HOME SESSION CODE…
"""

import os
import sys
from pathlib import Path

from tests.contracts.scenes import ANN
from tests.journeys.live import PLAIN, Live, daemon

from hearth.app import run
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.progress import OutputChunk


async def main(home: Path, session: SessionId, codes: list[str]) -> None:
    """Run until killed."""
    async with daemon(home, PLAIN) as live:
        say("ready")
        await live.catch_up()
        if not live.of(e.SessionStarted, session):
            await live.create(session)
        for code in codes[:-1]:
            await live.run(code, session)
            say("ran")
        await live.engine.submit(session, c.RunCell(codes[-1]), ANN)
        say("begun")
        await _tell(live, session)


async def _tell(live: Live, session: SessionId) -> None:
    shown = told = 0
    while True:
        for item in live.shown[shown:]:
            shown += 1
            if isinstance(item.progress, OutputChunk):
                for line in item.progress.text.splitlines():
                    say(f"shown {line}")
        for event in live.events(session)[told:]:
            told += 1
            say(f"event {type(event).__name__} {getattr(event, 'cell', '')}")
            if isinstance(event, e.CellOutputAdded):
                for line in (await live.printed(event.outputs)).splitlines():
                    say(f"printed {line}")
        await live.news()


def say(line: str) -> None:
    """Whole, and at once."""
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    home, session, *codes = sys.argv[1:]
    run(main(Path(home), SessionId(session), codes))
