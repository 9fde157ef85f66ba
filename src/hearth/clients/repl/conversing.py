"""What commands act upon, and how they answer."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

import msgspec

from hearth.api import Viewed
from hearth.clients.repl.attached import Attached, Surroundings
from hearth.clients.repl.failing import refused
from hearth.clients.repl.pieces import Words
from hearth.core.views.named import OF_ALL
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused, UnknownView

_View = TypeVar("_View", bound=msgspec.Struct)


class Conversing(Protocol):
    """What commands act upon."""

    around: Surroundings
    last_code: str
    may_ask: bool
    """Whether somebody is at the prompt who can be asked."""

    @property
    def width(self) -> int:
        """Columns of the terminal, as it is now."""

    @property
    def attached(self) -> Attached:
        """The session that is attached."""

    async def switch(self, session: SessionId) -> None:
        """Go on in another session."""

    async def find(self, said: str) -> SessionId | Refusal:
        """The session that somebody means."""


async def submit(talk: Conversing, command: c.Command) -> bool:
    """Ask the session for something, and say whether it was taken.

    What comes of it is told like everything that happens; a refusal is told here.
    """
    answer = await talk.attached.submit(command)
    if isinstance(answer, Refused):
        await refuse(talk, answer)
        return False
    return True


async def refuse(talk: Conversing, refusal: Refused) -> None:
    """Say why not, and what helps."""
    talk.around.has_failed = True
    await note(talk, refused(refusal, talk.around.paint))


async def warn(talk: Conversing, what: str, hint: str) -> None:
    """Say what is wrong with what was typed, and what would be right."""
    talk.around.has_failed = True
    await note(talk, f"{talk.around.paint.warning(what)}\n  {hint}")


async def say(talk: Conversing, text: str) -> None:
    """Show what somebody asked to see."""
    await talk.around.screen.show([Words(text)])


async def note(talk: Conversing, text: str) -> None:
    """Show something about what somebody asked for."""
    await talk.around.screen.note(text)


async def rows_of(around: Surroundings) -> Sequence[SessionRow] | Refusal:
    """All sessions."""
    viewed = await around.host.view("sessions")
    if not isinstance(viewed, Viewed):
        return viewed
    return viewed.value.rows if isinstance(viewed.value, Sessions) else ()


async def go_to(talk: Conversing, said: str) -> None:
    """Go on in the session that somebody means."""
    session = await talk.find(said)
    if isinstance(session, Refused):
        await refuse(talk, session)
    elif session == talk.attached.session:
        await say(talk, "you are there already")
    else:
        await talk.switch(session)


async def view_of(talk: Conversing, name: str, kind: type[_View]) -> _View | Refused:
    """A view of the session, or of all of them; a refusal if the daemon does not tell it."""
    session = None if name in OF_ALL else talk.attached.session
    viewed = await talk.around.host.view(name, session)
    if not isinstance(viewed, Viewed):
        return viewed
    if isinstance(viewed.value, kind):
        return viewed.value
    return UnknownView(why=f"the daemon does not tell the {name}", name=name)
