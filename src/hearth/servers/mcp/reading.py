"""What can be read of sessions under an address, beside the tools: events, transcript, outputs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hearth.api import Viewed
from hearth.core.views.transcript import Entry, Transcript
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Outputs, Text
from hearth.core.vocabulary.envelope import Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.refusals import Refused
from hearth.servers.http.around import Around
from hearth.servers.mcp.tools.call import rows_in
from hearth.servers.mcp.tools.cells import all_of, error_of, full_text
from hearth.servers.mcp.tools.events import later, told_shortly
from hearth.servers.mcp.tools.said import bounded, compact, head_of
from hearth.servers.mcp.tools.sessions import listed

SESSIONS: Final = "hearth://sessions"
MOST_EVENTS: Final = 100
MOST_LISTED: Final = 50
LONGEST: Final = 1_000_000
"""Characters of one resource."""

_Ended: TypeAlias = e.CellFinished | e.CellFailed | e.CellCancelled | e.TrialEnded

_OF_SESSION: Final = re.compile(
    r"hearth://sessions/(?P<session>[A-Za-z0-9_-]{1,64})/"
    r"(?:(?P<what>events|transcript)|cells/(?P<cell>c[0-9]{1,15})/output)"
)

TEMPLATES: Final[tuple[Mapping[str, str], ...]] = (
    {
        "uriTemplate": "hearth://sessions/{session}/events",
        "name": "session-events",
        "title": "Events of a session",
        "description": "The newest events of a session, told shortly; changes with each of them.",
        "mimeType": "application/json",
    },
    {
        "uriTemplate": "hearth://sessions/{session}/transcript",
        "name": "session-transcript",
        "title": "Transcript of a session",
        "description": "What was run in a session and what it showed, as text.",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "hearth://sessions/{session}/cells/{cell}/output",
        "name": "cell-output",
        "title": "Output of a cell",
        "description": "Everything that a cell showed, also what was too long for a result.",
        "mimeType": "text/plain",
    },
)


class NoSuchResource(LookupError):
    """Nothing can be read under this address."""


@dataclass(frozen=True, slots=True)
class Address:
    """What an address means."""

    session: SessionId | None = None
    what: str = "sessions"
    cell: CellId | None = None


def address_of(uri: str) -> Address | None:
    """What an address means; None if nothing."""
    if uri == SESSIONS:
        return Address()
    match = _OF_SESSION.fullmatch(uri)
    if match is None:
        return None
    session = SessionId(match["session"])
    if match["cell"]:
        return Address(session, "output", CellId(match["cell"]))
    return Address(session, match["what"])


def changed_by(row: Stored) -> tuple[str, ...]:
    """The addresses under which something else can be read after this event."""
    base = f"{SESSIONS}/{row.session}"
    return (f"{base}/events", f"{base}/transcript")


def _tried(entry: Entry) -> list[str]:
    """Of a trial: the code of each variant, and whether it was kept. Of a usual cell nothing."""
    lines = [f"# {entry.notice}"] if entry.variants and entry.notice else []
    for number, one in enumerate(entry.variants, 1):
        kept = ": kept" if number == entry.kept else ""
        lines += [f"# variant {number}{kept}", bounded(one.code, 20_000)]
    return lines


class Reading:
    """Reads resources."""

    def __init__(self, around: Around) -> None:
        self._around = around

    async def exists(self, uri: str) -> bool:
        """Whether something can be read there."""
        address = address_of(uri)
        if address is None:
            return False
        if address.session is None:
            return True
        viewed = await self._around.hearth.view("status", address.session)
        return isinstance(viewed, Viewed)

    async def listed(self) -> list[dict[str, Any]]:
        """The resources of all sessions that live."""
        rows = rows_in(await self._around.hearth.view("sessions"))
        found: list[dict[str, Any]] = [
            {
                "uri": SESSIONS,
                "name": "sessions",
                "title": "Sessions",
                "mimeType": "application/json",
            }
        ]
        for row in [row for row in rows if not row.stopped][:MOST_LISTED]:
            for template in TEMPLATES[:2]:
                what = template["name"].removeprefix("session-")
                found.append(
                    {
                        "uri": f"{SESSIONS}/{row.session}/{what}",
                        "name": f"{row.name or row.session}-{what}",
                        "title": f"{template['title'].split()[0]} of {row.name or row.session}",
                        "mimeType": template["mimeType"],
                    }
                )
        return found

    async def read(self, uri: str) -> tuple[str, str]:
        """The kind and the text of a resource. NoSuchResource."""
        address = address_of(uri)
        if address is None:
            raise NoSuchResource(uri)
        if address.session is None:
            return "application/json", await self._sessions()
        match address.what:
            case "events":
                return "application/json", await self._events(address.session)
            case "transcript":
                return "text/plain", await self._transcript(address.session)
            case _:
                return "text/plain", await self._output(address)

    async def _sessions(self) -> str:
        rows = rows_in(await self._around.hearth.view("sessions"))
        return compact({"sessions": [listed(row) for row in rows if not row.stopped]})

    async def _events(self, session: SessionId) -> str:
        found = await later(self._around.hearth, session, None, MOST_EVENTS)
        if isinstance(found, Refused):
            raise NoSuchResource(session)
        rows, cursor, _ = found
        told = [one for row in rows if (one := told_shortly(row)) is not None]
        return compact({"events": told, "cursor": cursor})

    async def _entries(self, session: SessionId) -> tuple[Entry, ...]:
        viewed = await self._around.hearth.view("transcript", session)
        if not isinstance(viewed, Viewed) or not isinstance(viewed.value, Transcript):
            raise NoSuchResource(session)
        return viewed.value.entries

    async def _transcript(self, session: SessionId) -> str:
        lines = []
        for one in await self._entries(session):
            who = one.author.name or one.author.actor.value
            if not one.cell:
                lines.append(f"# {one.notice}")
                continue
            back = ", taken back" if one.undone else ""
            lines.append(f"# {one.cell} by {who}: {one.standing or ''}{back}")
            lines += _tried(one) or [bounded(head_of(one.code), 20_000)]
            if shown := await self._shown(one.outputs, one.value):
                lines.append(bounded(shown, 20_000))
            if one.failure is not None:
                lines.append(compact(error_of(one.failure)))
        return bounded("\n".join(lines), LONGEST)

    async def _output(self, address: Address) -> str:
        """Of a cell of any age: its last event is looked for in the log."""
        ended = await self._ending(address)
        if isinstance(ended, e.TrialEnded):
            return bounded(await self._variants(ended), LONGEST)
        value = ended.value if isinstance(ended, e.CellFinished) else ""
        shown = await self._shown(ended.outputs, value)
        if isinstance(ended, e.CellFailed):
            told = error_of(ended.failure)
            shown = "\n".join(part for part in (shown, compact(told)) if part)
        return bounded(shown, LONGEST)

    async def _variants(self, ended: e.TrialEnded) -> str:
        """Of a trial: what each variant showed, one behind the other."""
        parts = [ended.problem] if ended.problem else []
        for number, one in enumerate(ended.results, 1):
            told = compact(error_of(one.failure)) if one.failure is not None else ""
            shown = await self._shown(one.outputs, one.value)
            parts += [f"# variant {number}", *(part for part in (shown, told) if part)]
        return "\n".join(parts)

    async def _ending(self, address: Address) -> _Ended:
        after, session = 0, address.session or SessionId("")
        try:
            while rows := await self._around.rows(session, after, 500):
                after = rows[-1].version
                for row in rows:
                    # Most rows are not even decoded: the cell's name is in the bytes.
                    if f'"{address.cell}"'.encode() not in row.data:
                        continue
                    event = codec.envelope(row).event
                    if isinstance(event, _Ended) and event.cell == address.cell:
                        return event
        except Exception as error:  # any error of a store means: not now
            raise NoSuchResource(str(error)) from error
        raise NoSuchResource(f"{session} has no cell {address.cell} that has ended")

    async def _shown(self, outputs: Outputs, value: Text) -> str:
        fetch = self._around.fetch
        shown = await all_of(outputs, fetch)
        parts = [await full_text(one, fetch) for one in shown]
        parts.append(await full_text(value, fetch))
        return "\n".join(part.rstrip("\n") for part in parts if part)
