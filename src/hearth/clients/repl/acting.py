"""Carries out the commands that begin with a colon."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Protocol

from hearth.api import Viewed
from hearth.clients.repl.attached import Attached, Surroundings
from hearth.clients.repl.commands import NotUnderstood, help_text, understood
from hearth.clients.repl.failing import refused
from hearth.clients.repl.listing import finding_lines, named, session_lines, variable_lines
from hearth.clients.repl.pieces import Words
from hearth.clients.repl.recalling import recalled, whole
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.views.transcript import Entry
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.refusals import Refusal, Refused


class Conversing(Protocol):
    """What commands act upon."""

    around: Surroundings
    last_code: str
    width: int

    @property
    def attached(self) -> Attached:
        """The session that is attached."""

    async def switch(self, session: SessionId) -> None:
        """Go on in another session."""

    async def find(self, said: str) -> SessionId | Refusal:
        """The session that somebody means."""


async def act(talk: Conversing, text: str) -> bool:
    """Do what a line with a colon says; False if the person wants to leave."""
    said = understood(text)
    if isinstance(said, NotUnderstood):
        await _note(talk, f"{talk.around.paint.warning(said.what)}\n  {said.hint}")
        return True
    if said.verb == "quit":
        return False
    if said.verb in _ASKED:
        await _submit(talk, _ASKED[said.verb](said.rest))
    else:
        await _SHOWN[said.verb](talk, said.rest)
    return True


async def rows_of(around: Surroundings) -> Sequence[SessionRow] | Refusal:
    """All sessions."""
    viewed = await around.host.view("sessions")
    if not isinstance(viewed, Viewed):
        return viewed
    return viewed.value.rows if isinstance(viewed.value, Sessions) else ()


async def _help(talk: Conversing, _: str) -> None:
    await _say(talk, help_text())


async def _sessions(talk: Conversing, _: str) -> None:
    rows = await rows_of(talk.around)
    if isinstance(rows, Refused):
        await _refuse(talk, rows)
        return
    await _say(talk, session_lines(rows, talk.attached.session, datetime.now(UTC)))


async def _switch(talk: Conversing, said: str) -> None:
    session = await talk.find(said)
    if isinstance(session, Refused):
        await _refuse(talk, session)
    elif session == talk.attached.session:
        await _say(talk, "you are there already")
    else:
        await talk.switch(session)


async def _who(talk: Conversing, _: str) -> None:
    there = await talk.around.host.who(talk.attached.session)
    await _say(talk, named(there) or "nobody else is here")


async def _variables(talk: Conversing, prefix: str) -> None:
    outcome = await talk.attached.outcome(c.ListVariables(prefix))
    if isinstance(outcome, Refused):
        await _refuse(talk, outcome)
    elif isinstance(outcome.event, e.VariablesReturned):
        found = outcome.event
        await _say(talk, variable_lines(found.variables, found.total, talk.width))
    else:
        await _unanswered(talk, outcome.event)


async def _check(talk: Conversing, said: str) -> None:
    code = said or talk.last_code
    if not code:
        await _say(talk, "nothing was run yet: say :check CODE")
        return
    outcome = await talk.attached.outcome(c.CheckCode(code, full=True))
    if isinstance(outcome, Refused):
        await _refuse(talk, outcome)
    elif isinstance(outcome.event, e.DiagnosticsChecked):
        await _say(talk, finding_lines(outcome.event.diagnostics, talk.around.paint))
    else:
        await _unanswered(talk, outcome.event)


async def _show(talk: Conversing, said: str) -> None:
    cell = CellId(said)
    entry = await recalled(talk.around.host, talk.attached.session, cell)
    if isinstance(entry, Entry):
        pieces = await whole(talk.around.host, entry, talk.around.paint)
        await talk.around.screen.show(pieces)
    elif entry is None:
        await _say(talk, f"there is no cell {cell} in this session; cells are called c1, c2 …")
    else:
        await _refuse(talk, entry)


async def _submit(talk: Conversing, command: c.Command) -> None:
    answer = await talk.attached.submit(command)
    if isinstance(answer, Refused):
        await _refuse(talk, answer)


async def _unanswered(talk: Conversing, event: e.Event) -> None:
    reason = event.reason if isinstance(event, e.QuestionAbandoned) else "no answer came"
    await _note(talk, talk.around.paint.warning(f"not answered: {reason}"))


async def _refuse(talk: Conversing, refusal: Refused) -> None:
    await _note(talk, refused(refusal, talk.around.paint))


async def _say(talk: Conversing, text: str) -> None:
    """What somebody asked to see."""
    await talk.around.screen.show([Words(text)])


async def _note(talk: Conversing, text: str) -> None:
    await talk.around.screen.note(text)


_ASKED: Final[Mapping[str, Callable[[str], c.Command]]] = {
    "cancel": lambda cell: c.CancelCell(CellId(cell) if cell else None),
    "reset": lambda _: c.ResetSession(),
    "hard-reset": lambda _: c.HardResetSession(),
    "replay": lambda _: c.ReplaySession(),
    "rename": c.RenameSession,
    "stop": lambda _: c.StopSession(),
}
"""What is asked of the session; what comes of it is told like everything else that happens."""

_SHOWN: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {
    "help": _help,
    "sessions": _sessions,
    "switch": _switch,
    "who": _who,
    "vars": _variables,
    "check": _check,
    "show": _show,
}
"""What is looked up and shown here alone."""
