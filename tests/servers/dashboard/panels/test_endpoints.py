"""A grant is taken back by a person, and the list is drawn as it is then."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from tests.servers.dashboard.panels.looking_at import NOW, Read, tame
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary.origin import Actor, Door, Origin
from hearth.servers.dashboard.panels.endpoints import PanelEndpoints
from hearth.servers.http.asked import ORIGIN, Declined

ANN = Origin(Actor.PERSON, "ann", Door.DASHBOARD)
BOT = Origin(Actor.AGENT, "bot", Door.HTTP)


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def revoke(daemon: Served, body: Any, by: Origin = ANN) -> Read:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    endpoint = PanelEndpoints(daemon.around, lambda: NOW).endpoints()["POST", "/dashboard/revoke"]
    scope = {"type": "http", "method": "POST", "headers": [], ORIGIN: by}
    response = await endpoint(Request(scope, receive))
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    return tame(bytes(response.body).decode())


async def test_a_person_takes_a_grant_back(daemon: Served) -> None:
    read = await revoke(daemon, {"grant": "g1", "tab": "t", "session": None})
    assert daemon.agents.held == []
    assert daemon.agents.revoked == [ANN]
    assert read.all("section", id_="p-grants")
    assert "make *" not in read.text


async def test_nobody_else_does(daemon: Served) -> None:
    with pytest.raises(Declined) as caught:
        await revoke(daemon, {"grant": "g1"}, BOT)
    assert caught.value.trouble.status == 403
    assert len(daemon.agents.held) == 1


async def test_a_grant_that_is_gone_and_a_file_that_cannot_be_written_are_said(
    daemon: Served,
) -> None:
    read = await revoke(daemon, {"grant": "<b>"})
    assert "no such grant any more" in read.text
    assert "make *" in read.text
    daemon.agents.unwritable = True
    read = await revoke(daemon, {"grant": "g1"})
    assert "It could not be taken back: Permission denied." in read.text
    assert "make *" in read.text


async def test_what_is_no_grant_is_refused(daemon: Served) -> None:
    for body in ({}, {"grant": 1}, {"grant": "g1", "more": 1}):
        with pytest.raises(Declined):
            await revoke(daemon, body)
