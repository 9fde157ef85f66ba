"""The conversation that is meant: found, continued or begun."""

from __future__ import annotations

from hearth.clients.cli import choosing, continuing
from hearth.clients.cli.conversation_list import holds, mode_of, talks
from hearth.clients.cli.messages import Request, fresh_key, quoted
from hearth.clients.cli.showing import clean, tell
from hearth.clients.cli.troubles import Trouble, unreachable, wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from hearth.clients.cli.conversation_list import Row
    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire


class Chosen:
    """The session to speak in, and a place in the log before everything that will be said."""

    __slots__ = ("cursor", "session", "words")

    def __init__(self, session: str, cursor: int, words: list[str]) -> None:
        self.session = session
        self.cursor = cursor
        self.words = words
        """What is to be said there: without a word that named the session."""


def check(asked: Asked) -> None:
    """Trouble if the flags say two things."""
    choosing.check(asked)
    ways = [one for one in ("session", "continue", "new") if asked.has(one)]
    if len(ways) > 1:
        raise wrong_usage(f"--{ways[0]} and --{ways[1]} say two things", "choose one of them")
    if asked.has("new") and asked.has("fork"):
        raise wrong_usage("--new and --fork say two things", "a fork is a new session already")


def choose(wire: Wire, asked: Asked, *, is_piped: bool) -> Chosen:
    """The session that is meant, live; begun if there is none. Trouble.

    What a person would not expect (it goes on with something older, there was none) is told.
    """
    answer = wire.get("/sessions")
    rows, cursor = list(answer["value"].get("rows", ())), int(answer["seq"])
    which, words = continuing.named(asked, rows, is_piped=is_piped)
    found = _named(wire, asked) if asked.has("session") else _of_folder(wire, asked, rows, which)
    if asked.has("fork"):
        return Chosen(_forked(wire, asked, found), cursor, words)
    return Chosen(found, cursor, words)


def live_at(rows: list[Row], directory: str, mode: str = "project") -> Row | None:
    """The session that works in this directory now: the nearest, of several the last used.

    As the daemon chooses, never a fork.
    """
    near = [
        row
        for row in rows
        if not row.get("stopped")
        and not row.get("trouble")
        and not row.get("forked_from")
        and row.get("state") in choosing.USABLE
        and holds(row, directory, mode)
    ]
    return max(near, key=lambda row: len(row.get("root") or row["directory"]), default=None)


# -- which one is meant ---------------------------------------------------------------------------


def _of_folder(wire: Wire, asked: Asked, rows: list[Row], which: str) -> str:
    body = choosing.trusted(wire, asked)
    directory, mode = str(body["directory"]), mode_of(asked)
    if asked.has("new"):
        return choosing.prepared(wire, body)
    if asked.has("continue"):
        found = continuing.continued(wire, asked, rows, which)
        if found is not None:
            continuing.say(found)
            return _up(wire, found)
        tell("note: there is no conversation here to continue; a new one begins")
        return choosing.prepared(wire, {**body, "reuse": True})
    live = live_at(rows, directory, mode)
    if live is not None:
        return str(live["session"])
    earlier = talks(rows, directory) if mode == "project" else []
    if earlier and _resumes(wire, directory):
        continuing.say(earlier[0])
        return _up(wire, earlier[0])
    return choosing.prepared(wire, {**body, "reuse": True})


def _named(wire: Wire, asked: Asked) -> str:
    """The session of this id, name or beginning; one of this name is begun if there is none."""
    named = asked.text("session") or ""
    answer = wire.ask(Request("GET", f"/sessions/{quoted(named)}"))
    if answer.status == 404 and answer.trouble().code == "unknown_session":
        tell(f"note: there is no session {clean(named)}; a new one of this name begins")
        return choosing.prepared(wire, {"directory": choosing.directory_of(asked), "name": named})
    return _up(wire, answer.good()["value"])


def _up(wire: Wire, row: Row) -> str:
    """Its id; an interpreter that was stopped is begun anew, as the tools of the agent need it."""
    session = str(row["session"])
    if row.get("stopped"):
        wait = choosing.WARM_UP
        command = {"type": "hard_reset_session"}
        path = f"/sessions/{quoted(session)}/commands"
        answer = wire.ask(Request("POST", path, command, wait=wait, key=fresh_key()), wait)
        if answer.status == 202:
            raise unreachable(f"the session is not warm after {wait:g} s", code="timeout")
        answer.good()
    return session


def _forked(wire: Wire, asked: Asked, source: str) -> str:
    """A new session that goes on from another, with what its interpreter holds. Trouble."""
    # Only who says so pays for it.
    from hearth.clients.cli.forking import HOW, forked  # noqa: PLC0415 - as the comment says

    block = asked.text("fork") or ""
    event = forked(wire, source, block=block)
    session, how = str(event["to"]), str(event.get("how") or "")
    at = f" at {block}" if block else ""
    called = f" ({clean(str(event['name']))})" if event.get("name") else ""
    tell(f"{session}{called} branches off from {source}{at}: {HOW.get(how, how)}")
    if event.get("notice"):
        tell(f"note: {clean(str(event['notice']))}")
    return session


def _resumes(wire: Wire, directory: str) -> bool:
    """Whether a conversation goes on where the last one stopped, without being told to."""
    try:
        shown = wire.get(f"/config?directory={quoted(directory)}")
    except Trouble:
        return (
            False  # settings that cannot be read say nothing; `hearth config` tells what is wrong
        )
    return shown.get("values", {}).get("session.autoResume") is True
