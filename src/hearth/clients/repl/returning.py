"""Goes back to when something was said: `.rewind`, with a look at what that changes first."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple

import msgspec

from hearth.clients.agents.return_text import previewed, would_change
from hearth.clients.repl.commands import ALL, SCOPES
from hearth.clients.repl.consenting import AskingRewind
from hearth.clients.repl.conversing import Conversing, note, refuse, say, warn
from hearth.clients.repl.rewinding import ONLY_FILES, UNDO, YES, rewind_files
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.styling import styled
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.ids import BlockId, block_place
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import RewindScope

BACK: Final = "back"
"""Takes the last return back."""
WHOLE: Final = RewindScope(interpreter=True, files=True)
_SCOPES: Final[Mapping[str, RewindScope]] = {
    "conversation": RewindScope(),
    "interpreter": RewindScope(interpreter=True),
    "files": RewindScope(files=True),
    ALL: WHOLE,
}
USAGE: Final = f"say .rewind b17, then {', '.join(SCOPES[:-1])} or {SCOPES[-1]}; or .rewind {BACK}"
CHOICES: Final = "c: conversation alone, i: with interpreter, f: with files, a: all, o: only files"
ASKS: Final = "Go back? [c/i/f/a/o, Enter: no] "


class Meant(NamedTuple):
    """What is to be gone back to."""

    to: str = ""
    """A block; empty: what it was before the last time."""
    what: str = ""
    """One of the scopes; empty: whoever sees what each changes chooses."""
    is_sure: bool = False


def meant(said: str, latest: str) -> Meant | None:
    """What was said behind `.rewind`: a block, what goes back, `yes`; None if it makes no sense.

    `latest` is what is meant if no block is named.
    """
    words = said.split()
    is_sure = bool(words) and words[-1] == YES
    if is_sure:
        del words[-1]
    if words in ([BACK], [UNDO]):
        return Meant("", words[0], is_sure)
    what = words.pop() if words and words[-1] in SCOPES else ""
    block = words.pop(0) if words else latest
    if words or (block and not block_place(BlockId(block))[1]):
        return None
    return Meant(block, what, is_sure)


async def _rewind(talk: Conversing, said: str) -> None:
    """Show what would change, ask, and do it; `yes` behind it does not ask."""
    wanted = meant(said, talk.attached.now.talk.shown.prompt)
    if wanted is None:
        await warn(talk, f"{clean(said, colour=False)} is nothing to go back to", USAGE)
    elif wanted.what == UNDO:
        await rewind_files(talk, "", is_sure=wanted.is_sure)
    elif not wanted.to and wanted.what != BACK:
        await say(talk, "nothing was said yet: there is nothing to go back to")
    elif wanted.what == ONLY_FILES:
        await rewind_files(talk, wanted.to, is_sure=wanted.is_sure)
    elif wanted.is_sure and not wanted.what:
        await warn(talk, "yes to what", f"say .rewind {wanted.to} {ALL} {YES}, or what else")
    else:
        await _look(talk, wanted)


async def _look(talk: Conversing, wanted: Meant) -> None:
    scope = RewindScope() if wanted.what == BACK else _SCOPES.get(wanted.what, WHOLE)
    command = c.ReturnTo(BlockId(wanted.to), scope, preview=True)
    outcome = await talk.attached.outcome(command)
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
        return
    if not isinstance(outcome.event, e.ReturnPreviewed):
        talk.around.has_failed = True
        return  # what failed is told like everything that happens
    seen = msgspec.to_builtins(outcome.event)
    if wanted.to and not would_change(seen) and not outcome.event.problems:
        await say(talk, f"the session is as it was at {wanted.to}")
        return
    where = f"at {wanted.to}" if wanted.to else "before the last time it went back"
    shown = styled(previewed(seen, wanted.to), talk.around.paint)
    await say(talk, f"the session would be what it was {where}\n{shown}")
    await _offer(talk, wanted, scope)


async def _offer(talk: Conversing, wanted: Meant, scope: RewindScope) -> None:
    """Have it done, or ask whether it is to be, and what."""
    if wanted.is_sure:
        await _go_back(talk, c.ReturnTo(BlockId(wanted.to), scope))
    elif not talk.may_ask:
        again = " ".join(one for one in (wanted.to, wanted.what or ALL, YES) if one)
        others = "" if wanted.what else f"; or {', '.join(SCOPES[:-2])} or {ONLY_FILES} for {ALL}"
        await note(talk, f"nothing was changed; .rewind {again} does it{others}")
    elif wanted.what:
        ways = dict.fromkeys(("y", YES), c.ReturnTo(BlockId(wanted.to), scope))
        asking = AskingRewind(wanted.to, "Go back? [y/N] ", ways)
        talk.attached.consent.add(asking, first=True)
    else:
        await note(talk, CHOICES)
        asking = AskingRewind(wanted.to, ASKS, _ways(wanted.to))
        talk.attached.consent.add(asking, first=True)


async def _go_back(talk: Conversing, command: c.ReturnTo) -> None:
    """Have it done before what is typed next: a cell would run in what is being replaced."""
    outcome = await talk.attached.outcome(command)
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
    elif not isinstance(outcome.event, e.SessionReturned) or outcome.event.problems:
        talk.around.has_failed = True


def _ways(to: str) -> dict[str, c.Command]:
    """By the first letter of each scope, and by the whole word."""
    commands: dict[str, c.Command] = {
        name: c.ReturnTo(BlockId(to), scope) for name, scope in _SCOPES.items()
    }
    commands[ONLY_FILES] = p.RewindFiles(to)
    return {key: one for name, one in commands.items() for key in (name, name[0])}


RETURNS: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {"rewind": _rewind}
