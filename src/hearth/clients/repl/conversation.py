"""What goes on between a person at a terminal and a session: entries go out, events come in."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from hearth.clients.remote.troubles import Unreachable
from hearth.clients.repl.acting import act
from hearth.clients.repl.agent_listing import said_line
from hearth.clients.repl.attached import Attached, Surroundings, attach, usual_width
from hearth.clients.repl.commands import is_command
from hearth.clients.repl.consenting import is_no
from hearth.clients.repl.conversing import refuse, rows_of, submit
from hearth.clients.repl.directing import lasting
from hearth.clients.repl.host import Present
from hearth.clients.repl.interrupting import Interrupting
from hearth.clients.repl.listing import attach_lines
from hearth.clients.repl.messages import is_message, message_of
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.standing import Standing
from hearth.clients.repl.styling import styled
from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.answers import Inspection
from hearth.core.vocabulary.content import Completion as Proposal
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.resolving import named

GREETING: Final = (
    "> speaks to the agent; .help lists the commands; Ctrl-D leaves, and the session goes on"
)
STOPPED: Final = "it is stopped: .hard-reset starts it again, then .replay brings its names back"
LOOKS_APART: Final = 5.0
"""Seconds between two looks at who is here."""
WORTH_ASKING: Final = 2.0
"""Seconds that completion and hints may take; whoever types has gone on by then."""


class Conversation:
    """One person's side of the REPL, in one session at a time."""

    def __init__(
        self, around: Surroundings, *, may_ask: bool, width: Callable[[], int] = usual_width
    ) -> None:
        self.around = around
        around.width = width
        self.last_code = ""
        self.may_ask = may_ask
        self._attached: Attached | None = None
        self._listening: asyncio.Task[None] | None = None
        self._others: Sequence[Present] = ()
        self._names: Sequence[str] = ()
        self._interrupting = Interrupting(around.own)
        self._looked = 0.0
        self._background: set[asyncio.Task[Any]] = set()
        around.heard = self._heard

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self.around.width()

    @property
    def attached(self) -> Attached:
        """The session that is attached; there is one once `attach` has said so."""
        if self._attached is None:
            raise RuntimeError("not attached yet")
        return self._attached

    @property
    def is_attached(self) -> bool:
        """Whether there is a session already."""
        return self._attached is not None

    # -- coming and going -------------------------------------------------------------------------

    async def attach(self, session: SessionId) -> Refusal | None:
        """Go on in this session, telling what it is; a refusal leaves everything as it was."""
        found = await attach(self.around, session)
        if isinstance(found, Refused):
            return found
        await self._detach()
        self._attached = found
        self._others = await self._who()
        status = found.status
        now = datetime.now(UTC)
        lines = attach_lines(status, self._others, now, self.around.paint)
        await self.around.screen.note(lines)
        if said := said_line(found.now.talk):
            await self.around.screen.note(self.around.paint.dim(said))
        if status.stopped:
            await self.around.screen.note(self.around.paint.warning(STOPPED))
        self._listening = asyncio.create_task(found.listen())
        self._listening.add_done_callback(self._heard_the_last)
        rows = await rows_of(self.around)
        self._names = () if isinstance(rows, Refused) else _names(rows)
        self.around.screen.refresh()
        return None

    async def switch(self, session: SessionId) -> None:
        """Go on in another session."""
        refusal = await self.attach(session)
        if refusal is not None:
            await refuse(self, refusal)

    async def find(self, said: str) -> SessionId | Refusal:
        """The session that somebody means."""
        return await named(self.around.host, said)

    async def close(self) -> None:
        """Leave the session, which goes on."""
        for task in tuple(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self._detach()

    async def _detach(self) -> None:
        if self._attached is not None:
            self._attached.close()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
            self._listening = None

    def _heard_the_last(self, task: asyncio.Task[None]) -> None:
        """The stream ended by itself: what it says must not be lost."""
        if task.cancelled() or task.exception() is None:
            return
        said = self.around.paint.trouble(f"no longer following: {task.exception()}")
        self.later(self.around.screen.note(f"{said}\n  .switch to this session tries again"))

    # -- what is typed ----------------------------------------------------------------------------

    async def say(self, text: str) -> bool:
        """Carry out what was entered; False if the person wants to leave."""
        if not text.strip():
            return True
        try:
            if is_command(text):
                return await act(self, text)
            # Behind what the agent and the interpreter do already.
            command = _message(text) if is_message(text) else self._cell(text)
            if command is not None:
                await submit(self, command)
        except (OSError, Unreachable) as trouble:
            await self._complain(trouble)
        return True

    async def ask(self, text: str) -> Envelope | Refusal | None:
        """Have the agent do what takes its time, and wait for the end; None if it is nothing."""
        command = _message(text) if is_message(text) else lasting(text)
        return None if command is None else await self.attached.outcome(command)

    async def run(self, code: str) -> Envelope | Refusal:
        """Give code to the interpreter and wait for its end."""
        return await self.attached.outcome(self._cell(code))

    async def decide(self, about: str, text: str | None, after: float) -> None:
        """Hear what the person typed about something, so many seconds after it was put to them."""
        consent = self.attached.consent
        if text and is_command(text):
            # Such as a look at something else first; it is put again afterwards.
            consent.again(about)
            await self.say(text)
            consent.put_next()
            return
        heard = consent.hear(about, text, after)
        if heard is None:
            return  # it was decided meanwhile, which is told
        if heard.lines:
            await self.around.screen.note(styled(heard.lines, self.around.paint))
        taken = heard.command is not None and await submit(self, heard.command)
        if not (taken and is_no(heard.command)):  # what else waits was said no to with it
            consent.put_next()

    async def answer(self, cell: CellId, text: str) -> None:
        """Answer what a cell asks."""
        await submit(self, c.AnswerInput(text, cell))

    def _cell(self, code: str) -> c.RunCell:
        self.last_code = code
        return c.RunCell(code, if_busy="queue", may_ask=self.may_ask)

    def interrupt(self, *, is_empty: bool = True) -> bool:
        """Stop what runs, or warn first; False where there is nothing to stop (`Interrupting`)."""
        if self._attached is None:
            return False
        found = self._interrupting.stops(self._attached.now, is_empty=is_empty)
        if isinstance(found, str):
            self.later(self.around.screen.note(self.around.paint.warning(found)))
        elif found is not None:
            self.later(submit(self, found))
        return found is not None

    def later(self, doing: Coroutine[Any, Any, object]) -> None:
        """Do something without making anybody wait."""
        task = asyncio.get_running_loop().create_task(doing)
        self._background.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        trouble = None if task.cancelled() else task.exception()
        if isinstance(trouble, OSError | Unreachable):
            self.later(self._complain(trouble))
        elif trouble is not None:
            raise trouble  # a defect: the loop keeps it where defects are kept

    async def _complain(self, trouble: Exception) -> None:
        """Say that the daemon did not do something; the person may try it again."""
        said = str(trouble)
        await self.around.screen.note(self.around.paint.warning(clean(said, colour=False)))

    # -- what the prompt shows --------------------------------------------------------------------

    def standing(self) -> Standing:
        """How the session stands."""
        if self._attached is None:
            return Standing()
        now = self._attached.now
        return Standing(
            now=now,
            doing=self._attached.teller.doing,
            others=self._others,
            is_reachable=self._attached.is_reachable,
            is_mine=now.running is not None and now.running.cause in self.around.own,
            is_my_turn=now.turn is not None and now.turn.cause in self.around.own,
        )

    def live(self) -> str:
        """The line that a cell is just writing."""
        return "" if self._attached is None else self._attached.teller.live

    def is_python(self) -> bool:
        """Whether what is typed is Python."""
        return self._attached is None or self._attached.now.language.lower() == "python"

    def session_names(self) -> Sequence[str]:
        """The sessions that are known."""
        return self._names

    async def complete(self, code: str, cursor: int) -> Sequence[Proposal]:
        """What could stand at the cursor; nothing where the session cannot say."""
        event = await self._asked(c.CompleteCode(code, cursor))
        return event.items if isinstance(event, e.CompletionsReturned) else ()

    async def inspect(self, code: str, cursor: int) -> Inspection | None:
        """What stands at the cursor."""
        event = await self._asked(c.InspectCode(code, cursor))
        return event.inspection if isinstance(event, e.InspectionReturned) else None

    async def _asked(self, command: c.Command) -> e.Event | None:
        """What a question came to; None where it is refused, too slow, or nobody is there."""
        if self._attached is None or not self._attached.is_reachable:
            return None
        try:
            async with asyncio.timeout(WORTH_ASKING):
                outcome = await self._attached.outcome(command)
        except (TimeoutError, OSError, Unreachable):
            return None
        return None if isinstance(outcome, Refused) else outcome.event

    def epoch(self) -> tuple[str, int]:
        """Changes whenever names may have changed."""
        return ("", 0) if self._attached is None else self._attached.now.epoch

    def _heard(self, heard: Envelope) -> None:
        """Somebody did something: see who is here, but not all the time."""
        time = asyncio.get_running_loop().time()
        begins = isinstance(heard.event, e.CellStarted | e.TurnStarted)
        if begins and time - self._looked > LOOKS_APART:
            self._looked = time
            self.later(self._look())

    async def _look(self) -> None:
        self._others = await self._who()
        self.around.screen.refresh()

    async def _who(self) -> Sequence[Present]:
        try:
            return await self.around.host.who(self.attached.session)
        except OSError:
            return ()  # it is only shown; whoever needs to know asks with .who


def _names(rows: Sequence[SessionRow]) -> Sequence[str]:
    return tuple(dict.fromkeys(row.name or row.session for row in rows))


def _message(text: str) -> p.SendMessage | None:
    said = message_of(text)
    return p.SendMessage(said) if said else None
