"""What Anthropic's Messages refuse, as documented: an assertion for each."""

import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
THOUGHTS = ("thinking", "redacted_thinking")
FIELDS = {
    "text": {"type", "text"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content", "is_error"},
}


def accept(request: Json) -> None:
    """Fail if the provider would refuse this."""
    assert set(request) <= {
        "model",
        "max_tokens",
        "stream",
        "thinking",
        "output_config",
        "tools",
        "system",
        "messages",
    }
    thinking = request.get("thinking", {})
    if thinking.get("type") == "enabled":
        assert 1024 <= thinking["budget_tokens"] < request["max_tokens"]
    for block in request.get("system", []):
        assert block["text"].strip()
    marked = [block for block in blocks_of(request) if "cache_control" in block]
    assert len(marked) <= 4
    assert all(block.get("type") not in THOUGHTS for block in marked)
    _accept_messages(request["messages"])


def blocks_of(request: Json) -> Iterator[Json]:
    """Everything that can carry a mark, in the order in which it is cached."""
    yield from request.get("tools", [])
    yield from request.get("system", [])
    for message in request["messages"]:
        yield from message["content"]


def _accept_messages(messages: list[Json]) -> None:
    assert messages
    assert messages[0]["role"] == "user"
    assert messages[-1]["role"] == "user"
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        assert set(message) == {"role", "content"}
        blocks = message["content"]
        assert blocks, "no message is empty"
        for block in blocks:
            _accept_block(block, message["role"])
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert results == waiting, "every call has its result directly after, and no other has"
        kinds = [block["type"] for block in blocks]
        assert kinds == sorted(kinds, key=_rank), f"{kinds} are not in the order that is demanded"
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert not seen & set(waiting)
        assert len(set(waiting)) == len(waiting)
        seen |= set(waiting)
    assert not waiting


def _rank(kind: str) -> int:
    return {"thinking": 0, "redacted_thinking": 0, "tool_result": 0, "text": 1, "tool_use": 2}[kind]


def _accept_block(block: Json, role: str) -> None:
    kind = block["type"]
    assert set(block) - {"cache_control"} <= FIELDS[kind]
    match kind:
        case "text":
            assert block["text"].strip()
        case "thinking":
            assert block["signature"]
        case "redacted_thinking":
            assert block["data"]
        case "tool_use":
            assert ID.fullmatch(block["id"])
            assert isinstance(block["input"], dict)
        case "tool_result":
            assert block.get("content", "x").strip()
            assert "content" in block or "is_error" not in block
        case _:
            raise AssertionError(kind)
    assert (role == "user") == (kind == "tool_result") or (role, kind) == ("user", "text")
