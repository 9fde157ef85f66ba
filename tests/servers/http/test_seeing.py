"""A view is what was asked for, or the answer says why not."""

from pathlib import Path

import pytest
from tests.servers.http.serving import served

from hearth.core.views.sessions import Sessions
from hearth.core.views.status import Status
from hearth.core.vocabulary.ids import SessionId
from hearth.servers.http.asked import Declined
from hearth.servers.http.seeing import seen


async def test_a_view_comes_with_its_cursor_or_is_declined(tmp_path: Path) -> None:
    async with served(tmp_path) as daemon:
        await daemon.begin()
        found, seq = await seen(daemon.engine, "sessions", Sessions)
        assert ([row.session for row in found.rows], seq > 0) == (["session-aaaaaa"], True)
        with pytest.raises(Declined) as declined:
            await seen(daemon.engine, "status", Status, SessionId("nobody"))
        assert declined.value.trouble.code == "unknown_session"
        with pytest.raises(TypeError, match="the view sessions is a Sessions"):
            await seen(daemon.engine, "sessions", Status)
