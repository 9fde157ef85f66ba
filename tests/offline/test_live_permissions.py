"""What holds in a session is asked of the daemon, if there is one."""

import pytest
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.clients.cli.turns import OTHER, SESSION, row
from tests.offline.permitting import Person, person

from hearth.core.vocabulary.permitting import Grant
from hearth.offline.answering import Trouble
from hearth.offline.live_permissions import live_permissions

__all__ = ["person"]  # a fixture


def test_without_a_daemon_there_is_nothing_unless_it_is_needed(person: Person) -> None:
    assert live_permissions(None, str(person.project)) is None
    for named, is_needed in (("shop", False), (None, True)):
        with pytest.raises(Trouble) as trouble:
            live_permissions(named, "/", is_needed=is_needed)
        assert trouble.value.exit_code == 3


def test_the_nearest_live_session_is_meant(person: Person) -> None:
    with FakeDaemon(person.home).serving() as daemon:
        rows = [
            row("/work", session=SESSION),
            row("/work/shop", session=OTHER, root="/work/shop"),
            row("/work/shop/deep", session="session-stopped", stopped=True),
            row("/work/shop/deep", session="session-bare", mode="bare"),
        ]
        daemon.on("GET /sessions", {"value": {"rows": rows}, "seq": 7})
        value = {"grants": [{"permission": "read", "pattern": "x"}]}
        daemon.on(f"GET /sessions/{OTHER}/views/permissions", {"value": value, "seq": 7})
        live = live_permissions(None, "/work/shop/deep")
        assert live is not None
        assert (live.session, live.grants) == (OTHER, (Grant("read", "x"),))
        assert live.as_json()["grants"] == value["grants"]
        assert live_permissions(None, "/elsewhere") is None
        assert live_permissions(None, "/workshop") is None
