"""A call of a tool."""

from datetime import UTC, datetime

import msgspec
import pytest
from tests.servers.mcp.tools.statuses import status

from hearth.api import Viewed
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary.refusals import ShuttingDown
from hearth.servers.mcp.tools.call import Arguments, status_in


def test_arguments_that_nobody_knows_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `x`"):
        msgspec.convert({"x": 1}, Arguments)


def test_a_status_is_known_from_everything_else() -> None:
    now = status(started_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert status_in(Viewed(now, 1)) is now
    assert status_in(Viewed(Sessions(), 1)) is None
    assert status_in(ShuttingDown(why="it ends")) is None
