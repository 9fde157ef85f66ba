"""What waits for the agent, and what the agent waits for by itself."""

from datetime import timedelta
from typing import Final

from hearth.core.views.talk import Queued, Retry, Talk
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.origin import Actor
from hearth.core.vocabulary.prompting import CancelTurn, WithdrawMessage
from hearth.servers.dashboard.actions import command
from hearth.servers.dashboard.composing.standings import begin, name_of, short
from hearth.servers.dashboard.html import (
    Html,
    button,
    details,
    div,
    h2,
    li,
    ol,
    p,
    section,
    span,
    summary,
    time,
)

IN_SIGHT: Final = 3
"""Messages that are shown at once; the others are folded away."""
MOST: Final = 50
"""More are only counted."""
PREVIEW: Final = 300

_BADGES: Final = {
    Actor.PERSON: "badge badge-person",
    Actor.AGENT: "badge badge-agent",
    Actor.MCP_CLIENT: "badge badge-client",
    Actor.FILE_WATCHER: "badge badge-system",
    Actor.SYSTEM: "badge badge-system",
}


def queue(session: SessionId, talk: Talk) -> Html:
    """`section#queue`: hidden while nothing waits."""
    waiting = talk.queue[:MOST]
    return section(
        _retry(session, talk.retry) if talk.retry is not None else None,
        _messages(session, waiting, len(talk.queue)) if waiting else None,
        id_="queue",
        class_="queue",
        aria_label="Waiting",
        hidden=not waiting and talk.retry is None,
    )


def _messages(session: SessionId, waiting: tuple[Queued, ...], count: int) -> Html:
    said = "1 message waits" if count == 1 else f"{count} messages wait"
    seen, folded = waiting[:IN_SIGHT], waiting[IN_SIGHT:]
    rest = None
    if folded:
        rest = details(
            summary(f"{count - len(seen)} more"),
            ol((_message(session, one) for one in folded), role="list", class_="queue-list"),
            p(f"and {count - MOST} more that are not shown", class_="muted")
            if count > MOST
            else None,
            id_="queue-more",
            data_preserve_attr="open",
        )
    return div(
        h2(f"{said} for the agent", class_="queue-title"),
        ol((_message(session, one) for one in seen), role="list", class_="queue-list"),
        rest,
    )


def _message(session: SessionId, one: Queued) -> Html:
    text = short(begin(one.text), PREVIEW)
    return li(
        span(name_of(one.author), class_=_BADGES[one.author.actor]),
        span(text, class_="queue-text grow", dir="auto"),
        button(
            "Withdraw",
            type_="button",
            class_="btn btn-small",
            aria_label=f"Withdraw: {short(text, 60)}",
            **command(session, WithdrawMessage(one.message)),
        ),
        id_=f"q-{one.message}",
        class_="queue-item row",
    )


def _retry(session: SessionId, retry: Retry) -> Html:
    due = (retry.at + timedelta(seconds=retry.delay)).isoformat()
    why = short(retry.why)
    status = f" ({retry.status})" if retry.status is not None else ""
    return div(
        span("Asking the model again in ", class_="queue-retry"),
        time(datetime=due, data_until=due),
        span(
            f"attempt {retry.attempt}{status}" + (f", because {why}" if why else ""),
            class_="muted grow cut",
            title=why or None,
        ),
        button(
            "Stop the agent",
            type_="button",
            class_="btn btn-small",
            **command(session, CancelTurn()),
        ),
        class_="queue-item row",
    )
