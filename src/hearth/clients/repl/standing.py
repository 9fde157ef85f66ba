"""The toolbar under the prompt: which session, what it does, who else is here."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from hearth.clients.repl.host import Present
from hearth.clients.repl.listing import STATES
from hearth.clients.repl.now import Now, RunningTurn
from hearth.clients.repl.painting import Paint, name_of, seconds
from hearth.clients.repl.sanitising import clean
from hearth.core.vocabulary.phases import PhaseName


class Standing(NamedTuple):
    """Everything that the toolbar shows."""

    now: Now | None = None
    """None until the daemon has answered."""
    doing: str = ""
    others: Sequence[Present] = ()
    is_reachable: bool = True
    is_mine: bool = False
    """Whether the running cell came from here."""
    is_my_turn: bool = False
    """Whether the agent's turn was begun from here."""
    sent: int = 0
    """Entries that were typed before anybody could take them."""


def toolbar(standing: Standing, at: datetime, paint: Paint) -> str:
    """One line, the most important first: a narrow terminal cuts off the rest."""
    now = standing.now
    if now is None:
        waits = f"{paint.dot}{standing.sent} waiting" if standing.sent else ""
        return f"connecting {paint.more} you can type already{waits}"
    parts = [clean(now.name, colour=False) or now.session, _state(standing, at)]
    if now.talk.queue:
        parts.append(f"{len(now.talk.queue)} queued")
    waiting = len(now.waiting) + now.more_waiting
    if waiting:
        parts.append(f"{waiting} waiting")
    if now.stale:
        parts.append(f"{now.stale} stale")
    if standing.others:
        names = [clean(one.name or one.kind, colour=False) for one in standing.others]
        parts.append(f"with {', '.join(dict.fromkeys(names))}")
    parts.append(".help")
    return paint.dot.join(part for part in parts if part)


def _state(standing: Standing, at: datetime) -> str:
    now = standing.now
    if now is None or not standing.is_reachable:
        return "the daemon is away"
    if now.turn is not None:
        return _turn(standing, now, now.turn, at)
    if now.running is not None:
        took = seconds(max(0.0, (at - now.running.since).total_seconds()))
        whose = "Ctrl-C stops it" if standing.is_mine else name_of(now.running.author)
        return f"{now.running.cell} runs {took} ({whose})"
    state = "stopped" if now.stopped else STATES[now.state]
    busy = now.state is PhaseName.WARMING_UP or standing.doing.startswith("replaying")
    return f"{state}: {standing.doing}" if standing.doing and busy else state


def _turn(standing: Standing, now: Now, turn: RunningTurn, at: datetime) -> str:
    """What the agent is at."""
    if now.talk.approvals:
        return f"{turn.turn} waits for you: .approve or .reject"
    since = turn.since
    took = f" {seconds(max(0.0, (at - since).total_seconds()))}" if since is not None else ""
    cell = f": {now.running.cell}" if now.running is not None else ""
    if turn.is_stopping:
        return f"{turn.turn} is stopping{cell}"
    if now.talk.retry is not None:
        return f"{turn.turn} asks again, attempt {now.talk.retry.attempt}"
    whose = "Ctrl-C stops it" if standing.is_my_turn else name_of(turn.author)
    step = f", step {now.talk.step + 1}" if now.talk.step else ""
    return f"{turn.turn} runs{took}{step}{cell} ({whose})"
