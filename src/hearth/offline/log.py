"""`hearth log`: looks after what is kept of sessions, with or without a daemon beside it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from hearth.core.vocabulary.ids import DAEMON_STREAM, SessionId
from hearth.daemon.discovery import lock_is_held
from hearth.log.archive import export_session, import_session
from hearth.log.archive_format import Archive, BadArchive
from hearth.log.backups import back_up, restore
from hearth.log.conversation_format import BadConversation, is_conversation
from hearth.log.event_log import EventLog, LogError, NotOwner, StoreDown
from hearth.log.opening import owner_name
from hearth.log.pruning import prune
from hearth.offline.answering import Answer, Trouble, answered
from hearth.offline.conversations import bring_in, export, free_id, is_id
from hearth.offline.searching import search
from hearth.offline.store import Store, opened, session_named, store_of
from hearth.offline.words import Action, Asked, help_text, parse

ACTIONS: Final[Mapping[str, Action]] = {
    "check": Action("check", "verify everything, rebuild what is only a cache"),
    "export": Action(
        "export SESSION FILE | --format jsonl SESSION [-o FILE]",
        "write a session, or its conversation alone, into a new file",
        takes=("SESSION",),
        perhaps=("FILE",),
        may=("--format", "-o", "--output"),
    ),
    "import": Action(
        "import FILE [--as ID]",
        "read a session, or a conversation, out of such a file",
        takes=("FILE",),
        may=("--as",),
    ),
    "search": Action(
        "search WORDS [--session SESSION] [--proj DIR] [--since DATE] [--until DATE] [--limit N]",
        "find what was said, run and shown",
        takes=("WORDS",),
        may=("--session", "--proj", "--since", "--until", "--limit"),
    ),
    "prune": Action(
        "prune --older-than 90d --archive DIR",
        "move sessions that were not used for so long into files",
        needs=("--older-than", "--archive"),
    ),
    "backup": Action("backup DIR", "copy everything into a new folder in DIR", takes=("DIR",)),
    "restore": Action(
        "restore BACKUP", "make the log out of such a copy; there must be none", takes=("BACKUP",)
    ),
}

REFUSED: Final = 4
ARCHIVE: Final = "archive"
JSONL: Final = "jsonl"
_AGE: Final = re.compile(r"(\d{1,6})\s*([hdw])")
_UNITS: Final = {"h": "hours", "d": "days", "w": "weeks"}


def main(argv: list[str]) -> int:
    """Run `hearth log` with these words; the exit code."""
    return answered(argv, _work)


def _work(words: list[str]) -> Answer:
    if not words or words[0] in {"help", "--help", "-h"}:
        text = help_text("log", ACTIONS)
        return Answer((text,), {"help": text})
    asked = parse("log", ACTIONS, words)
    store = store_of()
    try:
        return asyncio.run(_done(asked, store))
    except NotOwner as busy:
        what = f"{busy.session} is in use by {busy.owner}"
        raise Trouble("in_use", what, "`hearth stop` first, then try again", REFUSED) from busy
    except BadConversation as bad:
        raise Trouble("bad_conversation", str(bad), bad.hint or "nothing was imported") from bad
    except BadArchive as bad:
        raise Trouble("bad_archive", str(bad), "nothing was imported; export it again") from bad
    except StoreDown as down:
        raise Trouble("store_down", str(down), "`hearth doctor` looks at the store") from down
    except LogError as trouble:
        raise Trouble("log", str(trouble), "") from trouble
    except OSError as error:
        what = f"{error.filename or store.home}: {error.strerror or error}"
        raise Trouble("file", what, "is the path right, and yours to use?") from error


async def _done(asked: Asked, store: Store) -> Answer:
    if asked.action == "restore":
        return await _restore(_path(asked.given["BACKUP"]), store)
    if not store.is_there and asked.action == "check":
        return Answer(
            (f"nothing is kept yet: there is no {store.file}",), {"findings": [], "sessions": 0}
        )
    if not store.is_there and asked.action != "import":
        what = f"nothing is kept yet: there is no {store.file}"
        raise Trouble("nothing_kept", what, "`hearth` starts a session")
    async with opened(store) as log:
        return await _DOES[asked.action](log, asked.given)


async def _check(log: EventLog, _: Mapping[str, str]) -> Answer:
    found = await log.check()
    heads = [head for head in await log.heads() if head.session != DAEMON_STREAM]
    events = await log.head()
    lines = [
        f"{one.session or 'the whole store'}{f' at {one.seq}' if one.seq else ''}: {one.problem}"
        for one in found
    ]
    end = f"{len(found)} problems" if found else "all is well"
    return Answer(
        (*lines, f"{log.name}: {len(heads)} sessions, {events} events, {end}"),
        {
            "store": log.name,
            "sessions": len(heads),
            "events": events,
            "findings": [one._asdict() for one in found],
        },
        1 if found else 0,
    )


async def _export(log: EventLog, given: Mapping[str, str]) -> Answer:
    chosen = given.get("--output", given.get("-o"))
    file, kind = chosen or given.get("FILE"), given.get("--format", ARCHIVE)
    if kind not in {ARCHIVE, JSONL}:
        right = f"{JSONL} for its conversation, {ARCHIVE} for all of it"
        raise Trouble("usage", f"--format cannot be {kind!r}", right, 2)
    if chosen and "FILE" in given:
        raise Trouble("usage", "two files are named", "give it once: -o FILE", 2)
    if file is None and kind == ARCHIVE:
        raise Trouble("usage", "FILE is missing", f"hearth log {ACTIONS['export'].usage}", 2)
    session = await session_named(log, given["SESSION"])
    if kind == JSONL:
        return await export(log, session, _path(file) if file is not None else None)
    written = await export_session(log, session, _path(file or ""), _now())
    return Answer(
        (f"{session}: {written.events} events are in {written.path}",),
        {
            "session": session,
            "file": str(written.path),
            "events": written.events,
            "sha256": written.digest,
        },
    )


async def _import(log: EventLog, given: Mapping[str, str]) -> Answer:
    source = _path(given["FILE"])
    wanted = given.get("--as")
    if wanted is not None and not is_id(wanted):
        right = "an id has up to 64 letters, digits, - and _"
        raise Trouble("usage", f"{wanted!r} cannot be the id of a session", right, 2)
    if await asyncio.to_thread(is_conversation, source):
        return await bring_in(log, source, SessionId(wanted) if wanted else None)
    own = "" if wanted else (await asyncio.to_thread(Archive(source).header)).session
    session = SessionId(wanted) if wanted else await free_id(log, own)
    events = await import_session(log, source, session)
    return Answer(
        (f"{session}: {events} events were imported; it is there when the daemon next starts",),
        {"session": session, "events": events},
    )


async def _prune(log: EventLog, given: Mapping[str, str]) -> Answer:
    older_than = _age(given["--older-than"])
    pruned = await prune(log, older_than, _path(given["--archive"]), _now())
    lines = [f"{one.session}: {one.events} events are in {one.path}" for one in pruned.archived]
    lines += [f"{one.session}: kept, {one.why}" for one in pruned.kept]
    if any("is run by" in one.why for one in pruned.kept):
        lines.append("hint: what the daemon has is left alone; `hearth stop` first to prune it")
    return Answer(
        (*lines, f"{len(pruned.archived)} sessions were archived, {len(pruned.kept)} kept"),
        {
            "archived": [
                {"session": one.session, "file": str(one.path), "events": one.events}
                for one in pruned.archived
            ],
            "kept": [one._asdict() for one in pruned.kept],
        },
    )


async def _backup(log: EventLog, given: Mapping[str, str]) -> Answer:
    target = await back_up(log, _path(given["DIR"]), _now())
    return Answer((f"everything is in {target}",), {"backup": str(target)})


async def _restore(source: Path, store: Store) -> Answer:
    if lock_is_held(str(store.home)):
        what = "a daemon is running, and nobody may use the log while it is made anew"
        raise Trouble("in_use", what, "`hearth stop` first", REFUSED)
    if not await asyncio.to_thread(source.is_dir):
        hint = "give the folder that `hearth log backup` named"
        raise Trouble("file", f"{source} is no folder", hint)
    await restore(source, store.url, store.home, await owner_name(store.home))
    async with opened(store) as log:
        sessions = sum(head.session != DAEMON_STREAM for head in await log.heads())
        return Answer(
            (f"{log.name} has {sessions} sessions again",),
            {"store": log.name, "sessions": sessions},
        )


def _age(text: str) -> timedelta:
    found = _AGE.fullmatch(text.strip().lower())
    if found is None:
        right = "a number with its unit: 90d (days), 12h (hours) or 4w (weeks)"
        raise Trouble("usage", f"--older-than cannot be {text!r}", right, 2)
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _path(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _now() -> datetime:
    return datetime.now(UTC)


_Does = Callable[[EventLog, Mapping[str, str]], Awaitable[Answer]]
_DOES: Final[Mapping[str, _Does]] = {
    "check": _check,
    "export": _export,
    "import": _import,
    "search": search,
    "prune": _prune,
    "backup": _backup,
}
