"""Which conversation `--continue` means: the latest, or that of a number, an id or a name."""

from __future__ import annotations

from hearth.clients.cli import choosing
from hearth.clients.cli.conversation_list import counted, listed, mode_of, preview, talks
from hearth.clients.cli.messages import Request, quoted
from hearth.clients.cli.showing import clean, tell
from hearth.clients.cli.troubles import wrong_usage

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Final

    from hearth.clients.cli.conversation_list import Row
    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.wire import Wire

IDS: Final = "session-"
"""How most ids begin."""
LEAST: Final = 4
"""Characters of the beginning of an id: fewer may be anything."""


def named(asked: Asked, rows: list[Row], *, is_piped: bool) -> tuple[str, list[str]]:
    """What `--continue` is told, empty if nothing; and the words that are left for the prompt.

    The word behind it is what it is told if something else is the prompt and a session is called
    so. One that can only be an id never becomes a prompt: it would go to another conversation than
    the one that was named. Trouble if there is nothing to ask beside it.
    """
    given, place = asked.text("continue") or "", asked.behind("continue")
    if given or place is None:
        return given, asked.words
    word, others = asked.words[place], asked.words[:place] + asked.words[place + 1 :]
    is_prompt_elsewhere = bool(others) or is_piped or asked.has("answer")
    if is_prompt_elsewhere and (_is_id(word, rows) or any(_is_called(row, word) for row in rows)):
        return word, others
    if _is_id(word, rows):
        raise wrong_usage(
            f"there is nothing to ask in {clean(word)}",
            "write the prompt behind it; a prompt that looks like an id goes behind `--`",
        )
    return "", asked.words


def continued(wire: Wire, asked: Asked, rows: list[Row], which: str) -> Row | None:
    """The conversation that is meant; None if there is none at all. Trouble if not this one.

    A number counts what `--list` shows with the same flags.
    """
    if not which:
        found = talks(rows, choosing.directory_of(asked), mode_of(asked))[:1]
        return found[0] if found else None
    if which.isascii() and which.isdecimal():
        counts = listed(rows, asked)
        if 1 <= int(which[:9]) <= len(counts):
            return counts[int(which) - 1]
        if not counts and which == "1":
            return None
        if not _is_id(which, rows):
            raise wrong_usage(
                f"there is no conversation {which} here",
                "`hearth ask --list` shows which there are",
            )
    return _called(wire, rows, which)


def say(row: Row) -> None:
    """Tell which one goes on."""
    about = f": {preview(row)} ({counted(row)})" if row.get("messages") else ""
    tell(f"continuing {row['session']}{about}")


def _called(wire: Wire, rows: list[Row], which: str) -> Row:
    """The session that the daemon finds under this name, by its own rules."""
    answer = wire.ask(Request("GET", f"/sessions/{quoted(which)}"))
    if answer.status == 404 and answer.trouble().code == "unknown_session":
        raise wrong_usage(
            f"there is no conversation {clean(which)}",
            "`hearth sessions --all` shows ids and names; a prompt that looks like one goes"
            " behind `--`",
        )
    found: Row = answer.good()["value"]
    return next((row for row in rows if row["session"] == found["session"]), found)


def _is_id(word: str, rows: list[Row]) -> bool:
    """Whether it is an id or begins like one, and is no word as people write them."""
    ids = [str(row["session"]) for row in rows]
    if word in ids:
        return True
    if len(word) < LEAST or word.isalpha():
        return False
    own = word.removeprefix(IDS)
    if any(one.startswith(word) or one.removeprefix(IDS).startswith(word) for one in ids):
        return True
    return own != word and own.isalnum() and not own.isalpha()


def _is_called(row: Row, word: str) -> bool:
    """Whether somebody gave it this name: that of its folder is a word like any other."""
    folders = (str(row.get(one) or "") for one in ("directory", "root"))
    own = {path.rstrip("/").rpartition("/")[2] for path in folders}
    return bool(word) and row.get("name") == word and word not in own
