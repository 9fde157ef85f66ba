"""Has a session do something and waits for what comes of it; what helps is said as it is typed."""

from __future__ import annotations

from hearth.clients.agents.ways_out import AT_SHELL, ways_out
from hearth.clients.cli.choosing import live_session
from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.troubles import Trouble, unreachable, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

PATIENCE: Final = 600.0
"""Seconds: an interpreter may have to be built first."""
VERBS: Final = {
    "undo_code": "`hearth undo` takes cells back",
    "redo_code": "`hearth redo` brings them back",
    "try_code": "`hearth try` tries variants",
    "keep_variant": "`hearth keep N` keeps one of the variants, `hearth keep 0` none",
    "fork_session": "`hearth fork` begins another session",
    "stop_session": "`hearth stop-session` ends one",
    "hard_reset_session": "`hearth reset --hard` begins anew",
    "list_sessions": "`hearth sessions` lists them",
    "send_message": "`hearth ask` says something to the agent",
    "cancel_turn": "Ctrl-C in `hearth connect` stops the agent",
    "cancel_eval": "Ctrl-C in `hearth connect` stops the cell",
    "answer_approval": "`hearth approvals` shows what the agent waits for",
}
"""What can be done, by the names that refusals have for it."""


def session_named(wire: Wire, asked: Asked, word: str = "") -> str:
    """The id of the session of this name, else that of `--session` or of the directory. Trouble."""
    try:
        return _found(wire, asked, word)
    except Trouble as trouble:
        raise helped(trouble) from None


def _found(wire: Wire, asked: Asked, word: str) -> str:
    if not word:
        return live_session(wire, asked)
    if asked.has("session") or asked.has("proj"):
        flag = "session" if asked.has("session") else "proj"
        raise wrong_usage(f"{word} and --{flag} say two things", "choose one of them")
    return str(wire.get(f"/sessions/{quoted(word)}")["value"]["session"])


def outcome(
    wire: Wire, session: str, command: dict[str, Any], patience: float = PATIENCE
) -> dict[str, Any]:
    """The event that ended it. Trouble if it is refused, or takes too long."""
    path = f"/sessions/{quoted(session)}/commands"
    answer = wire.ask(Request("POST", path, command, wait=patience, key=fresh_key()))
    if answer.status == 202:
        raise unreachable(f"it is not done after {patience:g} s", code="timeout")
    if answer.status >= 400:
        raise helped(answer.trouble())
    event: dict[str, Any] = answer.good()["envelopes"][-1]["event"]
    return event


def helped(trouble: Trouble) -> Trouble:
    """The same, with all that would help, as it is said on the command line."""
    remedies = [str(one) for one in trouble.more.get("remedy") or ()]
    if remedies:
        trouble.hint = typed(remedies)
    return trouble


def typed(remedies: list[str]) -> str:
    """All that would help, as it is said on the command line."""
    said = [VERBS.get(one, one) for one in remedies if " " in one or one in VERBS]
    return "; ".join(ways_out(said, AT_SHELL))
