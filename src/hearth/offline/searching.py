"""`hearth log search`: what was said, run and shown, by its words, its time and its project."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from hearth.core.views.sessions import SessionRow
from hearth.core.vocabulary.codec import Unreadable, envelope
from hearth.core.vocabulary.envelope import Envelope
from hearth.log.event_log import EventLog, Hit
from hearth.offline.answering import Answer, Trouble
from hearth.offline.store import session_among, sessions_of

USUAL: Final = 20
LOOKED_AT: Final = 2000
"""Where only some times or projects are wanted, so many of the best hits are looked at."""


class _Wanted(NamedTuple):
    since: datetime | None
    until: datetime | None
    project: str


class _Found(NamedTuple):
    hit: Hit
    one: Envelope
    row: SessionRow | None

    def line(self) -> str:
        when = self.one.at.astimezone().strftime("%Y-%m-%d %H:%M")
        name = f" {self.row.name}" if self.row is not None and self.row.name else ""
        return f"[{when}] {self.hit.session}{name}: {self.hit.excerpt}"

    def value(self) -> dict[str, Any]:
        return {
            "session": self.hit.session,
            "name": self.row.name if self.row is not None else "",
            "directory": self.row.directory if self.row is not None else "",
            "seq": self.hit.seq,
            "version": self.one.version,
            "at": self.one.at.isoformat(),
            "type": str(self.one.event.__struct_config__.tag),
            "excerpt": self.hit.excerpt,
        }


async def search(log: EventLog, given: Mapping[str, str]) -> Answer:
    """The events that have all the words, best first. Trouble, LogError."""
    limit = _limit(given.get("--limit", str(USUAL)))
    wanted = _Wanted(
        _time("--since", given.get("--since")),
        _time("--until", given.get("--until"), is_end=True),
        _folder(given["--proj"]) if "--proj" in given else "",
    )
    sessions = await sessions_of(log)
    said = given.get("--session")
    session = session_among(sessions, said) if said is not None else None
    rows = {row.session: row for row in sessions}
    most = limit if wanted == _Wanted(None, None, "") else LOOKED_AT
    found: list[_Found] = []
    for hit in await log.search(given["WORDS"], session=session, limit=most):
        one = await _event(log, hit)
        if one is not None and _is_wanted(wanted, one, rows.get(hit.session)):
            found.append(_Found(hit, one, rows.get(hit.session)))
        if len(found) == limit:
            break
    lines = tuple(one.line() for one in found) or ("nothing was found",)
    return Answer(lines, {"hits": [one.value() for one in found]}, 0 if found else 1)


async def _event(log: EventLog, hit: Hit) -> Envelope | None:
    rows = await log.read(hit.seq - 1, limit=1, session=hit.session)
    try:
        return envelope(rows[0]) if rows and rows[0].seq == hit.seq else None
    except Unreadable:
        return None  # `hearth log check` tells about it


def _is_wanted(wanted: _Wanted, one: Envelope, row: SessionRow | None) -> bool:
    if wanted.since is not None and one.at < wanted.since:
        return False
    if wanted.until is not None and one.at >= wanted.until:
        return False
    if not wanted.project:
        return True
    folders = (row.directory, row.root) if row is not None else ()
    return any(one and PurePosixPath(one).is_relative_to(wanted.project) for one in folders)


def _time(option: str, said: str | None, *, is_end: bool = False) -> datetime | None:
    """A day, or a time, of this machine; the whole day counts."""
    if said is None:
        return None
    try:
        time = datetime.fromisoformat(said)
    except ValueError:
        right = "a day like 2026-03-01, or a time like 2026-03-01T12:30"
        raise Trouble("usage", f"{option} cannot be {said!r}", right, 2) from None
    if is_end and len(said) <= len("2026-03-01"):
        time += timedelta(days=1)
    return time if time.tzinfo is not None else time.astimezone()


def _folder(said: str) -> str:
    return str(Path(said).expanduser().absolute())


def _limit(said: str) -> int:
    if not said.isdecimal() or not 0 < int(said) <= LOOKED_AT:
        right = f"a number from 1 to {LOOKED_AT}"
        raise Trouble("usage", f"--limit cannot be {said!r}", right, 2)
    return int(said)
