"""What happened in a session since a cursor: what is later, told shortly, and the new cursor."""

import asyncio
from typing import Annotated, Any, Final

import msgspec

from hearth.api import Hearth, Viewed
from hearth.core.vocabulary import codec
from hearth.core.vocabulary import events as e
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.envelope import Envelope, Stored
from hearth.core.vocabulary.ids import CellId, SessionId
from hearth.core.vocabulary.origin import Origin
from hearth.core.vocabulary.refusals import Refusal, Refused
from hearth.credentials.standing import Act
from hearth.servers.mcp.tools import schema as s
from hearth.servers.mcp.tools.call import Arguments, Call, Hints, Tool
from hearth.servers.mcp.tools.cells import output_uri, printed, shown_in
from hearth.servers.mcp.tools.running import LONGEST_WAIT
from hearth.servers.mcp.tools.said import Said, bounded, refused
from hearth.servers.mcp.tools.wording import in_words

USUAL: Final = 20
MOST: Final = 200
PAST: Final = 2000
"""So far back in the whole log the newest events are looked for."""
LONGEST: Final = 400
"""Characters of one text of an event."""

_LEFT_OUT: Final = frozenset(
    {"type", "uses", "read_only", "reload", "may_ask", "fingerprint", "copy", "kept", "on_error"}
)
_OF_CODE: Final = frozenset({"code", "text", "arguments"})
"""What whoever sent it has already."""
_QUIET: Final = (e.StateTransitioned, e.PrefixStarted, e.ModelAsked)
"""What says nothing that another event does not say."""
_WAITED_FOR: Final = e.SETTLING | {e.InputRequested, e.ApprovalRequested}
"""What whoever waits is told of: something has ended, or somebody is asked."""

Limit = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class GetRecentEvents(Arguments, frozen=True):
    """What `get_recent_events` takes."""

    since: Annotated[int, msgspec.Meta(ge=0)] | None = None
    limit: Limit = USUAL
    wait: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_WAIT)] = 0.0


async def get_recent_events(call: Call, said: GetRecentEvents) -> Said:
    """What is later than the cursor; waits for something, if that is wanted."""
    found = await later(call.hearth, call.session, said.since, said.limit, said.wait)
    if isinstance(found, Refused):
        return refused(found)
    rows, cursor, is_more = found
    told = [one for row in rows if (one := told_shortly(row, call.caller.origin)) is not None]
    fields: dict[str, Any] = {"events": told, "cursor": cursor}
    if is_more:
        fields["more"] = True
    return Said(fields)


async def later(
    hearth: Hearth, session: SessionId, since: int | None, limit: int, wait: float = 0.0
) -> tuple[list[Envelope], int, bool] | Refusal:
    """So many events behind a cursor (the newest, without one), the new cursor, whether more is."""
    viewed = await hearth.view("status", session)
    if not isinstance(viewed, Viewed):
        return viewed
    end = viewed.seq
    if since is not None and since >= end and wait > 0:
        # Not that something happened, but that something ended, is what is waited for.
        end = await _ended(hearth, session, since, wait)
    begin = max(0, end - PAST) if since is None else since
    rows: list[Envelope] = []
    if begin >= end:
        return rows, max(begin, end), False
    following = hearth.follow(session, after=begin)
    try:
        while not rows or rows[-1].seq < end:
            items = await following.batch()
            rows += [codec.envelope(one) for one in items if isinstance(one, Stored)]
            if not items or (since is not None and len(rows) > limit):
                break
    finally:
        following.close()
    if since is None:
        rows = [one for one in rows if not isinstance(one.event, _QUIET)][-limit:]
        return rows, end, False
    kept = rows[:limit]
    return kept, kept[-1].seq if kept else end, len(rows) > limit


async def _ended(hearth: Hearth, session: SessionId, since: int, wait: float) -> int:
    """Wait until something has ended, or the time is up; where the log stands then."""
    following = hearth.follow(session, after=since)
    end = since
    try:
        async with asyncio.timeout(wait):
            while items := await following.batch():
                for item in items:
                    if not isinstance(item, Stored):
                        continue
                    end = item.seq
                    if type(codec.envelope(item).event) in _WAITED_FOR:
                        return end
    except TimeoutError:
        pass
    finally:
        following.close()
    return end


def told_shortly(envelope: Envelope, reader: Origin | None = None) -> dict[str, Any] | None:
    """An event in few words; nothing of what its reader has sent. None if it says nothing."""
    event = envelope.event
    if isinstance(event, _QUIET):
        return None
    told: dict[str, Any] = {
        "seq": envelope.seq,
        "type": str(event.__struct_config__.tag),
        "at": envelope.at.strftime("%H:%M:%S"),
    }
    is_own = reader is not None and envelope.origin == reader
    if not is_own:
        told["by"] = envelope.origin.name or envelope.origin.actor.value
    if isinstance(event, e.UndoEvent):
        return {**told, **_in_words(event, is_own=is_own)}
    told |= _fields_of(event, is_own=is_own)
    if "outputs" in told:
        cell = CellId(getattr(event, "cell", ""))
        told["outputs"] = f"see {output_uri(envelope.session, cell)}"
    if isinstance(told.get("duration"), float):
        told["duration"] = round(told["duration"], 3)
    return told


def _fields_of(event: e.Event, *, is_own: bool) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if name == "outputs" and not isinstance(value, Blob):
            told |= {each: bounded(text, LONGEST) for each, text in printed(value).items()}
            if displays := shown_in(value):
                told["displays"] = [bounded(one, LONGEST) for one in displays]
        elif not (name in _LEFT_OUT or (is_own and name in _OF_CODE)):
            short = shortened(msgspec.to_builtins(value))
            if short or (short == 0 and name == "statements"):
                told[name] = short
    return told


def _in_words(event: e.UndoEvent, *, is_own: bool) -> dict[str, Any]:
    """What became of the interpreter as a sentence, and which cells and sessions it is about."""
    told: dict[str, Any] = {}
    for name in ("cell", "cells", "to"):
        if value := getattr(event, name, None):
            told[name] = shortened(msgspec.to_builtins(value))
    if isinstance(event, e.TrialStarted) and not is_own:
        told["variants"] = shortened(event.variants)
    return {**told, "what": bounded(in_words(event), 2 * LONGEST)}


def shortened(value: Any) -> Any:
    """The same with its long texts cut and its long lists ended."""
    if isinstance(value, str):
        return bounded(value, LONGEST)
    if isinstance(value, dict):
        if "sha256" in value:
            return bounded(value.get("head", ""), LONGEST) + f"… ({value.get('size', 0)} bytes)"
        return {name: shortened(one) for name, one in list(value.items())[:30] if one != ""}
    if isinstance(value, list | tuple):
        return [shortened(one) for one in value[:20]]
    return value


TOOLS: Final = (
    Tool(
        name="get_recent_events",
        title="What happened",
        description=(
            "What happened in the session behind a cursor, by whomever, and the new cursor. With "
            "`wait` it waits until something has ended: a cell, a turn, a question."
        ),
        act=Act.LOOK,
        takes=GetRecentEvents,
        properties={
            "since": s.described(s.CURSOR, "A cursor from an earlier answer; the newest if none"),
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL},
            "wait": s.wait(0, LONGEST_WAIT),
        },
        gives={
            "events": s.list_of(s.an_object(seq=s.INTEGER, type=s.TEXT, at=s.TEXT, by=s.TEXT)),
            "cursor": s.CURSOR,
            "more": s.BOOLEAN,
            **s.TROUBLE,
        },
        hints=Hints(read_only=True, idempotent=True),
        answer=get_recent_events,
    ),
)
