"""`hearth demo`: from its words to an exit code.

What takes long is imported when the first lines are there.
"""

import asyncio
import contextlib
import io
import logging
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, Final

from hearth.clients.cli.helping import explain
from hearth.clients.cli.parsing import parse, wants_json
from hearth.clients.cli.showing import is_terminal, report, tell
from hearth.clients.cli.troubles import FAILED, INTERRUPTED, OK, Trouble
from hearth.clients.repl.painting import Paint, paint_for
from hearth.demo.page import Page
from hearth.demo.story import FAST, FOR_PEOPLE, Pace
from hearth.performers.interpreter import early

PREFIX: Final = "hearth-demo-"
NARROWEST: Final = 40
ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(argv: list[str]) -> int:
    """Carry out `hearth demo …`, its name included; the exit code."""
    # Whoever closed it wants to see nothing; what is written must go somewhere all the same.
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    sys.stderr = sys.stderr or sys.stdout
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without bars still shows the rest
    try:
        asked = parse(argv)
    except Trouble as trouble:
        report(trouble, as_json=wants_json(argv))
        return trouble.ending
    if asked.has("help"):
        return explain(asked.verb)
    is_in_a_hurry = asked.has("fast") or not is_terminal(sys.stdout)
    return _show(FAST if is_in_a_hurry else FOR_PEOPLE)


def _show(pace: Pace) -> int:
    is_watched = is_terminal(sys.stdout)
    paint = paint_for(
        is_terminal=is_watched, encoding=sys.stdout.encoding or "", environ=os.environ
    )
    page = Page(_write, paint, width=_width() if is_watched else None)
    page.show("hearth demo: an agent works in a live session, which a person shares with it.")
    page.show("All of it is real but the model, which plays a script: no key is needed.")
    page.live(paint.dim(f"starting an interpreter {paint.more}"))
    # What hearth notes for itself is not part of the play; what fails in it is told.
    logging.getLogger("hearth").addHandler(logging.NullHandler())
    early.begin(sys.executable)  # beside the imports that follow, which take as long
    try:
        with tempfile.TemporaryDirectory(prefix=PREFIX) as home, _pictures() as pictures:
            return _played(Path(home), pictures, page, pace)
    except KeyboardInterrupt:  # before it began
        page.close()
        tell("stopped")
        return INTERRUPTED
    finally:
        early.end()


def _played(home: Path, pictures: Path, page: Page, pace: Pace) -> int:
    # Half of hearth: nobody should look at an empty terminal until it is there.
    from hearth.app import run  # noqa: PLC0415 - as the comment says
    from hearth.clients.repl.images import Drawing, drawing_for  # noqa: PLC0415 - as above
    from hearth.demo.play import DemoFailed, play  # noqa: PLC0415 - as above

    drawing = drawing_for(os.environ) if is_terminal(sys.stdout) else Drawing.LINK
    try:
        stopped_by = run(_until_signalled(play(home, pictures, page, pace, drawing)))
    except DemoFailed as failed:
        tell(f"the demo cannot go on: {failed}")
        tell("hint: `hearth doctor` looks for what is wrong")
        return FAILED
    if stopped_by:
        tell("stopped")
        return 128 + stopped_by
    page.show(_last_words(page.paint, is_kept=any(pictures.iterdir())))
    return OK


@contextlib.contextmanager
def _pictures() -> Iterator[Path]:
    """A folder that stays if something is in it: whoever was told of a picture may open it."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):  # it is not empty
            folder.rmdir()


async def _until_signalled(playing: Coroutine[Any, Any, None]) -> int:
    """Play, or until somebody wants it to end; the signal that said so.

    Whatever ends it, everything is taken away in peace: a second Ctrl-C would leave something.
    """
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(playing)
    said: list[int] = []

    def end(number: int) -> None:
        if not said:
            task.cancel()
        said.append(number)

    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            loop.add_signal_handler(number, end, number)
    try:
        await task
    except asyncio.CancelledError:
        if not said:
            raise
    return said[0] if said else 0


def _last_words(paint: Paint, *, is_kept: bool) -> str:
    left = "Nothing of this is left but the picture." if is_kept else "Nothing of this is left."
    return "\n".join(
        (
            "",
            paint.strong(f"# {left} Now with files of your own:"),
            "  hearth               a prompt; lines that begin with > speak to the agent",
            "  hearth ask 'hello'   the same from your shell",
            "A key in ANTHROPIC_API_KEY has Claude answer; docs/guides/models.md tells more.",
        )
    )


def _width() -> int | None:
    """Characters in a line of the terminal; None where none can be taken away again."""
    if os.environ.get("TERM", "") in {"", "dumb"}:
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
