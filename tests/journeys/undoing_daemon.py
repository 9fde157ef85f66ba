"""A daemon with real interpreters in a process of its own, which kills itself in the middle.

It settles each command but the last, which it only has accepted. It says on stdout `ready`, `done`
for each that was settled, and `begun`.

Usage: python -m tests.journeys.undoing_daemon HOME SESSION POINT COMMAND…

A point is where in taking cells back it dies, as `POINTS` names them; `-`: when it is killed.
"""

import inspect
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.journeys.live import PLAIN, daemon
from tests.journeys.live_daemon import say
from tests.journeys.whole import EVERYONE

from hearth.app import run
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.performers.interpreter import live as interpreters
from hearth.performers.interpreter import reverting
from hearth.performers.interpreter.copies import KeptCopies


class Point(NamedTuple):
    """What is called there, and whether it dies behind that instead of before."""

    owner: Any
    name: str
    behind: bool = False


POINTS: Final = {
    "before anything": Point(interpreters, "revert"),
    "a copy of now is made": Point(reverting, "wake"),
    "the guardian is about to be told": Point(KeptCopies, "ask_for", behind=True),
    "the copy is awake": Point(reverting, "_woken", behind=True),
    "copies are about to be laid aside": Point(reverting, "_arrange"),
    "copies are laid aside": Point(reverting, "_arrange", behind=True),
}
NOWHERE: Final = "-"


async def main(home: Path, session: SessionId, commands: list[Command]) -> None:
    """Run until killed."""
    async with daemon(home, PLAIN) as live:
        say("ready")
        await live.catch_up()
        if not live.of(e.SessionStarted, session):
            await live.create(session, EVERYONE)
        for command in commands[:-1]:
            await live.settle(command, session)
            say("done")
        await live.submit(commands[-1], session)
        say("begun")
        while True:
            await live.news()


def die_at(point: Point) -> None:
    """Have this process killed when it comes there."""
    real: Callable[..., Any] = getattr(point.owner, point.name)

    def dying(*said: Any, **more: Any) -> Any:
        done = real(*said, **more) if point.behind else None
        return dying_behind(done) if inspect.isawaitable(done) else die()

    async def dying_behind(done: Awaitable[Any]) -> None:
        await done
        die()

    setattr(point.owner, point.name, dying)


def die() -> None:
    """As if somebody else had sent the signal."""
    os.kill(os.getpid(), signal.SIGKILL)


def _command(said: str) -> Command:
    command = codec.decode_command(said.encode())
    assert not isinstance(command, Refused), command
    return command


if __name__ == "__main__":
    home, session, point, *said = sys.argv[1:]
    if point != NOWHERE:
        die_at(POINTS[point])
    run(main(Path(home), SessionId(session), [_command(one) for one in said]))
