"""What an agent is asked, followed to the end of its turn or to what it waits for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from hearth.api import Hearth, Item, Viewed
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.blocks import ErrorBlock, Role, TextBlock
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import ApprovalId, InputId, MessageId, SessionId, TurnId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import TextDelta
from hearth.core.vocabulary.prompting import SendMessage
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.servers.mcp.tools.said import head_of

PULSE: Final = 1.0
"""Seconds between two things that a client is told while an agent works."""

Tell = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class AskedTurn:
    """A turn that is followed. `ending` is there once it has ended."""

    cause: InputId | None = None
    turn: TurnId | None = None
    message: MessageId | None = None
    """The message, while it waits for the agent."""
    cursor: int = 0
    texts: list[str] = field(default_factory=list)
    """What the agent said in its newest step that said something."""
    step: int = -1
    trouble: str = ""
    waits_for: dict[ApprovalId, e.ApprovalRequested] = field(default_factory=dict)
    ending: e.TurnFinished | None = None
    withdrawn: str | None = None
    writing: str = ""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.ending is not None or self.withdrawn is not None

    @property
    def said(self) -> str:
        """What the agent answered, as far as it is known."""
        return "\n\n".join(self.texts)

    def take(self, item: Item) -> None:
        """Something happened."""
        if not isinstance(item, Stored):
            if isinstance(item.progress, TextDelta) and item.progress.turn == self.turn:
                self.writing = (self.writing + item.progress.text)[-4000:]
            return
        envelope = codec.envelope(item)
        self.cursor = max(self.cursor, envelope.seq)
        self._known(envelope)
        if self.turn is not None and getattr(envelope.event, "turn", None) == self.turn:
            self._of_turn(envelope.event)
        elif isinstance(envelope.event, e.ApprovalAnswered):
            self.waits_for.pop(envelope.event.approval, None)

    def _known(self, envelope: Envelope) -> None:
        event = envelope.event
        is_ours = envelope.cause == self.cause
        match event:
            case e.TurnStarted() if is_ours and self.turn is None:
                self.turn = event.turn
            case e.MessageQueued() if is_ours:
                self.message = event.message
            case e.MessageDelivered() if event.message == self.message:
                self.turn = event.turn
            case e.MessageWithdrawn() if event.message == self.message:
                self.withdrawn = event.reason
            case _:
                pass

    def _of_turn(self, event: e.Event) -> None:
        match event:
            case e.BlockSealed(role=Role.ASSISTANT, content=TextBlock() as block):
                if event.step != self.step:
                    self.step, self.texts = event.step, []
                self.texts.append(head_of(block.text))
                self.writing = ""
            case e.BlockSealed(content=ErrorBlock() as block):
                self.trouble = head_of(block.message)
            case e.ApprovalRequested():
                self.waits_for[event.approval] = event
            case e.TurnFinished():
                self.ending = event
                self.waits_for.clear()
            case _:
                pass


async def ask(
    hearth: Hearth, session: SessionId, command: SendMessage, origin: Origin
) -> AskedTurn | Refusal:
    """Say something to the agent; what comes of it is then followed."""
    accepted = await hearth.submit(session, command, origin)
    if isinstance(accepted, Refused):
        return accepted
    return AskedTurn(cause=accepted.id, cursor=max(0, accepted.seq - 1))


async def follow(  # noqa: PLR0913 - each is a wish of its own
    hearth: Hearth,
    session: SessionId,
    asked: AskedTurn,
    *,
    wait: float,
    tell: Tell | None = None,
    answered: Sequence[ApprovalId] = (),
) -> None:
    """Until its end, or until it waits for what is not answered, or the time is up."""
    viewed = await hearth.view("status", session)
    known = viewed.seq if isinstance(viewed, Viewed) else 0
    following = hearth.follow(session, after=asked.cursor)
    telling = asyncio.create_task(_tell(asked, tell)) if tell is not None else None
    try:
        async with asyncio.timeout(wait):
            while not asked.is_over:
                if asked.cursor >= known and set(asked.waits_for) - set(answered):
                    return
                items = await following.batch()
                if not items:
                    return
                for item in items:
                    asked.take(item)
    except TimeoutError:
        return
    finally:
        following.close()
        if telling is not None:
            telling.cancel()
            await asyncio.wait({telling})


async def _tell(asked: AskedTurn, tell: Tell) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    while True:
        await asyncio.sleep(PULSE)
        written = (asked.writing or asked.said)[-300:]
        await tell(written or f"the agent works for {loop.time() - began:.0f} s")
