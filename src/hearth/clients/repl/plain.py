"""Without a terminal: statements come in line by line, what they show goes out as it is."""

import asyncio
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import groupby
from typing import Final, TextIO

from hearth.clients.repl import trial
from hearth.clients.repl.commands import is_command
from hearth.clients.repl.completeness import statements
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.failing import refused
from hearth.clients.repl.host import Question
from hearth.clients.repl.images import Pictures
from hearth.clients.repl.messages import gathered, is_message
from hearth.clients.repl.pieces import Piece, Words
from hearth.clients.repl.trial import is_trial
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.turns import TurnEnd

MOST_AHEAD: Final = 64
"""Statements that are read before they are run."""
GOOD: Final = (
    e.CellFinished,
    e.BranchSwitched,
    e.CellsUndone,
    e.CellsRedone,
    e.UndoChosen,
    e.VariantsDropped,
    e.SessionReady,
)
"""How what was asked for ends, if it was done."""
FAILED: Final = 1
INTERRUPTED: Final = 130


class PlainScreen:
    """Data to stdout, everything else to stderr. Implements `Screen`."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures
        self.is_broken = False
        """Whether nobody reads any more."""

    async def show(self, pieces: Sequence[Piece]) -> None:
        """Show what happens in the session."""
        for is_aside, some in groupby(pieces, _is_aside):
            text = await self._pictures.render(list(some))
            self._write(sys.stderr if is_aside else sys.stdout, text)

    async def note(self, text: str) -> None:
        """Show whole lines about the session."""
        self._write(sys.stderr, text)

    def _write(self, target: TextIO, text: str) -> None:
        if self.is_broken:
            return
        try:
            target.write(f"{text}\n")
            target.flush()
        except BrokenPipeError:
            self.is_broken = True
            # What is still in the buffer must not complain when Python closes it.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, target.fileno())
            os.close(nowhere)

    def refresh(self) -> None:
        """There is no toolbar."""

    def ask(self, question: Question | None) -> None:
        """Nobody is there to be asked: cells are sent so that asking is an error in them."""


class Reading:
    """Statements and commands out of a text, read in a thread of their own as they are wanted."""

    def __init__(self, source: Iterable[str], *, python: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(MOST_AHEAD)
        self._entries = entries(iter(source), python=python)
        self.trouble = ""
        """Why nothing more could be read: a closed file, bytes that are no text."""
        # Nobody waits for it at the end: it may be waiting for a line that never comes.
        self._thread = threading.Thread(target=self._read, name="stdin", daemon=True)
        self._thread.start()

    async def next(self) -> str | None:
        """The next entry; None at the end."""
        return await self._queue.get()

    def end(self) -> None:
        """Whoever waits for an entry is told that none comes."""
        while self._queue.full():
            self._queue.get_nowait()
        self._queue.put_nowait(None)

    def _read(self) -> None:
        try:
            try:
                for entry in self._entries:
                    self._put(entry)
            except (OSError, ValueError) as trouble:
                self.trouble = str(trouble)
            self._put(None)
        except (RuntimeError, CancelledError):
            pass  # the loop is closed: nobody wants to know any more

    def _put(self, entry: str | None) -> None:
        putting = self._queue.put(entry)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except RuntimeError:
            putting.close()
            raise


async def converse(talk: Conversation, screen: PlainScreen, reading: Reading) -> int:
    """Run one entry after the other; 1 if any of them failed."""
    failed = False
    while not screen.is_broken and (entry := await reading.next()) is not None:
        is_code = not is_command(entry) and not is_message(entry)
        outcome = await (talk.run if is_code else talk.ask)(entry)
        if outcome is None:
            if not await talk.say(entry):
                break
        elif isinstance(outcome, Refused):
            await screen.note(refused(outcome, talk.around.paint))
            failed = True
        else:
            failed = failed or not _is_good(outcome.event)
    if reading.trouble:
        await screen.note(f"what was to be run cannot be read: {reading.trouble}")
        failed = True
    return FAILED if failed or talk.around.has_failed else 0


def _is_aside(piece: Piece) -> bool:
    return isinstance(piece, Words) and piece.is_aside


def _is_good(event: e.Event) -> bool:
    if isinstance(event, e.TurnFinished):
        return event.end is TurnEnd.DONE
    if isinstance(event, e.TrialEnded):
        return any(one.is_ok for one in event.results)
    return isinstance(event, GOOD)


def entries(source: Iterator[str], *, python: bool) -> Iterator[str]:
    """Statements, commands and messages, in the order in which they come.

    What stands inside of a statement that is not over is part of it, whatever it looks like.
    """
    lines = (line.rstrip("\r\n") for line in source)

    def apart(line: str) -> str | None:
        if is_message(line):
            return gathered(line, lines)
        if is_trial(line):
            return trial.gathered(line, lines, python=python)
        return line.strip() if is_command(line) else None

    return statements(lines, python=python, apart=apart)
