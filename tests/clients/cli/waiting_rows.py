"""Approvals that wait, behind the fake daemon."""

from typing import Any

from tests.clients.agents.asking import TOUCH
from tests.clients.cli.fake_daemon import FakeDaemon
from tests.clients.cli.turns import OTHER, SESSION


def waits(name: str = "a1", session: str = SESSION, **more: Any) -> dict[str, Any]:
    """A row of what waits."""
    approval = {**TOUCH, "approval": name, **more}
    return {"session": session, "name": "shop", "root": "/work/shop", "approval": approval}


def waiting(daemon: FakeDaemon, *rows: dict[str, Any]) -> None:
    """These wait, and sessions can be found."""
    daemon.on("GET /views/approvals", {"value": {"rows": list(rows)}, "seq": 7})
    live = [{"session": session} for session in (SESSION, OTHER)]
    daemon.on("GET /sessions", {"value": {"rows": live}, "seq": 7})
    for session in (SESSION, OTHER):
        daemon.on(f"GET /sessions/{session}", {"value": {"session": session}, "seq": 7})


def decided(daemon: FakeDaemon, *rows: dict[str, Any], session: str = SESSION) -> None:
    """These were decided there."""
    value = {"decided": [{"at": "2026-01-02T03:04:05Z", **row} for row in rows]}
    daemon.on(f"GET /sessions/{session}/views/permissions", {"value": value, "seq": 7})
