"""Asking a session for something and waiting for what becomes of it, as long as the caller would.

What was accepted goes on, whoever stops waiting.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from hearth.api import Following, Hearth, Item, each
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import CancelCell, Command
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.events import (
    SETTLING,
    CellCancelled,
    CellCancelRequested,
    CellFailed,
    CellFinished,
    CellQueued,
    CellStarted,
    CellWithdrawn,
    Event,
    InputRequested,
    TrialEnded,
    TrialStarted,
)
from hearth.core.vocabulary.ids import CellId, InputId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.progress import EventUnsaved, OutputChunk
from hearth.core.vocabulary.refusals import Refusal, Refused

PULSE: Final = 2.0
"""Seconds after which a client that wants to know is told that a silent cell still runs."""
TAIL: Final = 300
"""So many of the newest characters of an output are shown while it goes on."""

ENDINGS: Final = (CellFinished, CellFailed, CellCancelled, CellWithdrawn, TrialEnded)
Tell = Callable[[str], Awaitable[None]]


@dataclass(slots=True)
class Waited:
    """What came of a command so far. `outcome` is there once it has ended."""

    id: InputId
    seq: int
    """Where its consequences begin."""
    warning: str = ""
    envelopes: list[Envelope] = field(default_factory=list)
    outcome: Envelope | None = None
    asks: InputRequested | None = None
    """What its cell asks with `input()`, if it does."""
    cell: CellId | None = None
    cursor: int = 0
    """The newest event of it that was heard."""
    printed: str = ""

    @property
    def ending(self) -> Event | None:
        """What ended it; None if it goes on."""
        return self.outcome.event if self.outcome is not None else None


async def carried_out(  # noqa: PLR0913 - each is a wish of its own
    hearth: Hearth,
    session: SessionId,
    command: Command,
    origin: Origin,
    *,
    wait: float,
    tell: Tell | None = None,
    began: Callable[[Waited], None] | None = None,
) -> Waited | Refusal:
    """Submit, and wait for the outcome for so many seconds; `tell` hears what is printed.

    `began` is given what is waited for, as soon as it was accepted.
    """
    following = hearth.follow(session)
    try:
        # Outside of the limit: a command must not be left in doubt.
        accepted = await hearth.submit(session, command, origin)
        if isinstance(accepted, Refused):
            return accepted
        waited = Waited(
            accepted.id, accepted.seq, accepted.warning, cursor=max(0, accepted.seq - 1)
        )
        if began is not None:
            began(waited)
        await wait_on(following, waited, wait, tell)
        return waited
    finally:
        following.close()


async def wait_on(following: Following, waited: Waited, wait: float, tell: Tell | None) -> None:
    """Wait until it has ended, asks, or the time is up."""
    telling = _Telling(tell, waited) if tell is not None else None
    try:
        async with asyncio.timeout(wait):
            while items := await following.batch():
                for item in items:
                    _take(item, waited)
                if waited.outcome is not None or waited.asks is not None:
                    return
    except TimeoutError:
        return
    finally:
        if telling is not None:
            await telling.close()


def _take(item: Item, waited: Waited) -> None:
    if isinstance(item, Stored):
        envelope = codec.envelope(item)
    elif isinstance(item.progress, EventUnsaved):
        envelope = codec.decode_envelope(item.progress.json.encode())
    else:
        if isinstance(item.progress, OutputChunk) and item.progress.cell == waited.cell:
            waited.printed = (waited.printed + item.progress.text)[-64 * 1024 :]
        return
    event = envelope.event
    if isinstance(event, InputRequested) and event.cell == waited.cell:
        waited.asks = event
    if envelope.cause != waited.id:
        return
    waited.envelopes.append(envelope)
    waited.cursor = max(waited.cursor, envelope.seq)
    if isinstance(event, CellQueued | CellStarted | TrialStarted):
        waited.cell = event.cell
    if type(event) in SETTLING:
        waited.outcome = envelope


class _Telling:
    """Tells a client what is printed, in a task of its own: a slow one holds nobody up."""

    def __init__(self, tell: Tell, waited: Waited) -> None:
        self._tell = tell
        self._waited = waited
        self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _go_on(self) -> None:
        loop = asyncio.get_running_loop()
        began, shown = loop.time(), ""
        while True:
            await asyncio.sleep(PULSE if self._waited.printed == shown else PULSE / 4)
            shown = self._waited.printed
            seconds = loop.time() - began
            await self._tell(shown[-TAIL:] or f"running for {seconds:.0f} s")


@dataclass(frozen=True, slots=True)
class CellEnding:
    """How a cell ended that was asked to; `event` is None if it has not yet."""

    cell: CellId
    event: Event | None = None


async def ending_of_cell(
    hearth: Hearth, session: SessionId, command: CancelCell, origin: Origin, *, wait: float
) -> CellEnding | Refusal:
    """Have a cell stopped, and wait for its end: that it was asked to is not all."""
    following = hearth.follow(session)
    try:
        accepted = await hearth.submit(session, command, origin)
        if isinstance(accepted, Refused):
            return accepted
        cell = CellId("")
        try:
            async with asyncio.timeout(wait):
                async for item in each(following):
                    if not isinstance(item, Stored):
                        continue
                    envelope = codec.envelope(item)
                    event = envelope.event
                    if isinstance(event, CellCancelRequested) and envelope.cause == accepted.id:
                        cell = event.cell
                    elif isinstance(event, ENDINGS) and event.cell == (cell or command.cell):
                        return CellEnding(event.cell, event)
        except TimeoutError:
            pass
        return CellEnding(cell)
    finally:
        following.close()
