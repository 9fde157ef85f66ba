"""Where a person sits: what is typed before the session is there waits, and nothing is lost."""

import asyncio
from collections.abc import Sequence

from hearth.clients.repl.choosing import Picked, picked_by
from hearth.clients.repl.conversation import Conversation
from hearth.clients.repl.entered import Answered, Left, Typed
from hearth.clients.repl.host import Question
from hearth.clients.repl.standing import Standing
from hearth.clients.repl.terminal import Terminal
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Completion as Proposal
from hearth.core.vocabulary.ids import CellId

PICKING = CellId("")
"""The question that no cell asks: which session."""
PATIENCE = 5.0
"""Seconds in which what was typed may still be sent when the person leaves."""


class Desk:
    """Sends what is typed, in order, once there is a session to send it to.

    Implements `Controls`, so that the prompt can be shown before anybody is connected.
    """

    def __init__(self) -> None:
        self.talk: Conversation | None = None
        self._typed: asyncio.Queue[str] = asyncio.Queue()
        self._picked: asyncio.Future[str | None] | None = None

    # -- what goes out ----------------------------------------------------------------------------

    async def converse(self, terminal: Terminal) -> None:
        """Read until the person leaves."""
        while not isinstance(did := await terminal.read(), Left):
            match did:
                case Typed(text=text):
                    self._typed.put_nowait(text.rstrip())
                case Answered(question=question, text=text, after=after):
                    self._answered(question, text, after)
        if self._picked is not None and not self._picked.done():
            self._picked.set_result(None)

    async def send(self, talk: Conversation, terminal: Terminal) -> None:
        """Carry out what was typed, one after the other, until something says to leave."""
        self.talk = talk
        while True:
            text = await self._typed.get()
            try:
                if not await talk.say(text):
                    terminal.end()
                    return
            finally:
                self._typed.task_done()

    async def unsent(self) -> int:
        """Wait a little until everything that was typed is sent; how much is not."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._typed.join()
        except TimeoutError:
            pass  # whoever leaves does not wait for a daemon that is away
        return self._typed.qsize()

    async def pick(
        self, rows: Sequence[SessionRow], terminal: Terminal, lines: str
    ) -> Picked | None:
        """Let the person pick a session out of the shown lines; None if they would rather leave."""
        await terminal.write(lines)
        prompt = "which one? a number or a name, Enter for a new session here: "
        while True:
            self._picked = asyncio.get_running_loop().create_future()
            terminal.ask(Question(PICKING, prompt, password=False))
            text = await self._picked
            if text is None:
                return None
            picked = picked_by(text, rows)
            if isinstance(picked, Picked):
                return picked
            await terminal.write(picked)

    def _answered(self, question: Question, text: str | None, after: float) -> None:
        if question.about:
            if self.talk is not None:
                self.talk.later(self.talk.decide(question.about, text, after))
        elif question.cell == PICKING:
            if self._picked is not None and not self._picked.done():
                self._picked.set_result(text)
        elif self.talk is not None:
            if text is None:
                self.talk.interrupt()  # `input()` cannot be told that nothing comes
            else:
                self.talk.later(self.talk.answer(question.cell, text))

    # -- what the prompt shows and does -----------------------------------------------------------

    def standing(self) -> Standing:
        """How the session stands, or that there is none yet."""
        return Standing(sent=self._typed.qsize()) if self.talk is None else self.talk.standing()

    def live(self) -> str:
        """The line that a cell is just writing."""
        return "" if self.talk is None else self.talk.live()

    def is_python(self) -> bool:
        """Whether what is typed is Python; until it is known, it is."""
        return self.talk is None or self.talk.is_python()

    def session_names(self) -> Sequence[str]:
        """The sessions that are known."""
        return () if self.talk is None else self.talk.session_names()

    def epoch(self) -> object:
        """Another one whenever the names of the session may be others."""
        return None if self.talk is None else self.talk.epoch()

    def interrupt(self, *, is_empty: bool = True) -> bool:
        """Stop what runs; False if nothing does, or what is typed is rather to be cleared."""
        return self.talk is not None and self.talk.interrupt(is_empty=is_empty)

    async def complete(self, code: str, cursor: int) -> Sequence[Proposal]:
        """What could stand at the cursor."""
        return () if self.talk is None else await self.talk.complete(code, cursor)

    async def inspect(self, code: str, cursor: int) -> Inspection | None:
        """What stands there."""
        return None if self.talk is None else await self.talk.inspect(code, cursor)
