"""Takes files back with a conversation: `.rewind`, and the offer after another branch was taken."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import msgspec

from hearth.clients.agents.diff_text import compared, files
from hearth.clients.repl.consenting import AskingRewind
from hearth.clients.repl.conversing import Conversing, note, refuse, say, submit, warn
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.styling import styled
from hearth.core.vocabulary import deeds as d
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.ids import BlockId, block_place
from hearth.core.vocabulary.refusals import Refused

SOON: Final = 5.0
"""Seconds that an offer is worth."""
UNDO: Final = "undo"
YES: Final = "yes"


async def _rewind(talk: Conversing, said: str) -> None:
    """Show what would go back, ask, and do it; `yes` behind it does not ask."""
    words = said.split()
    is_sure = bool(words) and words[-1] == YES
    if is_sure:
        del words[-1]
    block = words[0] if words else talk.attached.now.talk.shown.prompt
    to = "" if block == UNDO else str(block)
    if len(words) > 1 or (to and not block_place(BlockId(to))[1]):
        await warn(talk, f"{clean(said, colour=False)} is no block", "say .rewind b17, or undo")
        return
    if not to and block != UNDO:
        await say(talk, "nothing was said yet: there is nothing to go back to")
        return
    outcome = await talk.attached.outcome(p.RewindFiles(to, preview=True))
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
    elif isinstance(outcome.event, d.FilesCompared):
        await _previewed(talk, outcome.event, to, is_sure=is_sure)
    # What failed is told like everything that happens.


async def _previewed(talk: Conversing, found: d.FilesCompared, to: str, *, is_sure: bool) -> None:
    when = f"at {to}" if to else "before the last rewind"
    count = len(found.changes) + found.left_out
    if not count:
        await say(talk, f"the files are as they were {when}")
        return
    changes = [msgspec.to_builtins(one) for one in found.changes]
    shown = styled(compared(changes, found.left_out), talk.around.paint, "")
    await say(talk, f"{files(count)} would go back to what they were {when}\n{shown}")
    if is_sure:
        await submit(talk, p.RewindFiles(to))
    elif talk.may_ask:
        asking = AskingRewind(to, f"Take {files(count)} back? [y/N] ")
        talk.attached.consent.add(asking, first=True)
    else:
        await note(talk, f"nothing was changed; .rewind {to or UNDO} {YES} does it")


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
        said = f"{files(count)} changed since {at}: .rewind {at} takes them back, too{when}"
        await note(talk, talk.around.paint.dim(said))


REWINDS: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {"rewind": _rewind}
