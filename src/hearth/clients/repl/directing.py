"""Carries out the commands about the agent. Each is a command of the session, or a look at it."""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from hearth.clients.repl.agent_listing import (
    branch_lines,
    info_lines,
    model_line,
    queue_lines,
    settable,
    usage_lines,
)
from hearth.clients.repl.answering import CONSENTS
from hearth.clients.repl.branching import BRANCHES
from hearth.clients.repl.commands import ALL, NONE, SERVERS, Said, is_command, understood
from hearth.clients.repl.conversing import (
    Conversing,
    go_to,
    refuse,
    rows_of,
    say,
    submit,
    view_of,
    warn,
)
from hearth.clients.repl.listing import columns
from hearth.clients.repl.pieces import Words
from hearth.clients.repl.returning import RETURNS
from hearth.clients.repl.rewinding import branch, offer
from hearth.clients.repl.turn_telling import TurnTeller
from hearth.clients.repl.undoing import LASTING, UNDOES, undo_lines
from hearth.core.views.branches import Branches
from hearth.core.views.conversation import Conversation
from hearth.core.views.sessions import SessionRow
from hearth.core.views.status import Status
from hearth.core.views.usage import Usage
from hearth.core.vocabulary import commands as c
from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.ids import (
    BlockId,
    CellId,
    MessageId,
    SessionId,
    TurnId,
    block_place,
)
from hearth.core.vocabulary.refusals import Refused

NEW: Final = "new"
SOME: Final = 40
"""Blocks of a conversation that are shown unless a number says otherwise."""
BLOCKS: Final = "blocks are called b1, b2 …: .conversation and .branches name them"

_TURN: Final = re.compile(r"t\d+")
_MESSAGE: Final = re.compile(r"m\d+")


async def _model(talk: Conversing, name: str) -> None:
    if name:
        await submit(talk, p.SetModel(model=name))
    else:
        await say(talk, f"the model is {model_line(talk.attached.now.talk)}")


async def _set(talk: Conversing, said: str) -> None:
    key, _, value = said.partition(" ")
    value = value.strip()
    known = settable(talk.attached.now.talk)
    if not key:
        await say(talk, columns(list(known.values())))
    elif key not in known:
        *most, last = (f".set {one}" for one in known)
        await warn(talk, f"there is no {key} to be set", f"say {', '.join(most)} or {last}")
    elif not value:
        await say(talk, columns([known[key]]))
    elif key == SERVERS:
        await submit(talk, p.SetServers(_servers(value)))
    elif key == "model":
        await submit(talk, p.SetModel(model=value))
    elif value not in set(p.Effort):
        await warn(talk, f"there is no effort {value}", f"say one of {', '.join(p.Effort)}")
    else:
        await submit(talk, p.SetModel(effort=p.Effort(value)))


def _servers(said: str) -> tuple[str, ...] | None:
    if said in {ALL, NONE}:
        return None if said == ALL else ()
    return tuple(dict.fromkeys(said.replace(",", " ").split()))


async def _info(talk: Conversing, _: str) -> None:
    said = await view_of(talk, "conversation", Conversation)
    used = await view_of(talk, "usage", Usage)
    now = talk.attached.now
    standing = said.now if isinstance(said, Conversation) else now.talk
    usage = used if isinstance(used, Usage) else None
    lines = info_lines(now, standing, usage, talk.around.paint)
    status = await view_of(talk, "status", Status)
    await say(talk, f"{lines}\n{undo_lines(status)}" if isinstance(status, Status) else lines)


async def _conversation(talk: Conversing, said: str) -> None:
    if said and not (said.isascii() and said.isdecimal() and int(said)):
        await warn(talk, f"{said} is no number of blocks", "say .conversation 10")
        return
    view = await view_of(talk, "conversation", Conversation)
    if isinstance(view, Refused):
        await refuse(talk, view)
        return
    most = int(said) if said else SOME
    newest = replace(view, rows=view.rows[-most:])
    teller = TurnTeller(talk.around.paint, lambda _: False)
    pieces = teller.retell(newest)
    if view.older or len(view.rows) > most:
        shown = f"the newest {len(newest.rows)} blocks; .conversation N shows more"
        pieces.insert(0, Words(talk.around.paint.dim(shown), is_aside=True))
    await talk.around.screen.show(pieces or [Words("nothing was said yet")])


async def _queue(talk: Conversing, _: str) -> None:
    view = await view_of(talk, "conversation", Conversation)
    if isinstance(view, Refused):
        await refuse(talk, view)
    else:
        await say(talk, queue_lines(view.now.queue, datetime.now(UTC)))


async def _branches(talk: Conversing, _: str) -> None:
    view = await view_of(talk, "branches", Branches)
    if isinstance(view, Refused):
        await refuse(talk, view)
    else:
        await say(talk, branch_lines(view, datetime.now(UTC)))


async def _usage(talk: Conversing, _: str) -> None:
    view = await view_of(talk, "usage", Usage)
    if isinstance(view, Refused):
        await refuse(talk, view)
    else:
        await say(talk, usage_lines(view, talk.around.paint))


async def _cancel(talk: Conversing, what: str) -> None:
    turn = talk.attached.now.turn
    command: c.Command = c.CancelCell(CellId(what) if what else None)
    if _TURN.fullmatch(what):
        command = p.CancelTurn(TurnId(what))
    elif _MESSAGE.fullmatch(what):
        command = p.WithdrawMessage(MessageId(what))
    elif not what and turn is not None:
        command = p.CancelTurn(turn.turn)
    await submit(talk, command)


async def _edit(talk: Conversing, said: str) -> None:
    edited = _edited(said)
    if edited is None:
        await warn(talk, f"{said.partition(' ')[0]} is no block", BLOCKS)
    else:
        await branch(talk, edited, edited.block)


async def _regenerate(talk: Conversing, model: str) -> None:
    # Before it: afterwards the agent works, and its files are not to be compared.
    await offer(talk, talk.attached.now.talk.shown.prompt, "`.cancel` first")
    await submit(talk, p.RegenerateTurn(model))


def _edited(said: str) -> p.EditMessage | None:
    block, _, text = said.partition(" ")
    return p.EditMessage(BlockId(block), text.strip()) if block_place(BlockId(block))[1] else None


def branch_of(said: str) -> p.SwitchBranch | None:
    """Where to go on from, if a block is named."""
    return p.SwitchBranch(BlockId(said)) if block_place(BlockId(said))[1] else None


async def _session(talk: Conversing, said: str) -> None:
    first, _, name = said.partition(" ")
    if not said:
        await say(talk, f"this is {talk.attached.session}; .session NAME goes to another one")
    elif first == NEW:
        await _begin(talk, name=name.strip())
    else:
        await go_to(talk, said)


async def _begin(talk: Conversing, *, name: str = "") -> None:
    """Begin a session like this one, and go on in it."""
    rows = await rows_of(talk.around)
    if isinstance(rows, Refused):
        await refuse(talk, rows)
        return
    here = next((row for row in rows if row.session == talk.attached.session), None)
    config = _config_like(here, talk.attached.now.directory)
    session = SessionId(f"session-{secrets.token_hex(3)}")
    command = c.CreateSession(replace(config, name=name))
    answer = await talk.around.host.submit(session, command, talk.around.origin)
    if isinstance(answer, Refused):
        await refuse(talk, answer)
    else:
        await talk.switch(session)


def _config_like(row: SessionRow | None, directory: str) -> c.SessionConfig:
    if row is None:
        return c.SessionConfig(directory=directory)
    return c.SessionConfig(directory=row.directory, projects=row.projects, mode=row.mode)


_TURNS: Final[Mapping[str, Callable[[str], p.Prompt]]] = {
    "continue": lambda _: p.ContinueTurn(),
    "regenerate": p.RegenerateTurn,
    "compress": p.CompactConversation,
}
"""The commands that begin a turn."""
_LASTING: Final[Mapping[str, Callable[[str], c.Command | None]]] = {
    **_TURNS,
    **LASTING,
    "edit": _edited,
    "switch": branch_of,
}


def lasting(text: str) -> c.Command | None:
    """What a line with a dot asks for that takes its time: a turn, another branch, a trial."""
    said = understood(text) if is_command(text) else None
    if isinstance(said, Said) and said.verb in _LASTING:
        return _LASTING[said.verb](said.rest)
    return None


def _asks(command: Callable[[str], c.Command]) -> Callable[[Conversing, str], Awaitable[None]]:
    async def ask(talk: Conversing, said: str) -> None:
        await submit(talk, command(said))

    return ask


DIRECTED: Final[Mapping[str, Callable[[Conversing, str], Awaitable[None]]]] = {
    "model": _model,
    "set": _set,
    "info": _info,
    "conversation": _conversation,
    **{verb: _asks(begins) for verb, begins in _TURNS.items()},
    "regenerate": _regenerate,
    **CONSENTS,
    **RETURNS,
    "cancel": _cancel,
    "queue": _queue,
    "unqueue": _asks(lambda message: p.WithdrawMessage(MessageId(message))),
    "branches": _branches,
    "edit": _edit,
    **BRANCHES,
    **UNDOES,
    "usage": _usage,
    "session": _session,
}
