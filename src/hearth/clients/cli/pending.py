"""What waits for a person in all sessions, and which of it is meant."""

from __future__ import annotations

from hearth.clients.agents.asked_for import AskedFor
from hearth.clients.agents.visible import one_line
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.showing import ago
from hearth.clients.cli.troubles import REFUSED, Trouble, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from collections.abc import Sequence
    from typing import Any, Final

    from hearth.clients.cli.wire import Wire

HINT: Final = "`hearth approvals` shows what waits"
MOST_LOOKED_AT: Final = 20
"""Sessions, for what was answered in one that is not named."""
ANSWERS: Final = {
    "once": "allowed once",
    "session": "allowed for this session",
    "always": "allowed for always",
    "reject": "rejected",
}
"""What was answered, in words."""


class Pending:
    """Something that waits for a person, and where."""

    __slots__ = ("asked", "name", "raw", "root", "session")

    def __init__(self, row: dict[str, Any], wire: Wire | None = None) -> None:
        """With a `wire`, what is kept elsewhere because it is long is fetched."""
        self.raw = row
        self.session = str(row.get("session", ""))
        self.name = str(row.get("name") or "")
        self.root = str(row.get("root") or "")
        fetch = None if wire is None else lambda digest: fetched(wire, digest)
        self.asked = AskedFor(row.get("approval") or {}, fetch=fetch)

    @property
    def which(self) -> str:
        """What it is called among all: `session-a1b2c3/a3`."""
        return f"{self.session}/{self.asked.approval}"

    @property
    def is_of(self) -> str:
        """The session that asks, for people."""
        return f"{one_line(self.name)} ({self.session})" if self.name else self.session


def pending(wire: Wire, session: str | None = None) -> list[Pending]:
    """All that waits, the oldest first; of one session if it is named. Trouble."""
    rows = wire.get("/views/approvals")["value"].get("rows", ())
    if session is not None:
        found = str(wire.get(f"/sessions/{quoted(session)}")["value"]["session"])
        rows = [row for row in rows if row.get("session") == found]
    return [Pending(row, wire) for row in rows]


def fetched(wire: Wire, digest: str) -> str:
    """A text that was too large for an event. Trouble."""
    answer = wire.ask(Request("GET", f"/blobs/{quoted(digest)}"))
    if answer.status != 200:
        raise answer.trouble()
    return answer.body.decode("utf-8", "replace")


def is_which(word: str) -> bool:
    """Whether this names an approval: `a3`, or `shop/a3`."""
    number = word.rpartition("/")[2]
    return number[:1] == "a" and number[1:].isascii() and number[1:].isdecimal()


def meant(wire: Wire, rows: Sequence[Pending], which: str) -> Pending:
    """The one that is meant; without a name, the only one. Trouble."""
    if not which:
        return _only(rows)
    session, _, name = which.rpartition("/")
    called = [row for row in rows if row.asked.approval == name]
    found = _in_session(called, session) if session else called
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(row.which for row in found)
        raise wrong_usage(f"several sessions ask for {name}", f"say which: {names}")
    raise _gone(wire, session, name, rows)


def answered(wire: Wire, session: str, name: str) -> str:
    """How it was answered, and by whom, in a sentence; empty if nothing is known of it."""
    answer = wire.ask(Request("GET", f"/sessions/{quoted(session)}/views/permissions"))
    decided = answer.json()["value"].get("decided", ()) if answer.status == 200 else ()
    for one in reversed(decided):
        if one.get("approval") == name:
            who = one_line(str((one.get("by") or {}).get("name") or "somebody"))
            said = ANSWERS.get(str(one.get("answer")), str(one.get("answer")))
            because = f", with {one['because']}" if one.get("because") else ""
            return f"{name} was {said} already, by {who}, {ago(one.get('at'))}{because}"
    return ""


def _only(rows: Sequence[Pending]) -> Pending:
    if not rows:
        raise Trouble("nothing waits for a person", code="not_waiting", ending=REFUSED)
    if len(rows) > 1:
        names = ", ".join(row.which for row in rows)
        raise wrong_usage(f"{len(rows)} things wait for a person", f"say which: {names}")
    return rows[0]


def _in_session(rows: Sequence[Pending], session: str) -> list[Pending]:
    exact = [row for row in rows if session in {row.session, row.name}]
    return exact or [
        row for row in rows if row.session.startswith(session) or row.name.startswith(session)
    ]


def _gone(wire: Wire, session: str, name: str, rows: Sequence[Pending]) -> Trouble:
    """It does not wait: it was answered, or never asked."""
    asked_in = [session] if session else _sessions(wire, rows)
    known = [(one, said) for one in asked_in if (said := answered(wire, one, name))]
    hint = HINT
    if len(known) == 1:
        said = known[0][1] if session else f"{known[0][0]}/{known[0][1]}"
    else:
        said = f"{name} does not wait for an answer"
        if known:
            hint = f"say which was meant: {', '.join(f'{one}/{name}' for one, _ in known)}"
    return Trouble(said, hint=hint, code="not_waiting", ending=REFUSED)


def _sessions(wire: Wire, rows: Sequence[Pending]) -> list[str]:
    """Those in which something may have been asked: where something is, and those that live."""
    live = wire.get("/sessions")["value"].get("rows", ())
    names = [str(one.get("session")) for one in live if not one.get("stopped")]
    return list(dict.fromkeys([*(row.session for row in rows), *names]))[:MOST_LOOKED_AT]
