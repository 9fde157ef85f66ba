"""A session that the REPL is attached to: one stream, over which everything is heard.

What is asked is answered by the events of that same stream, so that nothing opens another one.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from hearth.api import Accepted, Following, Item, Viewed
from hearth.clients.repl.consenting import AskingConsent, Consenting, deciding
from hearth.clients.repl.host import Host, Question, Screen, fresh_input_id
from hearth.clients.repl.now import Now, carry_on, now_of
from hearth.clients.repl.painting import Paint
from hearth.clients.repl.pieces import Piece, text_of
from hearth.clients.repl.telling import Teller
from hearth.core.views.conversation import Conversation
from hearth.core.views.status import Status
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.codec import decode_envelope, envelope
from hearth.core.vocabulary.commands import Command
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.events import SETTLING
from hearth.core.vocabulary.ids import CellId, InputId, SessionId, TurnId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import EventUnsaved
from hearth.core.vocabulary.prompting import ApprovalAnswer
from hearth.core.vocabulary.refusals import DuplicateCommand, Refusal, Refused, UnknownView

PAUSE: Final = 0.3
"""Seconds between two attempts to reach a daemon that is gone."""
PACE: Final = 0.03
"""Seconds in which output that comes in a flood is gathered before it is shown."""


class Surroundings:
    """What every attachment of one REPL shares."""

    def __init__(
        self,
        host: Host,
        origin: Origin,
        screen: Screen,
        paint: Paint,
        *,
        tells_others: bool = True,
    ) -> None:
        self.host = host
        self.origin = origin
        self.screen = screen
        self.paint = paint
        self.tells_others = tells_others
        self.width: Callable[[], int] = usual_width
        """Columns of the terminal, as it is now."""
        self.pause = PAUSE
        self.own: set[InputId] = set()
        """The inputs that came from here."""
        self.has_failed = False
        """Whether something that a command asked for was not done; a script ends with it."""
        self.heard: Callable[[Envelope], None] = _to_nobody
        """Is told of every event."""


def usual_width() -> int:
    """Columns where there is no terminal that could tell."""
    return 80


class Attached:
    """One session, followed from the moment of its status on, without a gap."""

    def __init__(
        self,
        around: Surroundings,
        status: Status,
        cursor: int,
        said: Conversation | None = None,
    ) -> None:
        self._around = around
        self.status = status
        self.now: Now = now_of(status, said)
        self._said = said
        self.teller = Teller(
            around.paint,
            around.own.__contains__,
            tells_others=around.tells_others,
            width=around.width,
        )
        self._cursor = cursor
        self._following: Following | None = None
        self._closed = False
        self._waiting: dict[InputId, asyncio.Future[Envelope]] = {}
        self._turns: dict[TurnId, list[asyncio.Future[Envelope]]] = {}
        """Whoever waits for the end of a turn that their message came into."""
        self._asking: CellId | None = None
        self.consent = Consenting(around.screen.ask)
        """What the person is to decide at the prompt."""
        self._reachable = asyncio.Event()
        self._reachable.set()

    @property
    def session(self) -> SessionId:
        """Which session it is."""
        return self.now.session

    def close(self) -> None:
        """Hear no more; whoever waits for an answer is told that none comes."""
        self._closed = True
        self.consent.clear()
        self._reachable.set()
        if self._following is not None:
            self._following.close()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError("no longer attached"))
        self._waiting.clear()
        self._turns.clear()

    async def listen(self) -> None:
        """Tell what happens, until closed. A daemon that goes is waited for."""
        current = self.status.current
        code = "\n---\n".join(current.variants) or text_of(current.code) if current else ""
        await self._show(self.teller.attach(self.now, code, self._said))
        self._said = None  # from here on only what happens is told
        while not self._closed:
            following = self._around.host.follow(self.session, after=self._cursor)
            self._following = following
            try:
                await self._hear(following)
            except OSError as gone:  # ConnectionError, and what sockets raise
                await self._lost(gone)
            finally:
                following.close()

    async def submit(self, command: Command, input_id: InputId | None = None) -> InputId | Refusal:
        """Have a command accepted. While the daemon is away it waits, and is sent once."""
        cause = input_id or fresh_input_id()
        self._around.own.add(cause)
        while True:
            try:
                answer = await self._around.host.submit(
                    self.session, command, self._around.origin, input_id=cause
                )
            except OSError:
                if self._closed:
                    raise
                await self._until_reachable()
                continue
            if isinstance(answer, Accepted | DuplicateCommand):
                return cause  # the second time, it is known already: the first time had arrived
            return answer

    async def outcome(self, command: Command) -> Envelope | Refusal:
        """Have a command carried out, and wait for the event that ends it.

        What a message comes to is the end of the turn that it is answered in.
        """
        cause = fresh_input_id()
        future: asyncio.Future[Envelope] = asyncio.get_running_loop().create_future()
        self._waiting[cause] = future
        try:
            answer = await self.submit(command, cause)
            return answer if isinstance(answer, Refused) else await future
        finally:
            self._waiting.pop(cause, None)

    # -- hearing ----------------------------------------------------------------------------------

    async def _hear(self, following: Following) -> None:
        while items := await following.batch():
            await self._take(items)
            if self.now.running is not None or self.now.turn is not None:
                await asyncio.sleep(PACE)
        if not self._closed:
            raise ConnectionError("the stream ended")

    async def _take(self, items: Sequence[Item]) -> None:
        """Show what came, and only then answer whoever waited for it."""
        pieces: list[Piece] = []
        heard: list[Envelope] = []
        for item in items:
            if isinstance(item, Stored):
                one = envelope(item)
                self._cursor = item.seq
                heard.append(one)
                pieces += self.teller.tell(one)
            else:
                if isinstance(item.progress, EventUnsaved):
                    heard.append(decode_envelope(item.progress.json.encode()))
                pieces += self.teller.show(item.progress)
        for one in heard:
            self.now = carry_on(self.now, one)
        await self._show(pieces)
        for one in heard:
            self._answer(one)
            self._question(one)
            self._around.heard(one)
        self._around.screen.refresh()

    def _answer(self, heard: Envelope) -> None:
        future = self._waiting.get(heard.cause)
        if isinstance(heard.event, e.MessageDelivered):
            if future is not None:
                self._turns.setdefault(heard.event.turn, []).append(future)
            return
        answered = [future] if future is not None and type(heard.event) in SETTLING else []
        if isinstance(heard.event, e.TurnFinished):
            answered += self._turns.pop(heard.event.turn, ())
        for one in answered:
            if not one.done():
                one.set_result(heard)

    def _question(self, heard: Envelope) -> None:
        match heard.event:
            case e.InputRequested(cell=cell, prompt=prompt, password=password):
                running = self.now.running
                if running is not None and running.cause in self._around.own:
                    self._asking = cell
                    self.consent.hold(is_held=True)
                    self._around.screen.ask(Question(cell, prompt, password))
            case (
                e.InputAnswered(cell=cell)
                | e.CellFinished(cell=cell)
                | e.CellFailed(cell=cell)
                | e.CellCancelled(cell=cell)
                | e.CellCancelRequested(cell=cell)
            ) if cell == self._asking:
                self._asking = None
                self._around.screen.ask(None)
                self.consent.hold(is_held=False)
            case e.ApprovalRequested(approval=approval):
                turn = self.now.turn
                waits = any(one.approval == approval for one in self.now.talk.approvals)
                # What was answered already, as far as is known, is not asked for.
                if waits and turn is not None and turn.cause in self._around.own:
                    asked = deciding(heard.event, heard.origin.name)
                    self.consent.add(AskingConsent(asked))
            case e.ApprovalAnswered(answer=ApprovalAnswer.REJECT):
                self.consent.drop_consents()
            case e.ApprovalAnswered(approval=approval):
                self.consent.drop(approval)
            case e.TurnFinished():
                self.consent.clear()
            case _:
                pass

    async def _show(self, pieces: Sequence[Piece]) -> None:
        if pieces:
            await self._around.screen.show(pieces)

    # -- the daemon is gone and comes back --------------------------------------------------------

    async def _lost(self, gone: OSError) -> None:
        """Say so, and come back when the daemon answers again."""
        if self._closed:
            return
        self._reachable.clear()
        self.teller.interrupted()
        said = f"the daemon cannot be reached ({gone}); waiting for it"
        await self._around.screen.note(self._around.paint.warning(said))
        self._around.screen.refresh()
        if await self._comes_back():
            self._reachable.set()
            await self._around.screen.note(self._around.paint.dim("the daemon is back"))
            self._around.screen.refresh()

    async def _comes_back(self) -> bool:
        """Try until it answers; False if nobody wants to know any more."""
        while not await self._answers():
            if self._closed:
                return False
            await asyncio.sleep(self._around.pause)
        return not self._closed

    async def _answers(self) -> bool:
        try:
            viewed = await self._around.host.view("status", self.session)
        except OSError:
            return False
        return isinstance(viewed, Viewed)

    async def _until_reachable(self) -> None:
        """Wait for the daemon; where the stream has not noticed that it is gone, for a moment."""
        await asyncio.sleep(self._around.pause)
        await self._reachable.wait()

    @property
    def is_reachable(self) -> bool:
        """Whether the daemon was there when it was last heard of."""
        return self._reachable.is_set()


def _to_nobody(_: Envelope) -> None:
    """Nobody wants to know."""


async def attach(around: Surroundings, session: SessionId) -> Attached | Refusal:
    """Take up a session as it is now; `listen` goes on from there."""
    viewed = await around.host.view("status", session)
    if not isinstance(viewed, Viewed):
        return viewed
    if not isinstance(viewed.value, Status):
        return UnknownView(why="the daemon tells no status", name="status")
    said = await around.host.view("conversation", session)
    known = said.value if isinstance(said, Viewed) else None
    conversation = known if isinstance(known, Conversation) else None
    return Attached(around, viewed.value, viewed.seq, conversation)
