"""A pretended provider answers over HTTP as its script says, faults included."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.faults.test_provider_anthropic import ASKED, asking, assistant, text, user
from tests.providers.process import provider_process, recorded
from tests.providers.script import (
    Cut,
    Fault,
    Garbage,
    Json,
    Overflow,
    Reply,
    Say,
    Script,
    Silence,
    Status,
    StreamError,
    Tokens,
)
from tests.providers.server import Fake, Pace, provider

HEADERS = {"x-api-key": "mine", "anthropic-version": "2023-06-01"}
SAID = Reply((Say("grüße an alle"),))
LIMIT = 30.0


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(headers=HEADERS, timeout=LIMIT) as client:
        yield client


async def post(client: httpx2.AsyncClient, fake: Fake, request: Json | None = None) -> Any:
    return await client.post(f"{fake.url}/v1/messages", json=request or asking(ASKED))


async def test_it_answers_one_request_after_the_other_on_one_connection(
    client: httpx2.AsyncClient,
) -> None:
    async with provider("anthropic", [SAID, SAID], key="mine") as fake:
        first, second = await post(client, fake), await post(client, fake)
        assert (first.status_code, second.status_code) == (200, 200)
        assert first.headers["content-type"].startswith("text/event-stream")
        assert first.text.startswith("event: message_start\n")
        assert first.text.endswith('data: {"type":"message_stop"}\n\n')
        assert "ü" in first.text
        assert fake.connections == 1
        assert [one.outcome for one in fake.requests] == ["whole", "whole"]
        assert fake.requests[0].json == asking(ASKED)
        assert json.loads(fake.requests[0].body) == asking(ASKED)
        assert fake.requests[0].headers["x-api-key"] == "mine"
        assert fake.requests[0].at <= fake.requests[0].ended <= fake.requests[1].at
        assert not fake.refusals


async def test_a_body_may_come_in_chunks(client: httpx2.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        data = json.dumps(asking(ASKED)).encode()
        yield data[:7]
        yield data[7:]

    async with provider("anthropic", [SAID]) as fake:
        headers = {"content-type": "application/json"}
        url = f"{fake.url}/v1/messages"
        answer = await client.post(url, content=chunks(), headers=headers)
        assert answer.status_code == 200
        assert fake.requests[0].json == asking(ASKED)


async def test_what_it_refuses_is_remembered_with_the_reason(client: httpx2.AsyncClient) -> None:
    async with provider("anthropic", [SAID], key="mine") as fake:
        answer = await post(client, fake, asking(ASKED, assistant(text("so"))))
        assert answer.status_code == 400
        assert answer.json()["error"]["type"] == "invalid_request_error"
        assert [one.why for one in fake.refusals] == [answer.json()["error"]["message"]]
        assert fake.refusals[0].request is fake.requests[0]
        assert fake.requests[0].outcome == "refused"
        other = await client.post(f"{fake.url}/v1/messages", json={}, headers={"x-api-key": "x"})
        assert other.status_code == 401
        assert (await client.post(f"{fake.url}/v2/messages", json={})).status_code == 404
        kind = {"content-type": "application/json"}
        garbled = await client.post(f"{fake.url}/v1/messages", content=b"{", headers=kind)
        assert garbled.status_code == 400
        assert not fake.shares, "nothing was streamed"


async def test_a_script_that_has_ended_is_told(client: httpx2.AsyncClient) -> None:
    async with provider("anthropic", []) as fake:
        assert (await post(client, fake)).status_code == 500
        assert "the script has 0 replies" in fake.refusals[0].why


async def test_what_is_shared_is_computed_and_reported(client: httpx2.AsyncClient) -> None:
    mark = {"type": "ephemeral"}
    first = asking(user(text("hi", cache_control=mark)))
    second = asking(ASKED, assistant(text("so")), user(text("and?", cache_control=mark)))
    async with provider("anthropic", [SAID, SAID]) as fake:
        answers = [await post(client, fake, first), await post(client, fake, second)]
        assert [one.stability for one in fake.shares] == [1.0, 1.0]
        assert fake.shares[1].readable == fake.shares[0].written > 0
        start = json.loads(answers[1].text.split("\n")[1].removeprefix("data: "))
        usage = start["message"]["usage"]
        assert usage["cache_read_input_tokens"] == fake.shares[1].readable // 4


@pytest.mark.parametrize(
    ("fault", "status"), [(Status(429, {"retry-after": "7"}), 429), (Overflow(), 400)]
)
async def test_errors_come_instead_of_a_stream(
    client: httpx2.AsyncClient, fault: Fault, status: int
) -> None:
    async with provider("anthropic", [Reply(fault=fault), SAID]) as fake:
        answer = await post(client, fake)
        assert answer.status_code == status
        assert answer.json()["type"] == "error"
        assert answer.headers.get("retry-after") == ("7" if status == 429 else None)
        assert fake.requests[0].outcome == "status"
        assert not fake.refusals, "it is the script that says so"
        assert (await post(client, fake)).status_code == 200


async def test_a_body_of_an_error_may_be_anything(client: httpx2.AsyncClient) -> None:
    async with provider("anthropic", [Reply(fault=Status(502, body="<html>"))]) as fake:
        answer = await post(client, fake)
        assert (answer.status_code, answer.text) == (502, "<html>")


async def test_a_stream_that_is_cut_ends_in_the_middle_of_a_character(
    client: httpx2.AsyncClient,
) -> None:
    replies = [Reply(SAID.pieces, fault=Cut(1, "ü", politely=polite)) for polite in (True, False)]
    async with provider("anthropic", replies) as fake:
        polite = await post(client, fake)
        assert polite.content.endswith(b"gr" + "ü".encode()[:1])
        with pytest.raises(httpx2.RemoteProtocolError):
            await post(client, fake)
        await fake.left_alone()
        assert [one.outcome for one in fake.requests] == ["broken", "broken"]


@pytest.mark.parametrize("fault", [Silence(at="text_delta"), Garbage(at="text_delta")])
async def test_after_some_faults_nothing_comes_until_the_client_leaves(
    client: httpx2.AsyncClient, fault: Silence | Garbage
) -> None:
    heard = b""
    async with (
        provider("anthropic", [Reply(SAID.pieces, fault=fault)]) as fake,
        asyncio.timeout(LIMIT),
    ):
        url = f"{fake.url}/v1/messages"
        async with client.stream("POST", url, json=asking(ASKED)) as answer:
            wanted = b"data: {\n\n" if isinstance(fault, Garbage) else b'"delta":{"type":"'
            async for data in answer.aiter_raw():
                heard += data
                if heard.endswith(wanted):
                    break
            assert fake.connections == 1
        await fake.left_alone()
        assert fake.requests[0].outcome == "broken"
    assert b"message_stop" not in heard


async def test_an_error_in_a_stream_ends_it(client: httpx2.AsyncClient) -> None:
    fault = StreamError(at="text_delta", kind="api_error", message="Oh.")
    async with provider("anthropic", [Reply(SAID.pieces, fault=fault)]) as fake:
        answer = await post(client, fake)
        assert answer.text.endswith(
            'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Oh."}}\n\n'
        )
        assert "message_stop" not in answer.text


async def test_a_stream_may_be_cut_into_bytes(client: httpx2.AsyncClient) -> None:
    async with provider(
        "anthropic",
        [Reply(SAID.pieces, usage=Tokens(), split=1), Reply(SAID.pieces, usage=Tokens())],
    ) as fake:
        url = f"{fake.url}/v1/messages"
        async with client.stream("POST", url, json=asking(ASKED)) as answer:
            parts = [data async for data in answer.aiter_raw()]
        assert max(len(part) for part in parts) == 1
        whole = await post(client, fake)
        begin = b"event: content_block_start"
        assert b"".join(parts).partition(begin)[2] == whole.content.partition(begin)[2]


async def test_a_client_that_leaves_is_noticed(client: httpx2.AsyncClient) -> None:
    slow = Pace(tokens_per_second=50)
    async with provider("anthropic", [Reply((Say("word " * 5000),))], pace=slow) as fake:
        url = f"{fake.url}/v1/messages"
        async with client.stream("POST", url, json=asking(ASKED)) as answer:
            await anext(answer.aiter_raw())
        await fake.left_alone()
        assert fake.requests[0].outcome == "left"


async def test_whoever_is_connected_at_the_end_is_let_go() -> None:
    async with provider("anthropic", [Reply(fault=Silence())]) as fake:
        client = httpx2.AsyncClient(headers=HEADERS, timeout=LIMIT)
        asked = asyncio.create_task(post(client, fake))
        await fake.received(1)
    with pytest.raises(httpx2.HTTPError):
        await asked
    await client.aclose()


async def test_a_provider_in_a_process_of_its_own_records_what_it_was_asked(
    client: httpx2.AsyncClient, tmp_path: Path
) -> None:
    script = Script((SAID,), "by_step")
    with provider_process("anthropic", script, tmp_path, "--delay", "0.001") as url:
        for _ in range(2):
            answer = await client.post(f"{url}/v1/messages", json=asking(ASKED))
            assert answer.status_code == 200
        refused = await client.post(f"{url}/v1/messages", json={})
        assert refused.status_code == 400
    lines = recorded(tmp_path)
    assert [(line["number"], line["outcome"]) for line in lines] == [
        (0, "open"),
        (0, "whole"),
        (1, "open"),
        (1, "whole"),
        (2, "open"),
        (2, "refused"),
    ]
    assert json.loads(lines[0]["body"]) == asking(ASKED)
    assert lines[3]["shares"]["readable"] > 0
    assert lines[1]["at"] < lines[1]["ended"] <= lines[3]["at"]
