"""`hearth events`: what happened, and what happens."""

from __future__ import annotations

import sys
import time

from hearth.clients.cli import showing
from hearth.clients.cli.describing import COLOURS, described
from hearth.clients.cli.following import Following
from hearth.clients.cli.messages import quoted
from hearth.clients.cli.reaching import reach
from hearth.clients.cli.showing import emit, out, painted, tell
from hearth.clients.cli.troubles import OK, unreachable, wrong_usage
from hearth.clients.cli.wire import Wire
from hearth.daemon import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing takes longer to import than all of this
    from typing import Any, Final

    from hearth.clients.cli.parsing import Asked
    from hearth.clients.cli.server_sent import Sent

LAST: Final = 50
LAST_WITH_MORE: Final = 10


def carry_out(asked: Asked) -> int:
    """Show them; the exit code. With `--follow` it ends when it is interrupted."""
    beginnings = [one for one in ("after", "last", "all") if asked.has(one)]
    if len(beginnings) > 1:
        raise wrong_usage(
            f"--{beginnings[0]} and --{beginnings[1]} say two things", "choose one of them"
        )
    with reach() as wire:
        return _events(asked, wire)


def _events(asked: Asked, wire: Wire) -> int:
    path, head = _what(wire, asked.text("session"))
    after, keep = _beginning(asked, head, is_one=path != "/events")
    following = Following(wire, path, after, patience=None, tell=tell)
    try:
        seen = _until(following, head, keep) if head > after else []
        if not asked.has("follow"):
            return _all(seen, as_json=asked.has("json"))
        show = _Lines(as_json=asked.has("json"))
        for one in seen:
            show(one)
        while True:
            if (sent := following.next()) is not None and sent.id:
                show(_decoded(sent))
    finally:
        following.close()


class _Lines:
    """Shows events as they come."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def __call__(self, envelope: dict[str, Any]) -> None:
        if self._as_json:
            emit(envelope)
        else:
            out(_line(envelope))
        sys.stdout.flush()


def _all(envelopes: list[dict[str, Any]], *, as_json: bool) -> int:
    if as_json:
        emit({"events": envelopes, "seq": envelopes[-1]["seq"] if envelopes else 0})
    else:
        for one in envelopes:
            out(_line(one))
        if not envelopes:
            tell("nothing happened there")
    return OK


def _what(wire: Wire, session: str | None) -> tuple[str, int]:
    """The stream that is meant, and where it ends now."""
    if session is None:
        return "/events", int(wire.get("/sessions")["seq"])
    viewed = wire.get(f"/sessions/{quoted(session)}")
    return f"/sessions/{quoted(viewed['value']['session'])}/events", int(viewed["seq"])


def _beginning(asked: Asked, head: int, *, is_one: bool) -> tuple[int, int | None]:
    """The cursor to begin behind, and how many of the last are wanted, if not all."""
    if asked.has("after"):
        return asked.number("after") or 0, None
    if asked.has("all"):
        return 0, None
    last = asked.number("last")
    if last is None:
        last = LAST_WITH_MORE if asked.has("follow") else LAST
    # Of one session nobody knows where in the log its last events are.
    return (0 if is_one and last else max(0, head - last)), last


def _until(following: Following, head: int, keep: int | None) -> list[dict[str, Any]]:
    """The events up to the one that was the last when we asked."""
    found: list[dict[str, Any]] = []
    while following.cursor < head:
        sent = following.next()
        if sent is None or not sent.id:
            continue
        found.append(_decoded(sent))
        if keep is not None and len(found) > 2 * keep + 100:
            del found[:-keep]
    return found if keep is None else found[-keep:]


def _decoded(sent: Sent) -> dict[str, Any]:
    try:
        envelope = plain_json.loads(sent.data)
    except (ValueError, RecursionError):
        envelope = None
    if not isinstance(envelope, dict):
        raise unreachable("the daemon sent an event that is no JSON", code="protocol")
    return envelope


def _line(envelope: dict[str, Any]) -> str:
    event = envelope.get("event", {})
    at = showing.epoch(envelope.get("at"))
    clock = time.strftime("%m-%d %H:%M:%S", time.localtime(at)) if at is not None else "?"
    origin = envelope.get("origin", {})
    who = showing.first_line(str(origin.get("name") or origin.get("actor", "")), 16)
    what = painted(COLOURS.get(str(event.get("type")), ""), described(event))
    seq, session = envelope.get("seq", 0), str(envelope.get("session", ""))
    return f"{painted(showing.DIM, f'{seq:>6}  {clock}')}  {session:<15}  {who:<10}  {what}"
