"""How the session stands at this moment, carried on event by event: what the toolbar shows."""

from datetime import datetime
from typing import NamedTuple, TypeAlias

from hearth.core.views.conversation import Conversation
from hearth.core.views.status import Status
from hearth.core.views.talk import Talk, talk_on
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import turns as t
from hearth.core.vocabulary.blocks import Role
from hearth.core.vocabulary.envelope import Envelope
from hearth.core.vocabulary.ids import CellId, InputId, SessionId, TurnId
from hearth.core.vocabulary.origin import SYSTEM, Origin
from hearth.core.vocabulary.phases import PhaseName

Closer: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled


class Running(NamedTuple):
    """The cell that runs."""

    cell: CellId
    cause: InputId
    author: Origin
    since: datetime


class RunningTurn(NamedTuple):
    """The turn of the agent that runs."""

    turn: TurnId
    cause: InputId
    """Empty if it ran already when we came."""
    author: Origin
    since: datetime | None
    is_stopping: bool = False
    """Whether somebody asked it to stop."""


class Now(NamedTuple):
    """A session at a glance, as far as a prompt needs it."""

    session: SessionId
    name: str
    state: PhaseName
    directory: str = ""
    root: str = ""
    """Of its project; the directory, if it has none."""
    running: Running | None = None
    waiting: tuple[CellId, ...] = ()
    more_waiting: int = 0
    """Cells that waited already when we came."""
    stale: int = 0
    language: str = "python"
    stopped: bool = False
    ended: int = 0
    """Cells and warm-ups that ended since we came."""
    talk: Talk = Talk()
    """How the conversation with the agent stands."""
    turn: RunningTurn | None = None

    @property
    def epoch(self) -> tuple[str, int]:
        """Another one whenever the names of the session may be others."""
        return self.session, self.ended


def now_of(status: Status, said: Conversation | None = None) -> Now:
    """The beginning: a session as its status and its conversation tell it."""
    talk = said.now if said is not None else Talk()
    current = status.current
    running = (
        Running(current.cell, current.cause, current.origin, current.started_at)
        if current is not None
        else None
    )
    return Now(
        session=status.session,
        name=status.name,
        state=status.state,
        directory=status.directory,
        root=status.root or status.directory,
        running=running,
        more_waiting=status.waiting,
        stale=status.stale_events,
        language=status.language or "python",
        stopped=status.stopped,
        talk=talk,
        turn=_begun(said) if said is not None else None,
    )


def carry_on(now: Now, envelope: Envelope) -> Now:  # noqa: C901, PLR0911, PLR0912 - one case for each
    """The session after one more event."""
    event = envelope.event
    if isinstance(event, t.TurnEvent):
        talk = talk_on(now.talk, envelope.version, envelope)
        return now._replace(talk=talk, turn=_turned(now.turn, envelope))
    match event:
        case e.StateTransitioned():
            running = now.running if event.after is PhaseName.EVALUATING else None
            return now._replace(state=event.after, running=running)
        case e.CellStarted() | e.TrialStarted():
            running = Running(event.cell, envelope.cause, envelope.origin, envelope.at)
            return _without(now, event.cell)._replace(running=running)
        case e.CellQueued():
            return now._replace(waiting=(*now.waiting, event.cell))
        case e.CellWithdrawn():
            return _without(now, event.cell)
        case e.CellFinished() | e.CellFailed() | e.CellCancelled() | e.TrialEnded():
            return now._replace(running=None, ended=now.ended + 1)
        case e.CellsUndone() | e.CellsRedone() | e.VariantKept():
            return now._replace(ended=now.ended + 1)
        case e.SessionRenamed():
            return now._replace(name=event.name)
        case e.EnvironmentChanged():
            return now._replace(stale=event.stale)
        case e.SessionWarmUpCompleted() if event.surroundings is not None:
            found = event.surroundings
            return now._replace(
                language=found.language or now.language, name=now.name or found.name
            )
        case e.SessionStopped():
            return now._replace(stopped=True, running=None, waiting=(), more_waiting=0)
        case e.SessionWarmUpStarted():
            return now._replace(stopped=False, stale=0, ended=now.ended + 1)
        case _:
            return now


def _without(now: Now, cell: CellId) -> Now:
    """The queue without a cell that left it."""
    if cell in now.waiting:
        return now._replace(waiting=tuple(one for one in now.waiting if one != cell))
    return now._replace(more_waiting=max(0, now.more_waiting - 1)) if now.more_waiting else now


def _turned(turn: RunningTurn | None, envelope: Envelope) -> RunningTurn | None:
    """The turn that runs, after an event of the conversation."""
    match envelope.event:
        case t.TurnStarted(turn=name):
            return RunningTurn(name, envelope.cause, envelope.origin, envelope.at)
        case t.TurnCancelRequested() if turn is not None:
            return turn._replace(is_stopping=True)
        case t.TurnFinished():
            return None
        case _:
            return turn


def _begun(said: Conversation) -> RunningTurn | None:
    """The turn that ran when we came: whose it is says the message that began it."""
    if said.now.turn is None:
        return None
    rows = [row for row in said.rows if row.turn == said.now.turn]
    asked = next((row.author for row in rows if row.role is Role.USER), SYSTEM)
    since = rows[0].at if rows else None
    return RunningTurn(said.now.turn, InputId(""), asked, since)
