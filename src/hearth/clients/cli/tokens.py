"""`hearth token`: who is let in."""

from __future__ import annotations

from hearth.clients.cli import showing
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out, tell
from hearth.clients.cli.troubles import OK, wrong_usage
from hearth.clients.cli.wire import Wire

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.parsing import Asked

STANDINGS: Final = ("agent", "read-only")


def carry_out(asked: Asked) -> int:
    """Do it; the exit code."""
    what, name = asked.words[0], asked.words[1] if len(asked.words) > 1 else ""
    if bool(name) != (what in {"new", "remove"}):
        hint = f"write: hearth token {what} NAME" if not name else f"write: hearth token {what}"
        raise wrong_usage(f"`hearth token {what}` {'takes no' if name else 'needs a'} name", hint)
    if asked.has("standing") and what != "new":
        raise wrong_usage("--standing belongs to `hearth token new`", "leave it out")
    standing = asked.text("standing") or "agent"
    if standing not in STANDINGS:
        raise wrong_usage(
            f"a token cannot have the standing {standing!r}",
            f"one of: {', '.join(STANDINGS)}; a person's is made by hearth itself",
        )
    with reach() as wire:
        _do(wire, asked, name, standing)
    return OK


def _do(wire: Wire, asked: Asked, name: str, standing: str) -> None:
    as_json = asked.has("json")
    match asked.words[0]:
        case "list":
            _list(wire, as_json=as_json)
        case "new":
            _new(wire, name, standing, as_json=as_json)
        case "remove":
            wire.ask(Request("DELETE", f"/tokens/{quoted(name)}")).good()
            _say({"removed": name}, f"`{name}` is let in no more", as_json=as_json)
        case _:
            wire.ask(Request("POST", "/tokens/rotate")).good()
            _say(
                {"rotated": True},
                "you have a new token, in daemon.json; browsers must be let in anew: hearth open",
                as_json=as_json,
            )


def _list(wire: Wire, *, as_json: bool) -> None:
    rows = wire.get("/tokens").get("tokens", [])
    if as_json:
        emit({"tokens": rows})
        return
    lines = [
        [str(row.get("name", "")), str(row.get("standing", "")), showing.ago(row.get("createdAt"))]
        for row in rows
    ]
    if not lines:
        out("no tokens but your own; `hearth token new NAME` makes one for a program")
        return
    for line in showing.table(["NAME", "STANDING", "MADE"], lines, {}):
        out(line)


def _new(wire: Wire, name: str, standing: str, *, as_json: bool) -> None:
    made = wire.ask(Request("POST", "/tokens", {"name": name, "standing": standing})).good()
    if as_json:
        emit({"name": name, "standing": standing, "token": made["token"]})
        return
    out(str(made["token"]))
    tell(f"the token of `{name}` ({standing}); it is shown this once, keep it like a password")


def _say(value: dict[str, object], sentence: str, *, as_json: bool) -> None:
    if as_json:
        emit(value)
    else:
        out(sentence)
