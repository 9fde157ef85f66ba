"""Tokens, trust, the way in for browsers, and the end."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from tests.servers.http.serving import DIGEST, Served, served

from hearth.core.vocabulary.origin import Actor
from hearth.credentials.standing import Act, Standing
from hearth.servers.http.table import TABLE


@pytest.fixture
async def daemon(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as opened:
        yield opened


async def logged_in(daemon: Served) -> httpx2.Response:
    made = (await daemon.client.post("/codes")).json()
    return await daemon.browser.get("/login", params={"code": made["code"]})


async def test_a_browser_gets_in_by_a_code_and_then_by_its_cookie(daemon: Served) -> None:
    made = (await daemon.client.post("/codes")).json()
    assert made["url"] == f"{daemon.address}/login?code={made['code']}"
    answer = await daemon.browser.get(made["url"])
    assert answer.status_code == 303
    assert answer.headers["location"] == "/dashboard"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert made["code"] not in cookie
    assert daemon.tokens.person not in cookie
    assert (await daemon.browser.get("/dashboard")).status_code == 200
    assert (await daemon.browser.get("/sessions")).status_code == 200


async def test_a_code_can_be_read_out_and_typed_and_a_whole_link_does_as_well(
    daemon: Served,
) -> None:
    made = (await daemon.client.post("/codes")).json()
    assert re.fullmatch(r"[a-z2-9]{4}(-[a-z2-9]{4}){3}", made["code"], re.IGNORECASE)
    for said in (f" {made['code'].upper()} ", (await daemon.client.post("/codes")).json()["url"]):
        daemon.browser.cookies.clear()
        answer = await daemon.browser.get("/login", params={"code": said})
        assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard")
    elsewhere = await daemon.browser.get("/login", params={"code": "https://evil.example/login"})
    assert elsewhere.status_code == 401


async def test_a_code_opens_once(daemon: Served) -> None:
    made = (await daemon.client.post("/codes")).json()
    # Who only looks whether the link leads somewhere does not spend it.
    assert (await daemon.browser.head("/login", params={"code": made["code"]})).status_code == 401
    assert (await daemon.browser.get("/login", params={"code": made["code"]})).status_code == 303
    daemon.browser.cookies.clear()
    again = await daemon.browser.get("/login", params={"code": made["code"]})
    assert (again.status_code, again.json()["error"]["code"]) == (401, "bad_code")
    assert "set-cookie" not in again.headers
    assert (await daemon.browser.get("/login")).status_code == 401


async def test_with_a_cookie_a_change_must_come_from_our_own_page(daemon: Served) -> None:
    await logged_in(daemon)
    body = {"id": "session-dddddd"}
    unsaid = await daemon.browser.post("/sessions", json=body)
    assert (unsaid.status_code, unsaid.json()["error"]["code"]) == (403, "bad_origin")
    ours = await daemon.browser.post("/sessions", json=body, headers={"Origin": daemon.address})
    assert ours.status_code == 202
    row = (await daemon.log.read())[0]
    assert json.loads(row.data)["origin"]["door"] == "dashboard"


async def test_who_logs_out_is_out_for_good(daemon: Served) -> None:
    await logged_in(daemon)
    cookie = dict(daemon.browser.cookies)["hearth"]
    answer = await daemon.browser.post("/logout", headers={"Origin": daemon.address})
    assert answer.status_code == 204
    assert "hearth" not in dict(daemon.browser.cookies)
    back = await daemon.browser.get("/sessions", headers={"Cookie": f"hearth={cookie}"})
    assert (back.status_code, back.json()["error"]["code"]) == (401, "bad_token")


async def test_of_several_cookies_any_good_one_counts(daemon: Served) -> None:
    await logged_in(daemon)
    cookie = dict(daemon.browser.cookies)["hearth"]
    daemon.browser.cookies.clear()
    mixed = {"Cookie": f"hearth=forged; other=1; hearth={cookie}"}
    assert (await daemon.browser.get("/health", headers=mixed)).status_code == 200


async def test_tokens_are_given_out_listed_and_ended(daemon: Served) -> None:
    made = await daemon.client.post("/tokens", json={"name": "bot", "standing": "agent"})
    assert made.status_code == 201
    token = made.json()["token"]
    listed = (await daemon.client.get("/tokens")).json()["tokens"]
    assert [(one["name"], one["standing"]) for one in listed] == [("bot", "agent")]
    assert token not in json.dumps(listed)
    again = await daemon.client.post("/tokens", json={"name": "bot", "standing": "agent"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "name_taken")
    mine = daemon.bearer(token)
    assert (await daemon.client.get("/health", headers=mine)).status_code == 200
    assert (await daemon.client.delete("/tokens/bot")).status_code == 204
    assert (await daemon.client.get("/health", headers=mine)).status_code == 401
    assert (await daemon.client.delete("/tokens/bot")).status_code == 404
    person = await daemon.client.post("/tokens", json={"name": "x", "standing": "person"})
    assert person.status_code == 400


async def test_rotating_ends_the_old_token_and_tells_the_daemon(daemon: Served) -> None:
    await logged_in(daemon)
    old = daemon.bearer()
    answer = await daemon.client.post("/tokens/rotate")
    new = answer.json()["token"]
    assert daemon.process.tokens == [new]
    assert (await daemon.client.get("/health", headers=old)).status_code == 401
    assert (await daemon.client.get("/health", headers=daemon.bearer(new))).status_code == 200
    assert (await daemon.browser.get("/health")).status_code == 401


@pytest.mark.parametrize("ending", ["POST /tokens/rotate", "DELETE /tokens/bot"])
async def test_no_stream_outlives_the_token_it_was_let_in_with(daemon: Served, ending: str) -> None:
    await daemon.client.post("/tokens", json={"name": "bot", "standing": "agent"})
    method, path = ending.split()
    async with (
        asyncio.timeout(20),
        daemon.client.stream("GET", "/events?after=0", headers=daemon.bearer()) as stream,
    ):
        lines = stream.aiter_lines()
        assert (await anext(lines)).startswith("id:")
        assert (await daemon.client.request(method, path)).is_success
        async for _ in lines:
            pass  # until its end


async def test_a_home_that_cannot_be_written_is_said(daemon: Served) -> None:
    (daemon.home / "tokens.json").unlink()
    (daemon.home / "tokens.json").mkdir()
    answer = await daemon.client.post("/tokens/rotate")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unavailable")
    assert (await daemon.client.get("/health")).status_code == 200


async def test_a_project_is_trusted_as_it_was_looked_at(daemon: Served) -> None:
    changed = await daemon.client.post("/trust", json={"root": "/p", "digest": "older"})
    assert (changed.status_code, changed.json()["error"]["code"]) == (409, "changed_meanwhile")
    assert daemon.trust.granted == []
    answer = await daemon.client.post("/trust", json={"root": "/p", "digest": DIGEST})
    assert answer.json()["trusted"]
    assert [by.actor for by in daemon.trust.granted] == [Actor.PERSON]


@pytest.mark.promise("SF-HTTP-10")
async def test_the_end_is_asked_for_with_or_without_the_interpreters(daemon: Served) -> None:
    assert (await daemon.client.post("/shutdown")).status_code == 202
    answer = await daemon.client.post("/shutdown", json={"end_sessions": False})
    assert answer.status_code == 202
    assert daemon.process.stopped == [True, False]


async def test_agents_and_readers_govern_nothing(daemon: Served) -> None:
    for standing in (Standing.AGENT, Standing.READER):
        token = daemon.tokens.add(f"a-{standing}", standing)
        for one in TABLE:
            if one.act is not Act.GOVERN:
                continue
            path = one.path.replace("{name}", "x")
            answer = await daemon.client.request(one.method, path, headers=daemon.bearer(token))
            assert answer.status_code == 403, path
            assert answer.json()["error"]["code"] == "not_allowed"
    assert daemon.process.stopped == []
    assert daemon.trust.granted == []


async def test_a_reader_changes_nothing(daemon: Served) -> None:
    token = daemon.tokens.add("wall", Standing.READER)
    for one in TABLE:
        if one.act is Act.LOOK:
            continue
        path = one.path.replace("{id}", "session-aaaaaa").replace("{name}", "x")
        answer = await daemon.client.request(one.method, path, headers=daemon.bearer(token))
        assert answer.status_code == 403, path
    assert await daemon.events() == 0
    assert (await daemon.client.get("/sessions", headers=daemon.bearer(token))).status_code == 200
