"""Carries out the commands that begin with a dot."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from hearth.clients.repl.commands import NotUnderstood, help_text, understood
from hearth.clients.repl.conversing import (
    Conversing,
    go_to,
    note,
    refuse,
    rows_of,
    say,
    submit,
    warn,
)
from hearth.clients.repl.directing import DIRECTED, branch_of
from hearth.clients.repl.listing import finding_lines, named, session_lines, variable_lines
from hearth.clients.repl.recalling import recalled, whole
from hearth.clients.repl.recalling_blocks import recalled_block
from hearth.clients.repl.rewinding import branch
from hearth.clients.repl.showing_deeds import show_deed
from hearth.clients.repl.writing import NEWEST
from hearth.core.views.transcript import Entry
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import BlockId, CellId, block_place
from hearth.core.vocabulary.refusals import Refused


async def act(talk: Conversing, text: str) -> bool:
    """Do what a line with a dot says; False if the person wants to leave."""
    said = understood(text)
    if isinstance(said, NotUnderstood):
        await warn(talk, said.what, said.hint)
        return True
    if said.verb == "quit":
        return False
    if said.verb in _ASKED:
        await submit(talk, _ASKED[said.verb](said.rest))
    else:
        await {**_SHOWN, **DIRECTED}[said.verb](talk, said.rest)
    return True


async def _help(talk: Conversing, _: str) -> None:
    await say(talk, help_text())


async def _sessions(talk: Conversing, _: str) -> None:
    rows = await rows_of(talk.around)
    if isinstance(rows, Refused):
        await refuse(talk, rows)
        return
    await say(talk, session_lines(rows, talk.attached.session, datetime.now(UTC)))


async def _switch(talk: Conversing, said: str) -> None:
    wanted = branch_of(said)
    if wanted is not None:
        await branch(talk, wanted, wanted.to)
    else:
        await go_to(talk, said)


async def _who(talk: Conversing, _: str) -> None:
    there = await talk.around.host.who(talk.attached.session)
    await say(talk, named(there) or "nobody else is here")


async def _variables(talk: Conversing, prefix: str) -> None:
    outcome = await talk.attached.outcome(c.ListVariables(prefix))
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
    elif isinstance(outcome.event, e.VariablesReturned):
        found = outcome.event
        await say(talk, variable_lines(found.variables, found.total, talk.width))
    else:
        await _unanswered(talk, outcome.event)


async def _check(talk: Conversing, said: str) -> None:
    code = said or talk.last_code
    if not code:
        await say(talk, "nothing was run yet: say .check CODE")
        return
    outcome = await talk.attached.outcome(c.CheckCode(code, full=True))
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
    elif isinstance(outcome.event, e.DiagnosticsChecked):
        await say(talk, finding_lines(outcome.event.diagnostics, talk.around.paint))
    else:
        await _unanswered(talk, outcome.event)


async def _show(talk: Conversing, said: str) -> None:
    if await show_deed(talk, said):
        return
    if said == NEWEST or block_place(BlockId(said))[1]:
        block = BlockId("" if said == NEWEST else said)
        pieces = await recalled_block(
            talk.around.host, talk.attached.session, block, talk.around.paint
        )
        if isinstance(pieces, Refused):
            await refuse(talk, pieces)
        else:
            await talk.around.screen.show(pieces)
        return
    cell = CellId(said)
    entry = await recalled(talk.around.host, talk.attached.session, cell)
    if isinstance(entry, Entry):
        pieces = await whole(talk.around.host, entry, talk.around.paint)
        await talk.around.screen.show(pieces)
    elif entry is None:
        await say(talk, f"there is no {cell} here; cells are called c1, c2 …, blocks b1, b2 …")
    else:
        await refuse(talk, entry)


async def _unanswered(talk: Conversing, event: e.Event) -> None:
    reason = event.reason if isinstance(event, e.QuestionAbandoned) else "no answer came"
    await note(talk, talk.around.paint.warning(f"not answered: {reason}"))


_ASKED: Final[Mapping[str, Callable[[str], c.Command]]] = {
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
