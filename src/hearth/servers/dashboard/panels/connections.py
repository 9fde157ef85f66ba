"""Who is connected: to this session, and to the daemon at all."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hearth.servers.dashboard.html import EMPTY, Html, joined
from hearth.servers.dashboard.panels.panel import Looking
from hearth.servers.dashboard.panels.parts import (
    MOST,
    Column,
    hint,
    left_out,
    part,
    rows_of,
    when,
)
from hearth.servers.dashboard.panels.wording import counted, one_line
from hearth.servers.http.streams.attendance import Kind, Present

_COLUMNS: Final = (
    Column("Who", "name"),
    Column("With", "words"),
    Column("Door", "words"),
    Column("Since", "num"),
)


async def show(looking: Looking, now: datetime) -> Html:
    """Everybody by name. A client that is with several sessions counts once."""
    attendance = looking.around.attendance
    here = EMPTY
    if looking.session is not None:
        here = _part("With this session", attendance.listed(looking.session), now)
    return joined(here, _part("With the daemon", attendance.listed(), now))


def _part(heading: str, present: Sequence[Present], now: datetime) -> Html:
    note = counted(len(present), "connection")
    if not present:
        return part(heading, hint("Nobody is connected."), note=note)
    rows = (
        (one_line(one.name, 80) or one.kind, str(one.kind), str(one.door), when(one.since, now))
        for one in present[:MOST]
    )
    return part(
        heading,
        hint(_kinds(present)),
        rows_of(heading, _COLUMNS, rows),
        left_out(MOST, len(present), "connection"),
        note=note,
    )


def _kinds(present: Sequence[Present]) -> str:
    """How many of each kind there are."""
    found = {kind: sum(one.kind is kind for one in present) for kind in Kind}
    names = {Kind.MCP: ("MCP client", "MCP clients")}
    return ", ".join(
        counted(number, *names.get(kind, (kind.value,))) for kind, number in found.items() if number
    )
