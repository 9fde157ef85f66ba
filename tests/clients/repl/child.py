"""The REPL at a terminal of its own, with an engine in the same process.

What others do there is said to it line by line on a descriptor: `bot CODE`, `bob MESSAGE`, `play
NAME` (what the agent does next), `goon`, `gone`, `back`, `crash`. It answers each with `done` on
the same descriptor.

Usage: python -m tests.clients.repl.child HOME WHAT    (WHAT: scripted or live)
"""

import asyncio
import fcntl
import json
import os
import socket
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.clients.repl.agenting import PLAYS, PlayedAgent
from tests.clients.repl.hosting import EngineHost
from tests.clients.repl.judged import Judge
from tests.clients.repl.screens import OTHERS
from tests.contracts.scenes import BOT, SCENES

from hearth.app import living, running
from hearth.clients.repl import consenting, program
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.host import Present
from hearth.clients.repl.program import Setting, Wanted, at_a_terminal, without_a_terminal
from hearth.clients.repl.restoring import restored
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.commands import RunCell
from hearth.core.vocabulary.content import Completion, CompletionKind
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.prompting import SendMessage
from hearth.engine.engine import Engine
from hearth.performers.branches import Branches
from hearth.performers.interpreter.preferences import Preferences
from hearth.performers.interpreter.scene import Scene
from hearth.performers.interpreter.scripted import ScriptedInterpreter

ME: Final = Origin(Actor.PERSON, "ann", Door.REPL)
BOB: Final = Origin(Actor.PERSON, "bob", Door.CLI)
LOOP: Final = "for i in range(3):\n    if i:\n        print(i)"
MORE: Final = {
    LOOP: Scene(prints=("1\n2\n",)),
    "name = input()": Scene(asks="who are you? "),
    "6 * 7": Scene(value="42", value_type="int"),
    "many": Scene(prints=tuple(f"line {number}\n" for number in range(700))),
    "evil": Scene(prints=("\x1b]52;c;AAAA\x07\x1b[2J\x1b[31mred\x1b[0m\n",)),
    "bar": Scene(prints=("10 %\r", "90 %"), ends="when interrupted"),
    "pri": Scene(completions=(Completion("print", CompletionKind.FUNCTION, "function (*args)"),)),
    "f": Scene(inspection=Inspection(found=True, name="f", signature="f(a, b=2)", doc="Add.")),
}


@asynccontextmanager
async def engine(home: Path, what: str, agent: PlayedAgent) -> AsyncIterator[Engine]:
    """Scripted or real interpreters."""
    if what == "live":
        async with living(home, preferences=Preferences(spares=0), watch=False) as alive:
            try:
                yield alive.engine
            finally:
                await alive.end_all()
    else:

        async def read(session: SessionId, after: int, limit: int) -> Sequence[Stored]:
            return await found.rows(session, after, limit)

        scripted = ScriptedInterpreter({**SCENES, **MORE})
        async with running(home, None, (scripted, agent, Judge(), Branches(read))) as found:
            yield found


async def main(home: Path, what: str, wanted: Wanted) -> int:
    """Talk until the person leaves."""
    consenting.TOO_SOON = 0.0  # tests read faster than people
    agent = PlayedAgent()
    async with engine(home, what, agent) as found:
        host = EngineHost(found, [Present("mcp", "bot", "mcp")])
        others = os.environ.get(OTHERS)
        obeying = asyncio.create_task(_obey(host, agent, int(others))) if others else None
        if wanted.session == "several":
            for directory in ("/yarn", "/cloth"):
                await host.begin(directory, bare=False)
        setting = Setting(lambda: host, str(home), ME)
        going = without_a_terminal if wanted.plain else at_a_terminal
        try:
            return await going(setting, wanted._replace(session=None))
        finally:
            if obeying is not None:
                obeying.cancel()


async def _obey(host: EngineHost, agent: PlayedAgent, descriptor: int) -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    while line := await reader.readline():
        said, _, rest = line.decode().strip().partition(" ")
        match said:
            case "bot":
                session = (await host.engine.view("sessions")).value.rows[0].session  # type: ignore[union-attr] # there is one
                await host.engine.submit(session, RunCell(json.loads(rest)), BOT)
            case "bob":
                session = (await host.engine.view("sessions")).value.rows[0].session  # type: ignore[union-attr] # there is one
                await host.engine.submit(session, SendMessage(rest), BOB)
            case "play":
                agent.parts.extend(PLAYS[rest])
            case "goon":
                agent.go_on()
            case "gone":
                host.go()
            case "back":
                host.come_back()
            case "new":
                await host.begin(rest, bare=False)
            case "crash":
                setattr(Conversation, "say", _broken)  # noqa: B010 - a defect is put there
            case _:
                raise AssertionError(line)
        writer.write(b"done\n")
        await writer.drain()


async def _broken(*_: object) -> bool:
    raise ZeroDivisionError("a defect")


if __name__ == "__main__":
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    place, kind, *options = sys.argv[1:]
    asked = Wanted(
        session=options[0] if options else None,
        directory=str(Path.cwd()),
        plain="plain" in options,
        bare="bare" in options,
    )
    try:
        with restored():
            code = asyncio.run(main(Path(place), kind, asked))
    except Exception as defect:  # noqa: BLE001 - as the program itself does it
        code = program._failed(place, defect)
    sys.exit(code)
