"""The variables of sessions, asked for once for all who look.

A question is written to the log, so it is put only when somebody looks and something ran since it
was last answered. Whoever looks meanwhile gets what was last known, with its time.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from hearth.api import Hearth, settle
from hearth.core.views.status import Status
from hearth.core.vocabulary.answers import Variable
from hearth.core.vocabulary.commands import ListVariables
from hearth.core.vocabulary.events import QuestionAbandoned, VariablesReturned
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.core.vocabulary.phases import Affordance
from hearth.core.vocabulary.refusals import Refused

PATIENCE: Final = 3.0
"""So long a panel waits for an answer."""
LONGEST: Final = 30.0
"""So long an answer is waited for at all; when it comes, panels are drawn anew."""
MOST_SESSIONS: Final = 64
"""Those looked at longest ago are forgotten."""
ASKER: Final = Origin(Actor.SYSTEM, "dashboard", Door.DASHBOARD)
"""Not the person: to look at a panel is not to use a session."""

Moment: TypeAlias = tuple[int, int, int, int, str, tuple[CellId, ...], int]
"""What an interpreter has run and taken back so far; while it is the same, so are the variables."""


class Listed(NamedTuple):
    """What an interpreter answered."""

    variables: tuple[Variable, ...]
    total: int
    at: datetime
    moment: Moment


class Known(NamedTuple):
    """What can be shown."""

    listed: Listed | None
    """None: nothing is known of this life of the interpreter."""
    is_current: bool
    """Nothing ran since it was answered."""
    is_asked: bool
    """An answer is waited for."""
    problem: str
    """Why there was no answer."""
    number: int
    """Of the newest question; asking `again` for it puts another one."""


@dataclass(slots=True)
class _Asked:
    """What is kept of one session."""

    moment: Moment | None = None
    asking: "asyncio.Task[None] | None" = None
    listed: Listed | None = None
    problem: str = ""
    number: int = 0


class Variables:
    """Keeps the newest answers, and asks for others when they are old."""

    def __init__(self, clock: Callable[[], datetime], patience: float = PATIENCE) -> None:
        self._clock = clock
        self._patience = patience
        self._sessions: dict[SessionId, _Asked] = {}

    async def look(self, hearth: Hearth, status: Status, again: str = "") -> Known:
        """The variables of a session that stands like this.

        `again`: the number of a question that was not answered, to put it once more.
        """
        asked = self._of(status.session)
        moment = moment_of(status)
        is_due = asked.moment != moment or (bool(asked.problem) and again == str(asked.number))
        is_possible = Affordance.LIST_VARIABLES in status.available
        if is_due and is_possible and not _is_open(asked):
            asked.moment, asked.problem = moment, ""
            asked.number += 1
            asked.asking = asyncio.create_task(self._ask(hearth, status.session, asked, moment))
        if asked.asking is not None and _is_open(asked):
            await asyncio.wait({asked.asking}, timeout=self._patience)
        listed = asked.listed
        if listed is not None and listed.moment[0] != moment[0]:
            listed = None  # they were those of an interpreter that is gone
        is_current = listed is not None and listed.moment == moment
        return Known(listed, is_current, _is_open(asked), asked.problem, asked.number)

    async def _ask(self, hearth: Hearth, session: SessionId, asked: _Asked, moment: Moment) -> None:
        try:
            async with asyncio.timeout(LONGEST):
                settled = await settle(hearth, session, ListVariables(), ASKER)
        except TimeoutError:
            asked.problem = f"the interpreter did not answer within {LONGEST:g} s"
            return
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to who looks
            asked.problem = f"it could not be asked: {error}"
            return
        if isinstance(settled, Refused):
            asked.problem = settled.why
            return
        event = settled.outcome.event
        if isinstance(event, VariablesReturned):
            asked.listed = Listed(event.variables, event.total, self._clock(), moment)
        else:
            is_told = isinstance(event, QuestionAbandoned) and event.reason
            asked.problem = str(is_told or "it was not answered")

    def _of(self, session: SessionId) -> _Asked:
        """What is kept of a session, as the one that was looked at last."""
        asked = self._sessions.pop(session, None) or _Asked()
        self._sessions[session] = asked
        while len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return asked


def moment_of(status: Status) -> Moment:
    """What its interpreter has run and taken back so far."""
    return (
        status.generation,
        status.evals,
        status.errors,
        status.cancelled,
        status.fingerprint,
        status.kept.cells,
        status.redo,
    )


def _is_open(asked: _Asked) -> bool:
    return asked.asking is not None and not asked.asking.done()
