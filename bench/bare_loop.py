"""An agent without anything around it: asks, does nothing, asks again; it keeps nothing."""

import http.client
import json
import socket
from typing import Any, Final
from urllib.parse import urlsplit

from bench.agents import KEY, MODEL, NOTHING
from bench.daemons import PATIENCE

HEADERS: Final = {
    "content-type": "application/json",
    "x-api-key": KEY,
    "anthropic-version": "2023-06-01",
}
TOOL: Final = {
    "name": NOTHING,
    "description": "Does nothing.",
    "input_schema": {
        "type": "object",
        "properties": {"number": {"type": "integer"}},
        "required": ["number"],
    },
}


def hold(url: str, text: str) -> int:
    """Ask until the model calls nothing any more; how often it was asked."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.netloc, timeout=PATIENCE)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    messages: list[dict[str, Any]] = [{"role": "user", "content": text}]
    steps = 0
    try:
        while True:
            answer = _asked(connection, messages)
            steps += 1
            results = [
                {"type": "tool_result", "tool_use_id": block["id"], "content": "ok"}
                for block in answer
                if block["type"] == "tool_use"
            ]
            if not results:
                return steps
            messages += [
                {"role": "assistant", "content": answer},
                {"role": "user", "content": results},
            ]
    finally:
        connection.close()


def _asked(
    connection: http.client.HTTPConnection, messages: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The blocks of the model's answer."""
    body = {
        "model": MODEL.partition(":")[2],
        "max_tokens": 4096,
        "stream": True,
        "tools": [TOOL],
        "messages": messages,
    }
    connection.request("POST", "/v1/messages", json.dumps(body).encode(), HEADERS)
    answer = connection.getresponse()
    if answer.status != http.HTTPStatus.OK:
        raise TypeError(f"{answer.status}: {answer.read()[:500]!r}")
    blocks: list[dict[str, Any]] = []
    arguments = ""
    for line in answer:
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line[6:])
        match event["type"]:
            case "content_block_start":
                blocks.append(event["content_block"])
                arguments = ""
            case "content_block_delta" if event["delta"]["type"] == "text_delta":
                blocks[-1]["text"] += event["delta"]["text"]
            case "content_block_delta":
                arguments += event["delta"]["partial_json"]
            case "content_block_stop" if blocks[-1]["type"] == "tool_use":
                blocks[-1]["input"] = json.loads(arguments or "{}")
            case _:
                pass
    return blocks
