"""A call of a tool."""

from datetime import UTC, datetime
from typing import cast

import msgspec
import pytest
from tests.contracts.scenes import ANN
from tests.servers.mcp.tools.statuses import status

from hearth.api import Viewed
from hearth.core.views.sessions import SessionRow, Sessions
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import PhaseName
from hearth.core.vocabulary.refusals import ShuttingDown
from hearth.credentials.standing import Credential, Standing
from hearth.servers.http.around import Around
from hearth.servers.mcp.callers import Caller
from hearth.servers.mcp.choosing import Choosing
from hearth.servers.mcp.tools.call import Arguments, Call, rows_in, status_in


def test_arguments_that_nobody_knows_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `x`"):
        msgspec.convert({"x": 1}, Arguments)


def test_only_who_wants_to_know_is_told_how_it_goes_on() -> None:
    async def progress(_: str) -> None:
        raise AssertionError("nobody said anything")

    for wants in (True, False):
        caller = Caller(
            credential=Credential(Standing.PERSON, "ann"),
            origin=ANN,
            wants_progress=wants,
            progress=progress,
        )
        call = Call(
            around=cast("Around", None),
            choosing=cast("Choosing", None),
            caller=caller,
            session=SessionId("session-aaaaaa"),
        )
        assert call.tell is (progress if wants else None)


def test_a_status_is_known_from_everything_else() -> None:
    now = status(started_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert status_in(Viewed(now, 1)) is now
    assert status_in(Viewed(Sessions(), 1)) is None
    assert status_in(ShuttingDown(why="it ends")) is None


def test_sessions_are_known_from_everything_else() -> None:
    known = SessionId("session-aaaaaa")
    row = SessionRow(session=known, name="", directory="/x", state=PhaseName.READY)
    assert rows_in(Viewed(Sessions((row,)), 1)) == (row,)
    assert rows_in(Viewed(status(), 1)) == ()
    assert rows_in(ShuttingDown(why="it ends")) == ()
