"""What agents wait for a person to allow, in all sessions; then what was decided."""

from datetime import datetime
from typing import Final

from hearth.core.views.approvals import Approvals, Pending, Permissions
from hearth.servers.dashboard.html import EMPTY, Html, div, joined, li, ol
from hearth.servers.dashboard.panels import grants
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import badge, left_out, link, nothing, part, path, when
from hearth.servers.dashboard.rendering.approvals import approval_card
from hearth.servers.http.seeing import seen

MOST: Final = 30
"""Cards: each has much to say."""


async def show(looking: Looking, now: datetime) -> Html:
    """The inbox, the oldest first: whoever waits longest is answered first."""
    around = looking.around
    found, _ = await seen(around.hearth, "approvals", Approvals)
    decided = EMPTY
    if looking.session is not None:
        known, _ = await seen(around.hearth, "permissions", Permissions, looking.session)
        decided = grants.of_session(known, now)
    return joined(_inbox(found, now, looking), decided, await grants.lasting(around.agents, now))


def _inbox(found: Approvals, now: datetime, looking: Looking) -> Html:
    if not found.rows:
        return part("Waiting for you", nothing("Nothing waits for you."))
    shown = found.rows[:MOST]
    return part(
        "Waiting for you",
        ol([_row(one, now, looking) for one in shown], class_="p-inbox", role="list"),
        left_out(len(shown), len(found.rows), "question"),
        note=f"{len(found.rows)}, the oldest first",
    )


def _row(one: Pending, now: datetime, looking: Looking) -> Html:
    asked = one.approval
    here = badge("this session", "info") if one.session == looking.session else EMPTY
    return li(
        div(
            link(one.session, one.name),
            here,
            path(one.root, 120),
            when(asked.at, now) if asked.at is not None else EMPTY,
            class_="row p-asked-by",
        ),
        approval_card(one.session, asked),
    )
