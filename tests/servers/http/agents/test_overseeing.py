"""What was allowed for always is listed and taken back; commands are explained; servers shown."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.servers.http.serving import Served, served

from hearth.core.vocabulary.origin import Actor
from hearth.credentials.standing import Standing


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def test_grants_are_listed_and_taken_back_by_a_person(daemon: Served) -> None:
    listed = (await daemon.client.get("/grants")).json()
    assert listed["problem"] == ""
    (grant,) = listed["grants"]
    assert (grant["id"], grant["permission"], grant["pattern"]) == ("g1", "execute", "make *")
    assert (grant["root"], grant["by"], grant["why"]) == ("/project", "ann", "execute make build")
    assert (await daemon.client.delete("/grants/g1")).status_code == 204
    assert [by.actor for by in daemon.agents.revoked] == [Actor.PERSON]
    assert (await daemon.client.get("/grants")).json()["grants"] == []
    again = await daemon.client.delete("/grants/g1")
    assert (again.status_code, again.json()["error"]["code"]) == (404, "unknown_grant")
    odd = await daemon.client.delete("/grants/" + "x" * 4000)
    assert odd.status_code == 404
    assert len(odd.content) < 500


async def test_no_agent_sees_or_takes_back_what_a_person_allowed(daemon: Served) -> None:
    speaks = {"Hearth-Origin": '{"actor":"agent","name":"bot"}'}
    assert (await daemon.client.delete("/grants/g1", headers=speaks)).status_code == 403
    for standing in (Standing.AGENT, Standing.READER):
        bearer = daemon.bearer(daemon.tokens.add(f"x-{standing}", standing))
        assert (await daemon.client.get("/grants", headers=bearer)).status_code == 403
        assert (await daemon.client.delete("/grants/g1", headers=bearer)).status_code == 403
    assert daemon.agents.revoked == []


async def test_a_grant_that_cannot_be_taken_back_is_said(daemon: Served) -> None:
    daemon.agents.unwritable = True
    answer = await daemon.client.delete("/grants/g1")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
    assert "Permission denied" in answer.json()["error"]["message"]
    assert len(daemon.agents.held) == 1


async def test_anybody_may_ask_what_would_be_said_to_a_command(daemon: Served) -> None:
    body = {"command": "make build", "directory": "/project", "agent": "reviewer"}
    for standing in (Standing.AGENT, Standing.READER):
        bearer = daemon.bearer(daemon.tokens.add(f"x-{standing}", standing))
        answer = await daemon.client.post("/permissions/explain", json=body, headers=bearer)
        assert answer.status_code == 200
        said = answer.json()
        assert (said["verdict"], said["parts"]) == ("ask", ["make build"])
        assert said["judged"][0]["by"] == "usual"
    assert {one.agent for one in daemon.agents.explained} == {"reviewer"}
    assert await daemon.events() == 0


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"command": "ls"},
        {"command": "ls", "directory": "here"},
        {"command": "ls", "directory": "/\0"},
        {"command": "ls", "directory": "/" * 4097},
        {"command": "l" * 100_001, "directory": "/"},
        {"command": ["ls"], "directory": "/"},
        {"command": "ls", "directory": "/", "run": True},
        {"command": "ls", "directory": "/", "agent": "x" * 301},
    ],
)
async def test_what_is_no_command_of_a_place_is_not_explained(
    body: dict[str, object], daemon: Served
) -> None:
    answer = await daemon.client.post("/permissions/explain", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")
    assert len(answer.content) < 1000
    assert daemon.agents.explained == []


async def test_half_a_character_is_not_explained(daemon: Served) -> None:
    raw = json.dumps({"command": "echo \ud800", "directory": "/"}).encode()
    json_type = {"Content-Type": "application/json"}
    answer = await daemon.client.post("/permissions/explain", content=raw, headers=json_type)
    assert answer.status_code == 400
    assert daemon.agents.explained == []


@pytest.mark.promise("DP-LSP-05")
async def test_servers_and_what_they_found_are_shown_with_who_was_told(daemon: Served) -> None:
    (server,) = (await daemon.client.get("/language-servers")).json()["servers"]
    assert (server["server"], server["state"], server["root"]) == ("ty", "ready", "/project")
    place = "/language-servers/diagnostics"
    found = (await daemon.client.get(place, params={"directory": "/project"})).json()
    (file,) = found["files"]
    assert (file["path"], file["errors"], file["warnings"]) == ("/project/a.py", 1, 0)
    (one,) = file["findings"]
    assert (one["severity"], one["line"], one["current"]) == ("error", 3, True)
    assert one["given"][0]["agent"] == "scripted:quick"
    for query in ("", "?directory=project", "?directory=%00"):
        assert (await daemon.client.get(f"{place}{query}")).status_code == 400


async def test_the_mcp_servers_of_a_directory_are_shown(daemon: Served) -> None:
    found = (await daemon.client.get("/mcp-servers", params={"directory": "/project"})).json()
    (server,) = found["servers"]
    assert (server["name"], server["state"], server["tools"]) == ("files", "idle", 3)
    assert server["shown"] == "npx files /project"
    assert found["problems"] == ["one of them is wrong"]
    for query in ("", "?directory=project"):
        assert (await daemon.client.get(f"/mcp-servers{query}")).status_code == 400
