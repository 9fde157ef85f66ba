"""The REPL as a program: connects while the prompt comes up, and leaves the terminal as it was."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime
from traceback import format_exception
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, Self

from hearth.clients.remote.troubles import Unreachable
from hearth.clients.repl.attached import Surroundings
from hearth.clients.repl.choosing import Beginning, Pick, Picked, Wanted, choose
from hearth.clients.repl.conversation import GREETING, Conversation
from hearth.clients.repl.failing import refused
from hearth.clients.repl.images import Drawing, Pictures, drawing_for
from hearth.clients.repl.listing import session_lines
from hearth.clients.repl.painting import Paint, paint_for
from hearth.clients.repl.plain import PlainScreen, Reading, converse
from hearth.clients.repl.restoring import restored, silenced
from hearth.clients.repl.sanitising import clean
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.refusals import Refused
from hearth.daemon.discovery import Found, find
from hearth.daemon.home import HISTORY, LOGS, hearth_home
from hearth.daemon.persons import author

if TYPE_CHECKING:  # what a terminal needs is imported where there is one
    from prompt_toolkit.lexers import Lexer

    from hearth.clients.repl.desk import Desk
    from hearth.clients.repl.terminal import Terminal

__all__ = ["Setting", "Wanted", "at_a_terminal", "run", "without_a_terminal"]

EDITING: Final = "HEARTH_EDITING_MODE"
SHOWN: Final = "shown"
"""The folder of the home for pictures that a terminal cannot show."""
CRASHES: Final = "repl.log"
REFUSED: Final = 4
UNREACHABLE: Final = 5
DEFECT: Final = 70
BY_SIGNAL: Final = 128


class Trusting(Beginning, Protocol):
    """A host that can be told to trust a project."""

    async def trust(self, directory: str) -> None:
        """Trust what the project of this directory has now."""


class Setting(NamedTuple):
    """Where a REPL takes place."""

    connect: Callable[[], AbstractAsyncContextManager[Trusting]]
    home: str
    origin: Origin


def run(found: Found, wanted: Wanted) -> int:
    """Talk to a session until the person leaves; the exit code."""
    home = hearth_home()
    origin = Origin(Actor.PERSON, author(), Door.REPL)

    def connect() -> AbstractAsyncContextManager[Trusting]:
        # After the prompt is there: a client for HTTP takes as long to import as a prompt does.
        from hearth.clients.repl.connecting import DaemonHost  # noqa: PLC0415 - as above

        return DaemonHost(found, origin.name, lambda: find(home))

    setting = Setting(connect, home, origin)
    is_plain = wanted.plain or not (sys.stdin.isatty() and sys.stdout.isatty())
    going = without_a_terminal(setting, wanted) if is_plain else at_a_terminal(setting, wanted)
    try:
        with restored():
            return asyncio.run(going)
    except Exception as defect:  # noqa: BLE001 - no traceback ever reaches a person
        return _failed(home, defect)


async def at_a_terminal(setting: Setting, wanted: Wanted) -> int:
    """Prompt, attach, and converse until the person leaves."""
    # Only here: whoever has no terminal does not pay for one.
    from hearth.clients.repl.above import Above  # noqa: PLC0415 - as the comment says
    from hearth.clients.repl.desk import Desk  # noqa: PLC0415 - as above
    from hearth.clients.repl.history import SharedHistory  # noqa: PLC0415 - as above
    from hearth.clients.repl.keyboard import Keyboard  # noqa: PLC0415 - as above
    from hearth.clients.repl.terminal import Terminal  # noqa: PLC0415 - as above

    paint = _paint(is_terminal=True)
    desk = Desk()
    history = SharedHistory(f"{setting.home}/{HISTORY}")
    vi = os.environ.get(EDITING, "").lower() == "vi"
    terminal = Terminal(desk, history, paint, vi=vi, source=Keyboard())

    async def pick(rows: Sequence[SessionRow]) -> Picked | None:
        lines = session_lines(rows, None, datetime.now(UTC), numbered=True)
        return await desk.pick(
            rows, terminal, f"no session is at {wanted.directory}; there are\n{lines}"
        )

    async def session() -> int:
        async with setting.connect() as host:
            pictures = _pictures(setting, host, paint, drawing_for(os.environ))
            around = Surroundings(host, setting.origin, Above(terminal, pictures), paint)
            talk = Conversation(around, may_ask=True, width=_columns)
            try:
                code = await _begin(talk, host, wanted, pick)
                if code is None:
                    await around.screen.note(paint.dim(GREETING))
                    await desk.send(talk, terminal)
            finally:
                await talk.close()
        return code or 0

    # What nobody waits for must not be printed into the prompt.
    asyncio.get_running_loop().set_exception_handler(lambda _, said: _kept(setting.home, said))
    with silenced(sys.stdin.fileno()), _Signals(terminal.end, desk.interrupt) as signals:
        going = asyncio.create_task(session())
        going.add_done_callback(lambda _: terminal.end())
        colouring = asyncio.create_task(_highlighted(terminal))
        try:
            await desk.converse(terminal)
            if not going.done() and not signals.number:
                await _leave(desk, terminal, paint)
        finally:
            colouring.cancel()
            going.cancel()
            await asyncio.gather(going, colouring, return_exceptions=True)
            terminal.close()
    if signals.number:
        return BY_SIGNAL + signals.number
    return 0 if going.cancelled() else going.result()


async def without_a_terminal(setting: Setting, wanted: Wanted) -> int:
    """Attach, and run what comes from stdin."""
    paint = _paint(is_terminal=False)
    async with setting.connect() as host:
        screen = PlainScreen(_pictures(setting, host, paint, Drawing.LINK))
        around = Surroundings(host, setting.origin, screen, paint, tells_others=False)
        talk = Conversation(around, may_ask=False)
        try:
            code = await _begin(talk, host, wanted, None)
            if code is not None:
                return code
            reading = Reading(sys.stdin, python=talk.is_python())

            def interrupt() -> bool:
                reading.end()
                return talk.interrupt()

            going = asyncio.create_task(converse(talk, screen, reading))

            def end() -> None:
                reading.end()
                going.cancel()  # what it waits for may take for ever, such as a person's answer

            with _Signals(end, interrupt) as signals:
                await asyncio.wait([going])
            return BY_SIGNAL + signals.number if signals.number else going.result()
        finally:
            await talk.close()


async def _begin(
    talk: Conversation, host: Trusting, wanted: Wanted, pick: Pick | None
) -> int | None:
    """Attach to the session that is meant; an exit code if that cannot be."""
    if wanted.trust:
        await host.trust(wanted.directory)
    chosen = await choose(host, wanted, pick)
    if chosen is None:
        return 0
    refusal = chosen if isinstance(chosen, Refused) else await talk.attach(chosen)
    if refusal is None:
        return None
    await talk.around.screen.note(refused(refusal, talk.around.paint))
    return REFUSED


async def _leave(desk: "Desk", terminal: "Terminal", paint: Paint) -> None:
    """What was typed is still sent; then the person is told that the session goes on."""
    unsent = await desk.unsent()
    if unsent:
        said = f"{unsent} of what you typed was not sent; it is in the history"
        await terminal.write(paint.warning(said))
    now = desk.standing().now
    if now is not None:
        await terminal.write(paint.dim(f"{now.name or now.session} goes on; `hearth` comes back"))


async def _highlighted(terminal: "Terminal") -> None:
    """Show code in colours as soon as what knows how is loaded: the prompt does not wait for it."""
    terminal.highlight(await asyncio.to_thread(_python_lexer))


def _python_lexer() -> "Lexer":
    from prompt_toolkit.lexers import PygmentsLexer  # noqa: PLC0415 - after the prompt is there
    from pygments.lexers.python import PythonLexer  # noqa: PLC0415 - as above

    return PygmentsLexer(PythonLexer)


class _Signals:
    """What asks the program to end, and Ctrl-C where no prompt takes it for a key."""

    def __init__(self, end: Callable[[], None], interrupt: Callable[[], bool]) -> None:
        self._end = end
        self._interrupt = interrupt
        self.number = 0
        """The signal that ended it."""

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._ended, number)
        loop.add_signal_handler(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.remove_signal_handler(number)

    def _ended(self, number: int) -> None:
        self.number = number
        self._end()

    def _interrupted(self) -> None:
        if not self._interrupt():
            self._ended(signal.SIGINT)


def _columns() -> int:
    return shutil.get_terminal_size().columns


def _pictures(setting: Setting, host: Trusting, paint: Paint, drawing: Drawing) -> Pictures:
    folder = f"{setting.home}/{SHOWN}"
    return Pictures(host.fetch, folder, drawing, paint, links=paint.colour)


def _paint(*, is_terminal: bool) -> Paint:
    encoding = sys.stdout.encoding or "ascii"
    paint = paint_for(is_terminal=is_terminal, encoding=encoding, environ=os.environ)
    return paint._replace(notes=is_terminal)


def _failed(home: str, defect: Exception) -> int:
    """Say what happened in a sentence; what it takes to mend a defect goes to a file."""
    if isinstance(defect, Unreachable):
        hint = f"\n  {defect.hint}" if defect.hint else ""
        _complain(f"hearth: {defect.sentence}{hint}")
        return UNREACHABLE
    if isinstance(defect, ConnectionError):
        _complain(f"hearth: {defect}\n  `hearth status` says whether the daemon lives")
        return UNREACHABLE
    where = _kept(home, {"exception": defect})
    kept = f"\n  please report it with what is in {where}" if where else ""
    _complain(
        f"hearth: the REPL failed ({type(defect).__name__}: {defect}); the session goes on{kept}"
    )
    return DEFECT


def _kept(home: str, said: Mapping[str, Any]) -> str:
    """Keep what it takes to mend a defect; where, or nothing if it cannot be kept."""
    where = f"{home}/{LOGS}/{CRASHES}"
    error = said.get("exception")
    trace = "".join(format_exception(error)) if isinstance(error, BaseException) else ""
    lines = f"{datetime.now(UTC).isoformat()} {said.get('message', '')}\n{trace}\n"
    try:
        descriptor = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(lines)
    except OSError:
        return ""  # the sentence is still told
    return where


def _complain(text: str) -> None:
    with suppress(OSError):  # nobody may be there to read it
        print(clean(text, colour=False), file=sys.stderr)  # noqa: T201 - this is what people read
