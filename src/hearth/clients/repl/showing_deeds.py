"""`.show a3` and `.show f57`: all of what an agent asks for, and all that became of files."""

import re
from typing import Final

from hearth.clients.agents.approval_text import described, headline
from hearth.clients.repl.consenting import asked_for
from hearth.clients.repl.conversing import Conversing, refuse, say, warn
from hearth.clients.repl.deed_noticing import CHANGES, diffs
from hearth.clients.repl.recalling import text_in_full
from hearth.clients.repl.recalling_blocks import event_at
from hearth.clients.repl.styling import styled
from hearth.core.vocabulary.deeds import FileChange, FilesChanged
from hearth.core.vocabulary.refusals import Refused

_APPROVAL: Final = re.compile(r"a\d+")
_CHANGES: Final = re.compile(rf"{CHANGES}(\d{{1,18}})")


async def show_deed(talk: Conversing, said: str) -> bool:
    """Show it, if it is named; False if something else is."""
    if _APPROVAL.fullmatch(said):
        await _approval(talk, said)
    elif found := _CHANGES.fullmatch(said):
        await _changes(talk, int(found[1]))
    else:
        return False
    return True


async def _approval(talk: Conversing, name: str) -> None:
    waiting = talk.attached.now.talk.approvals
    found = next((one for one in waiting if one.approval == name), None)
    if found is None:
        await warn(
            talk, f"{name} does not wait for an answer", ".permissions says what was decided"
        )
        return
    details = await text_in_full(talk.around.host, found.details)
    asked = asked_for(found)
    asked.details, asked.is_cut = details, False
    paint = talk.around.paint
    shown = styled(described(asked, is_whole=True), paint)
    await say(talk, f"{paint.warning(headline(asked))}\n{shown}")


async def _changes(talk: Conversing, version: int) -> None:
    host, session = talk.around.host, talk.attached.session
    viewed = await host.view("status", session)
    if isinstance(viewed, Refused):
        await refuse(talk, viewed)
        return
    found = await event_at(host, session, version, viewed.seq)
    if found is None or not isinstance(found.event, FilesChanged):
        await warn(talk, f"no files were changed at {CHANGES}{version}", "their diffs name them")
        return
    whole = tuple([await _whole(talk, one) for one in found.event.changes])
    event = FilesChanged(found.event.turn, found.event.call, whole)
    root = talk.attached.now.root
    await say(talk, diffs(event, version, talk.around.paint, root, is_whole=True))


async def _whole(talk: Conversing, change: FileChange) -> FileChange:
    diff = await text_in_full(talk.around.host, change.diff)
    return FileChange(
        change.path,
        change.kind,
        change.before,
        change.after,
        diff,
        change.added,
        change.removed,
    )
