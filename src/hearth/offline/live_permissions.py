"""What holds in a session at the moment: asked of the daemon, if one runs."""

from dataclasses import dataclass
from typing import Any

from hearth.clients.cli import reaching
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.troubles import Trouble as Unreached
from hearth.clients.cli.wire import Wire
from hearth.core.vocabulary.permitting import Grant
from hearth.offline.answering import Trouble


@dataclass(frozen=True)
class Live:
    """What people allowed in a session, and what was decided there."""

    session: str
    name: str
    grants: tuple[Grant, ...]
    """As long as the session lives."""
    decided: tuple[dict[str, Any], ...]
    """The oldest first, as the daemon tells them."""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        grants = [{"permission": one.permission, "pattern": one.pattern} for one in self.grants]
        return {"session": self.session, "name": self.name, "grants": grants}


def live_permissions(named: str | None, directory: str, *, is_needed: bool = False) -> Live | None:
    """Those of the named session, or of the live one of this directory; None if there is none.

    Trouble if one is named, or needed, and cannot be asked.
    """
    is_needed = is_needed or named is not None
    try:
        if not is_needed and reaching.find() is None:
            return None
        with reaching.reach() as wire:
            return _asked(wire, named, directory)
    except Unreached as trouble:
        if not is_needed:
            return None  # the rules are told all the same
        raise Trouble(trouble.code, trouble.message, trouble.hint, trouble.ending) from None


def _asked(wire: Wire, named: str | None, directory: str) -> Live | None:
    if named is not None:
        row = wire.get(f"/sessions/{quoted(named)}")["value"]
    else:
        found = _of_directory(wire.get("/sessions")["value"].get("rows", ()), directory)
        if found is None:
            return None
        row = found
    session = str(row["session"])
    answer = wire.ask(Request("GET", f"/sessions/{quoted(session)}/views/permissions"))
    value = answer.good()["value"]
    grants = tuple(
        Grant(str(one.get("permission", "")), str(one.get("pattern", "")))
        for one in value.get("grants") or ()
    )
    return Live(session, str(row.get("name") or ""), grants, tuple(value.get("decided") or ()))


def _of_directory(rows: list[dict[str, Any]], directory: str) -> dict[str, Any] | None:
    """The live session whose project this directory belongs to; of several the nearest."""
    near = [
        row
        for row in rows
        if not (row.get("stopped") or row.get("trouble") or row.get("mode") == "bare")
        and _is_below(directory, row)
    ]
    return max(near, key=lambda row: len(_root(row)), default=None)


def _root(row: dict[str, Any]) -> str:
    return str(row.get("root") or row.get("directory") or "").rstrip("/")


def _is_below(directory: str, row: dict[str, Any]) -> bool:
    root = _root(row)
    return bool(root) and (directory == root or directory.startswith(f"{root}/"))
