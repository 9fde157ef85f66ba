"""Which session to attach to: the named one, the directory's, or the one that is picked."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from hearth.api import Viewed
from hearth.clients.repl.host import Host
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal
from hearth.resolving import holds, is_usable, named


class Wanted(NamedTuple):
    """What the command line was told."""

    session: str | None
    directory: str
    bare: bool = False
    trust: bool = False
    plain: bool = False


class Beginning(Host, Protocol):
    """A host that begins sessions."""

    async def begin(self, directory: str, *, bare: bool) -> SessionId | Refusal:
        """The live session of this directory, or a new one that may still be warming up."""


class Picked(NamedTuple):
    """What somebody picked: a session, or None for a new one."""

    session: SessionId | None


Pick = Callable[[Sequence[SessionRow]], Awaitable[Picked | None]]


async def choose(host: Beginning, wanted: Wanted, pick: Pick | None) -> SessionId | Refusal | None:
    """The session that is meant.

    Where several live, none of them in this directory, the person picks: one of them, or a new one
    here. None if they would rather leave.
    """
    if wanted.session is not None:
        return await named(host, wanted.session)
    if pick is not None and not wanted.bare:
        viewed = await host.view("sessions")
        if not isinstance(viewed, Viewed):
            return viewed
        rows = viewed.value.rows if isinstance(viewed.value, Sessions) else ()
        live = [row for row in rows if is_usable(row)]
        if len(live) > 1 and not any(holds(row, wanted.directory) for row in live):
            picked = await pick(live)
            if picked is None or picked.session is not None:
                return None if picked is None else picked.session
    return await host.begin(wanted.directory, bare=wanted.bare)


def picked_by(text: str, rows: Sequence[SessionRow]) -> Picked | str:
    """What somebody means by this, or a sentence that says what is wrong with it."""
    said = text.strip()
    if said.lower() in {"", "n", "new"}:
        return Picked(None)
    if said.isdecimal() and 1 <= int(said) <= len(rows):
        return Picked(rows[int(said) - 1].session)
    found = {row.session for row in rows if said in {row.session, row.name}}
    found = found or {
        row.session for row in rows if row.session.startswith(said) or row.name.startswith(said)
    }
    if len(found) == 1:
        return Picked(found.pop())
    return f"{said!r} is {'several of them' if found else 'none of them'}: say a number, or n"
