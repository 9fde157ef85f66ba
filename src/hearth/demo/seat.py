"""A person's place at a session: what they send goes out, all that happens is shown as it happens.

It shows what the REPL shows, by the same means.
"""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from hearth.api import Following, Hearth, Item
from hearth.clients.repl.host import fresh_input_id
from hearth.clients.repl.images import Pictures
from hearth.clients.repl.telling import Teller
from hearth.core.vocabulary.codec import envelope
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.events import Event
from hearth.core.vocabulary.ids import InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import Progress
from hearth.core.vocabulary.refusals import Refused
from hearth.demo.page import Page

Heard: TypeAlias = Event | Progress


class Unwilling(Exception):
    """A command was refused; the message says why."""


class Seat:
    """One person at one session."""

    def __init__(
        self, hearth: Hearth, session: SessionId, origin: Origin, page: Page, pictures: Pictures
    ) -> None:
        self._hearth = hearth
        self._session = session
        self._origin = origin
        self._page = page
        self._pictures = pictures
        self._own: set[InputId] = set()
        self._teller = Teller(page.paint, self._own.__contains__)
        self._expected: list[tuple[Callable[[Heard], bool], asyncio.Future[Heard]]] = []
        self._trouble: Exception | None = None

    async def send(self, command: Command) -> None:
        """Have a command accepted. Unwilling if it is not."""
        input_id = fresh_input_id()
        self._own.add(input_id)
        answer = await self._hearth.submit(self._session, command, self._origin, input_id=input_id)
        if isinstance(answer, Refused):
            raise Unwilling(answer.why)

    def expect(self, wanted: Callable[[Heard], bool]) -> asyncio.Future[Heard]:
        """The first thing that is wanted among all that is heard from now on."""
        future = asyncio.get_running_loop().create_future()
        self._expected.append((wanted, future))
        self._fail(future)
        return future

    async def listen(self, following: Following) -> None:
        """Show what happens, until the stream is closed.

        What goes wrong with it, like a reader who went away, is told to whoever expects something.
        """
        try:
            while items := await following.batch():
                for item in items:
                    await self._hear(item)
                self._page.live(self._teller.live)
        except Exception as trouble:
            self._trouble = trouble
            for _, future in self._expected:
                self._fail(future)
            raise

    def _fail(self, future: asyncio.Future[Heard]) -> None:
        if self._trouble is not None and not future.done():
            future.set_exception(self._trouble)
            future.exception()  # nobody has to wait for it: asyncio would complain

    async def _hear(self, item: Item) -> None:
        if isinstance(item, Stored):
            told = envelope(item)
            heard: Heard = told.event
            pieces = self._teller.tell(told)
        else:
            heard = item.progress
            pieces = self._teller.show(heard)
        if pieces:
            self._page.show(await self._pictures.render(pieces))
        for expected in [one for one in self._expected if one[0](heard)]:
            self._expected.remove(expected)
            if not expected[1].done():
                expected[1].set_result(heard)
