"""`hearth rewind`: the files of a project become what they were when something was said."""

from __future__ import annotations

from hearth.clients.agents.diff_text import compared, files, none_kept
from hearth.clients.cli.approving import agrees
from hearth.clients.cli.choosing import live_session
from hearth.clients.cli.commanding import helped
from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import clean, emit, out
from hearth.clients.cli.styled import styled
from hearth.clients.cli.troubles import FAILED, OK, Trouble, unreachable, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

PATIENCE: Final = 600.0
"""Seconds: a project may be large."""


def carry_out(asked: Asked) -> int:
    """Show what would change, ask, and do it; the exit code."""
    said = [f"--{one}" for one in ("undo", "back", "scope") if asked.has(one)]
    said = [*(["a block"] if asked.words and said != ["--scope"] else []), *said]
    if len(said) > 1:
        raise wrong_usage(f"{said[0]} and {said[1]} say two things", "choose one of them")
    if asked.has("scope") or asked.has("back"):
        # Only who says so pays for it.
        from hearth.clients.cli import returning  # noqa: PLC0415 - as the comment says

        scope = returning.scope_of(asked)
        with reach() as wire:
            session = live_session(wire, asked)
            to = "" if asked.has("back") else _block(wire, asked, session)
            return returning.go_back(wire, asked, session, to, scope)
    with reach() as wire:
        session = live_session(wire, asked)
        to = "" if asked.has("undo") else _block(wire, asked, session)
        seen = _rewound(wire, session, to, preview=True)
        changes = list(seen.get("changes") or ())
        count = len(changes) + int(seen.get("left_out") or 0)
        is_done = False
        if not asked.has("json"):
            _show(seen, changes, to)
        if changes and not asked.has("preview"):
            if not (asked.has("yes") or agrees(f"Take {files(count)} back? [y/N] ")):
                if asked.has("json"):
                    emit(_told(session, to, seen, is_done=False))
                return FAILED
            seen = _rewound(wire, session, to, preview=False)
            is_done = True
    if asked.has("json"):
        emit(_told(session, to, seen, is_done=is_done))
    elif is_done:
        count = len(seen.get("changes") or ()) + int(seen.get("left_out") or 0)
        out(f"{files(count)} went back; `hearth rewind --undo` undoes it")
    return OK


def _block(wire: Wire, asked: Asked, session: str) -> str:
    """The block that is meant: the latest message of a person, unless one is named. Trouble."""
    if asked.words:
        return asked.words[0]
    said = wire.get(f"/sessions/{quoted(session)}/views/conversation")["value"]
    prompt = ((said.get("now") or {}).get("shown") or {}).get("prompt")
    if not prompt:
        raise Trouble(
            f"nothing was said in {session} yet",
            hint="name a session with --session",
            ending=FAILED,
        )
    return str(prompt)


def _rewound(wire: Wire, session: str, to: str, *, preview: bool) -> dict[str, Any]:
    """What it comes to. Trouble if it cannot be done."""
    command = {"type": "rewind_files", "to": to, "preview": preview}
    path = f"/sessions/{quoted(session)}/commands"
    answer = wire.ask(Request("POST", path, command, wait=PATIENCE, key=fresh_key()))
    if answer.status == 202:
        raise unreachable(f"the files are not back after {PATIENCE:g} s", code="timeout")
    if answer.status >= 400:
        raise helped(answer.trouble())
    event: dict[str, Any] = answer.good()["envelopes"][-1]["event"]
    if event.get("type") != "rewind_failed":
        return event
    changed = list(event.get("changes") or ())
    some = f"; {files(len(changed))} went back all the same" if changed else ""
    raise Trouble(
        f"the files stay as they are: {clean(str(event.get('why', '')))}{some}",
        code="rewind_failed",
        more={"changes": changed},
    )


def _show(seen: dict[str, Any], changes: list[dict[str, Any]], to: str) -> None:
    left_out = int(seen.get("left_out") or 0)
    were = "they were" if len(changes) + left_out > 1 else "it was"
    when = f"to what {were} {f'at {clean(to)}' if to else 'before the last rewind'}"
    if to and not changes and seen.get("kept") is None:
        out(none_kept(clean(to)))
        return
    if not changes:
        out(f"nothing was changed that would go back {when}")
        return
    out(f"{files(len(changes) + left_out)} would go back {when}:")
    for line in styled(compared(changes, left_out), indent=""):
        out(line)


def _told(session: str, to: str, seen: dict[str, Any], *, is_done: bool) -> dict[str, Any]:
    return {
        "session": session,
        "to": to,
        "rewound": is_done,
        "changes": list(seen.get("changes") or ()),
        "left_out": int(seen.get("left_out") or 0),
    }
