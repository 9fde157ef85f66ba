"""Takes cells back, tries variants and keeps one: `.undo`, `.redo`, `.try`, `.keep`."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec

from hearth.clients.agents.undo_text import left
from hearth.clients.repl.commands import WHOSE
from hearth.clients.repl.conversing import Conversing, refuse, submit, warn
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.trial import DIVIDER, variants_of
from hearth.core.views.status import Status
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import UndoFor

MOST: Final = 1000
"""Cells that are taken back at once."""
MOST_VARIANTS: Final = 16
_WHOSE: Final[Mapping[str, UndoFor]] = {
    **{who.value: who for who in UndoFor},
    **dict(zip(WHOSE, (UndoFor.EVERYONE, UndoFor.AGENTS, UndoFor.NOBODY), strict=True)),
}
"""By what is said for it, and by its name everywhere else."""
_CELL: Final = re.compile(r"c[1-9][0-9]{0,17}")


def undo_of(said: str) -> c.UndoCells | c.ChooseUndo | None:
    """What `.undo` is told: nothing, a number, a cell, or whose cells can be taken back."""
    if not said:
        return c.UndoCells()
    if said in _WHOSE:
        return c.ChooseUndo(_WHOSE[said])
    if 1 <= _number(said) <= MOST:
        return c.UndoCells(_number(said))
    return c.UndoCells(cell=CellId(said)) if _CELL.fullmatch(said) else None


def trial_of(said: str) -> c.TryVariants | None:
    """The variants behind `.try`."""
    variants = variants_of(said)
    return c.TryVariants(variants) if 1 <= len(variants) <= MOST_VARIANTS else None


def keep_of(said: str) -> c.KeepVariant | None:
    """The variant that is to be kept; `none` is 0."""
    number = _number("0" if said == "none" else said)
    return c.KeepVariant(number) if 0 <= number <= MOST_VARIANTS else None


def _number(said: str) -> int:
    """The number that was written, -1 if it is none, or one that nobody means."""
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 9 else -1


def undo_lines(status: Status) -> str:
    """What can be taken back and brought back, what that takes, and what waits to be kept."""
    spoken = next(said for said in WHOSE if _WHOSE[said] is status.undo)
    said = f"undo      {spoken}; {left(msgspec.to_builtins(status.kept))}"
    if status.redo:
        said += "; .redo brings back what was taken back"
    if status.trial is not None:
        said += f"\ntrial     {status.trial.cell}: .keep N makes a variant the session"
    return said


async def _undo(talk: Conversing, said: str) -> None:
    command = undo_of(said)
    if command is None:
        what = clean(said, colour=False)
        hint = "say .undo, .undo 3, .undo c7, or .undo on, agents or off"
        await warn(talk, f"{what} cannot be taken back", hint)
    else:
        await _done(talk, command)


async def _redo(talk: Conversing, _: str) -> None:
    await _done(talk, c.RedoCells())


async def _try(talk: Conversing, said: str) -> None:
    command = trial_of(said)
    if command is not None:
        # Nobody waits for it: it may take long, and Ctrl-C stops it like any cell.
        await submit(talk, command)
    elif variants_of(said):
        await warn(talk, f"{MOST_VARIANTS} variants at most are tried at once", "try fewer")
    else:
        hint = f"say .try f(1) {DIVIDER} f(2), or .try and lines, with {DIVIDER} between variants"
        await warn(talk, "there is nothing to try", hint)


async def _keep(talk: Conversing, said: str) -> None:
    command = keep_of(said)
    if command is None:
        what = clean(said, colour=False)
        await warn(talk, f"{what} is no variant", "say .keep 2, or .keep 0 for none of them")
    else:
        await _done(talk, command)


async def _done(talk: Conversing, command: c.Command) -> None:
    """Have it done before what is typed next; what came of it is told as it happens."""
    outcome = await talk.attached.outcome(command)
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)


LASTING: Final[Mapping[str, Callable[[str], c.Command | None]]] = {
    "undo": undo_of,
    "redo": lambda _: c.RedoCells(),
    "try": trial_of,
    "keep": keep_of,
}
"""What a script waits for before its next line."""
UNDOES: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {
    "undo": _undo,
    "redo": _redo,
    "try": _try,
    "keep": _keep,
}
