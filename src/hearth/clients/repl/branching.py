"""Goes on in a copy of the session: `.branch` and `.fork`; `.tree` and `.compare` look around."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from hearth.api import settle
from hearth.clients.agents.differing_text import side_by_side
from hearth.clients.agents.tree_text import tree
from hearth.clients.agents.visible import one_line
from hearth.clients.repl.commands import WAYS
from hearth.clients.repl.conversing import Conversing, note, refuse, rows_of, say, warn
from hearth.clients.repl.painting import ago
from hearth.clients.repl.sanitising import clean
from hearth.clients.repl.styling import styled
from hearth.clients.repl.undo_noticing import FORKS
from hearth.core.views.differences import differing
from hearth.core.views.session_tree import branch_tree
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.ids import BlockId, SessionId, block_place
from hearth.core.vocabulary.refusals import Refused
from hearth.core.vocabulary.undoing import ForkHow

PATIENCE: Final = 30.0
"""Seconds within which a session lists its variables."""
_HOW: Final[Mapping[str, ForkHow]] = dict(
    zip(WAYS, (ForkHow.COPY, ForkHow.REPLAY, ForkHow.NEW), strict=True)
)
_ASCII: Final = str.maketrans("│├└─", "|+`-")
"""For terminals that cannot draw."""
USAGE: Final = "say .branch [NAME], .branch --replay [b17] [NAME] or .branch --new [NAME]"


class Wanted(NamedTuple):
    """What a branch is to be."""

    how: ForkHow | None = None
    block: str = ""
    name: str = ""


def wanted(said: str) -> Wanted | None:
    """What was said behind `.branch`: a way, a block, a name; None if it makes no sense."""
    hows: list[ForkHow] = []
    blocks: list[str] = []
    words: list[str] = []
    for word in said.split():
        if word.startswith("-"):
            if word not in _HOW:
                return None
            hows.append(_HOW[word])
        elif not words and block_place(BlockId(word))[1]:
            blocks.append(word)
        else:
            words.append(word)
    if len(hows) > 1 or len(blocks) > 1:
        return None
    return Wanted(hows[0] if hows else None, "".join(blocks), " ".join(words))


async def _branch(talk: Conversing, said: str) -> None:
    meant = wanted(said)
    if meant is None:
        await warn(talk, f"{clean(said, colour=False)} is no branch", USAGE)
    else:
        await _go_on(talk, meant)


async def _fork(talk: Conversing, said: str) -> None:
    meant = wanted(said)
    if meant is None or meant.name:
        hint = "blocks are called b1, b2 …: .conversation and .branches name them"
        await warn(talk, f"{clean(said, colour=False)} is no block", hint)
    else:
        await _go_on(talk, meant)


async def _go_on(talk: Conversing, meant: Wanted) -> None:
    """Begin the other session, say what it is, and go on in it."""
    here = talk.attached.now
    to = SessionId(f"session-{secrets.token_hex(3)}")
    if meant.how is ForkHow.REPLAY or (meant.how is None and meant.block):
        said = "its cells are run again, which takes as long as they did"
        await note(talk, talk.around.paint.dim(said))
    command = c.ForkSession(to, BlockId(meant.block), meant.how, meant.name)
    outcome = await talk.attached.outcome(command)
    if isinstance(outcome, Refused):
        await refuse(talk, outcome)
        return
    if not isinstance(outcome.event, e.SessionForked):
        talk.around.has_failed = True
        return  # why there is none is told as it happens
    back = f".switch {here.session} goes back"  # a copy may have the same name
    called = f" ({one_line(outcome.event.name)})" if outcome.event.name else ""
    await note(talk, f"{to}{called}: {FORKS[outcome.event.how]}; {back}")
    if outcome.event.notice:
        await note(talk, talk.around.paint.warning(one_line(outcome.event.notice)))
    await talk.switch(to)


async def _tree(talk: Conversing, _: str) -> None:
    rows = await rows_of(talk.around)
    if isinstance(rows, Refused):
        await refuse(talk, rows)
        return
    found = branch_tree(rows, talk.attached.session)
    now = datetime.now(UTC)
    ages = [ago(one.last_activity, now) for one in found.branches]
    branches = [msgspec.to_builtins(one) for one in found.branches]
    lines = tree(branches, ages, found.left_out)
    if not talk.around.paint.drawings:
        lines = [(style, text.translate(_ASCII)) for style, text in lines]
    hint = "" if len(branches) > 1 else "\nnothing branched off yet: .branch does"
    await say(talk, styled(lines, talk.around.paint, "") + hint)


async def _compare(talk: Conversing, said: str) -> None:
    other = await talk.find(said)
    if isinstance(other, Refused):
        await refuse(talk, other)
        return
    if other == talk.attached.session:
        await warn(talk, "that is this session", ".sessions and .tree name others")
        return
    here = await _variables(talk, talk.attached.session)
    there = await _variables(talk, other) if here is not None else None
    if here is None or there is None:
        return
    different = [msgspec.to_builtins(one) for one in differing(here.variables, there.variables)]
    lines = side_by_side(different, ("here", one_line(said)), talk.width)
    await say(talk, styled(lines, talk.around.paint, ""))
    if any(one.total > len(one.variables) for one in (here, there)):
        await note(talk, talk.around.paint.warning("there are too many variables to compare all"))


async def _variables(talk: Conversing, session: SessionId) -> e.VariablesReturned | None:
    """What a session holds; None if it does not tell, which is said."""
    event: e.Event | None = None
    try:
        async with asyncio.timeout(PATIENCE):
            found = await settle(talk.around.host, session, c.ListVariables(), talk.around.origin)
        if isinstance(found, Refused):
            await note(talk, talk.around.paint.warning(f"{session} cannot be compared"))
            await refuse(talk, found)
            return None
        event = found.outcome.event
    except TimeoutError:
        pass  # it is told below, like every other answer that is none
    if isinstance(event, e.VariablesReturned):
        return event
    await warn(talk, f"{session} did not tell its variables", "try again when it is ready")
    return None


BRANCHES: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {
    "branch": _branch,
    "fork": _fork,
    "tree": _tree,
    "compare": _compare,
}
