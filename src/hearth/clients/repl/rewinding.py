"""Takes files back: `.rewind … only-files`, and the offer after another branch was taken."""

import asyncio
from typing import Final

import msgspec

from hearth.clients.agents.diff_text import compared, files, none_kept
from hearth.clients.repl.commands import SCOPES
from hearth.clients.repl.consenting import AskingRewind
from hearth.clients.repl.conversing import Conversing, note, refuse, say
from hearth.clients.repl.styling import styled
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.refusals import Refused

SOON: Final = 5.0
"""Seconds that an offer is worth."""
UNDO: Final = "undo"
ONLY_FILES: Final = SCOPES[-1]
YES: Final = "yes"


async def rewind_files(talk: Conversing, to: str, *, is_sure: bool) -> None:
    """Show which files would go back, ask, and do it; to nothing: undo the last time."""
    outcome = await talk.attached.outcome(p.RewindFiles(to, preview=True))
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
    elif isinstance(outcome.event, d.FilesCompared):
        await _previewed(talk, outcome.event, to, is_sure=is_sure)
    # What failed is told like everything that happens.


async def _previewed(talk: Conversing, found: d.FilesCompared, to: str, *, is_sure: bool) -> None:
    when = f"at {to}" if to else "before the last rewind"
    count = len(found.changes) + found.left_out
    if to and not count and found.kept is None:
        await say(talk, none_kept(to))
        return
    if not count:
        await say(talk, f"the files are as they were {when}")
        return
    changes = [msgspec.to_builtins(one) for one in found.changes]
    shown = styled(compared(changes, found.left_out), talk.around.paint, "")
    await say(talk, f"{files(count)} would go back to what they were {when}\n{shown}")
    if is_sure:
        done = await talk.attached.outcome(p.RewindFiles(to))
        if isinstance(done, Refused):
            await refuse(talk, done)
        else:
            talk.around.has_failed |= not isinstance(done.event, d.FilesRewound)
    elif talk.may_ask:
        ways = dict.fromkeys(("y", YES), p.RewindFiles(to))
        asking = AskingRewind(to, f"Take {files(count)} back? [y/N] ", ways)
        talk.attached.consent.add(asking, first=True)
    else:
        again = f"{to} {ONLY_FILES}" if to else UNDO
        await note(talk, f"nothing was changed; .rewind {again} {YES} does it")


async def branch(talk: Conversing, command: p.SwitchBranch | p.EditMessage, at: str) -> None:
    """Go on from another block, and offer to take the files back with it.

    What is typed next waits for it: while files are compared, the session refuses some of it.
    """
    outcome = await talk.attached.outcome(command)
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
    elif isinstance(outcome.event, e.BranchSwitched):
        await offer(talk, at)


async def offer(talk: Conversing, at: str, how: str = "") -> None:
    """Say in one line that files were changed since a block, if that is so and soon known."""
    if not at or not talk.may_ask:
        return
    try:
        async with asyncio.timeout(SOON):
            outcome = await talk.attached.outcome(p.RewindFiles(at, preview=True))
    except TimeoutError:
        return  # a large project: whoever wants to know asks with .rewind
    if isinstance(outcome, Refused) or not isinstance(outcome.event, d.FilesCompared):
        return  # they cannot be compared now: then they cannot be taken back either
    count = len(outcome.event.changes) + outcome.event.left_out
    if count:
        when = f", {how}" if how else ""
        said = f"{files(count)} changed since {at}: .rewind {at} {ONLY_FILES} takes them back, too"
        await note(talk, talk.around.paint.dim(f"{said}{when}"))
