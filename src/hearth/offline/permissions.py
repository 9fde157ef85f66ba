"""`hearth permissions`: what agents may do, by which rule, and what was allowed for longer.

Needs no daemon, but for what holds in a session.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hearth.clients.cli import reaching
from hearth.core.vocabulary.permitting import Grant
from hearth.daemon.home import TRUST, hearth_home
from hearth.offline import permission_lines as lines
from hearth.offline.answering import Answer, Trouble, answered
from hearth.offline.live_permissions import Live, live_permissions
from hearth.offline.words import WRONG_USAGE, Action, Asked, help_text, parse
from hearth.settings.grants import GrantBook
from hearth.settings.keeping import SettingsKeeper
from hearth.settings.layers import global_file
from hearth.settings.permissions import PermissionSettings, permission_settings
from hearth.settings.problems import Problem
from hearth.settings.roots import find_root_anyway
from hearth.settings.snapshot import Snapshot
from hearth.settings.trust import TrustBook

WHERE: Final = "--directory"
AGENT: Final = "--agent"
TOOL: Final = "--tool"
CODE: Final = "--code"
SESSION: Final = "--session"
READS: Final = ("read_file", "list_files", "grep")
WRITES: Final = ("write_file", "edit_file")

ACTIONS: Final[Mapping[str, Action]] = {
    "explain": Action(
        "explain COMMAND [--code] [--tool NAME] [--agent NAME] [--directory DIR] [--session NAME]",
        "what would become of a command, of Python, or of a tool that is given a path",
        takes=("COMMAND",),
        may=(TOOL, AGENT, WHERE, SESSION),
        flags=(CODE,),
    ),
    "list": Action(
        "list [--agent NAME] [--directory DIR] [--session NAME]",
        "the rules by file, and what was allowed for longer",
        may=(AGENT, WHERE, SESSION),
    ),
    "decisions": Action(
        "decisions [--session NAME] [--directory DIR]",
        "what people and rules decided in a session",
        may=(SESSION, WHERE),
    ),
    "revoke": Action("revoke ID", "take back what was allowed for always", takes=("ID",)),
}


def main(argv: list[str]) -> int:
    """Run `hearth permissions` with these words; 0, 1 if it was not done, 2 misused."""
    return answered(argv, _work)


def _work(words: list[str]) -> Answer:
    if words and words[0] in {"help", "--help", "-h"}:
        text = help_text("permissions", ACTIONS)
        return Answer((text,), {"help": text})
    asked = parse("permissions", ACTIONS, words)
    return _DONE[asked.action](asked)


@dataclass(frozen=True)
class _Here:
    """What holds in a directory."""

    directory: str
    root: str
    snapshot: Snapshot
    settings: PermissionSettings
    book: GrantBook
    live: Live | None
    """What holds in the session that works there, if a daemon runs."""

    @property
    def grants(self) -> tuple[Grant, ...]:
        """Everything that people allowed for longer and that counts here."""
        session = self.live.grants if self.live is not None else ()
        return (*self.book.for_root(self.root), *session)


def _explain(asked: Asked) -> Answer:
    # Only here: what reads commands takes longer to import than all the rest.
    from hearth.offline.explaining import Question, explained  # noqa: PLC0415 - as said

    tool = asked.given.get(TOOL, "")
    if tool and tool not in (*READS, *WRITES):
        raise Trouble(
            "usage",
            f"{tool} is no tool that is given a path",
            f"one of {', '.join((*READS, *WRITES))}; a command needs no --tool, Python --code",
            WRONG_USAGE,
        )
    if tool and CODE in asked.given:
        raise Trouble("usage", "--tool and --code say two things", "choose one", WRONG_USAGE)
    here = _here(asked)
    question = Question(
        said=asked.given["COMMAND"],
        kind=tool or ("code" if CODE in asked.given else "command"),
        writes=tool in WRITES,
        directory=here.directory,
        root=here.root,
        home=str(Path(hearth_home()).resolve()),
        agent=asked.given.get(AGENT, ""),
    )
    found = explained(question, here.settings, here.grants)
    value = {"directory": here.directory, "root": here.root, **lines.explained_json(found)}
    return Answer(tuple(lines.explained_lines(found)), value)


def _list(asked: Asked) -> Answer:
    here = _here(asked)
    if here.snapshot.project and not here.snapshot.trusted:
        _say(f"note: {here.snapshot.project} does not count: `hearth trust` trusts it")
    stored = here.book.all()
    shown = [
        *lines.rule_lines(here.settings, here.root),
        "",
        *lines.grant_lines(stored, here.root),
        *lines.live_lines(here.live),
    ]
    value: dict[str, Any] = {
        "directory": here.directory,
        "root": here.root,
        "mode": here.settings.mode,
        "layers": lines.layers_json(here.settings),
        "grants": lines.grants_json(stored),
        "session": None if here.live is None else here.live.as_json(),
    }
    return Answer(tuple(shown), value)


def _decisions(asked: Asked) -> Answer:
    live = live_permissions(asked.given.get(SESSION), _directory(asked), is_needed=True)
    if live is None:
        raise Trouble(
            "no_session",
            "no session works here",
            "name one with --session: `hearth sessions` lists them",
        )
    return Answer(
        tuple(lines.decision_lines(live)), {"session": live.session, "decisions": live.decided}
    )


def _revoke(asked: Asked) -> Answer:
    book, name = GrantBook(Path(hearth_home())), asked.given["ID"]
    _warn_of(book)
    found = next((one for one in book.all() if one.id == name), None)
    try:
        is_gone = found is not None and book.revoke(name)
    except OSError as error:
        what = f"it cannot be taken back: {error.strerror or error}"
        raise Trouble("not_written", what, "make hearth's home yours to write") from None
    if found is None or not is_gone:
        raise Trouble(
            "unknown_grant",
            f"nothing that was allowed for always is called {name}",
            "`hearth permissions list` shows what there is",
        )
    said = f"{name} is taken back: {lines.granted(found)}"
    return Answer((said,), {"revoked": lines.grants_json((found,))[0]})


_DONE: Final[Mapping[str, Callable[[Asked], Answer]]] = {
    "explain": _explain,
    "list": _list,
    "decisions": _decisions,
    "revoke": _revoke,
}


def _here(asked: Asked) -> _Here:
    directory = _directory(asked)
    trust = TrustBook(Path(hearth_home(), TRUST))
    keeper = SettingsKeeper(global_file(os.environ), os.environ, trusted=trust.is_trusted)
    snapshot = keeper.current(Path(directory))
    _warn(snapshot.warnings)
    if any(not one.key and not one.source.startswith("$") for one in snapshot.warnings):
        _warn_of_daemon()
    book = GrantBook(Path(hearth_home()))
    _warn_of(book)
    return _Here(
        directory=directory,
        root=str(find_root_anyway(Path(directory))[0].path),
        snapshot=snapshot,
        settings=permission_settings(snapshot, asked.given.get(AGENT, "")),
        book=book,
        live=live_permissions(asked.given.get(SESSION), directory),
    )


def _directory(asked: Asked) -> str:
    given = asked.given.get(WHERE)
    try:
        directory = Path(given).expanduser() if given is not None else Path.cwd()
        is_there = directory.is_dir()
    except (OSError, RuntimeError, ValueError):
        is_there, directory = False, Path(given or ".")
    if not is_there:
        raise Trouble(
            "no_directory",
            f"there is no folder {directory}",
            "name one that exists with --directory",
        )
    return str(directory.absolute())


def _warn_of_daemon() -> None:
    """A file that cannot be read at all is told here as it is; who read it before goes by that."""
    if reaching.find() is not None:
        _say("note: the daemon that runs goes by what the file said before it was broken")


def _warn_of(book: GrantBook) -> None:
    problem = book.problem()
    _warn((problem,) if problem is not None else ())


def _warn(problems: Sequence[Problem]) -> None:
    for problem in problems:
        _say(f"warning: {problem}")


def _say(line: str) -> None:
    """Beside the answer: that alone goes to the standard output."""
    # A name may hold what a terminal would obey.
    safe = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)
    sys.stderr.write(f"{safe}\n")
