"""What is sent back to code."""

import json
from typing import Any

import msgspec
import pytest
from tests.performers.cell_tools.mill import OFFERED

from hearth.performers.cell_tools import answers
from hearth.performers.cell_tools.answers import given, listed, problem
from hearth.performers.tools.tool import Outcome


def clean(text: str) -> str:
    return text.replace("s3cret", "[redacted]")


def test_trouble_has_a_kind_and_a_text_that_can_be_sent() -> None:
    told = json.loads(problem("failed", "half a pair: \ud800"))
    assert told == {"error": {"kind": "failed", "text": "half a pair: ?"}}


def test_tools_are_listed_by_server_without_secrets() -> None:
    told = json.loads(listed({"mill": OFFERED[:1]}, ["the s3cret one is down"], clean))
    assert told["problems"] == ["the [redacted] one is down"]
    assert [one["name"] for one in told["servers"]["mill"]] == ["turn"]
    assert told["servers"]["mill"][0]["schema"]["required"] == ["wheels"]


def test_a_result_is_its_text_its_object_and_its_pictures() -> None:
    outcome = Outcome("a s3cret", structured={"s3cret": ["s3cret", 3, None, {"a": True}]})
    told = json.loads(given(outcome, [("image/png", b"\x00\x01")], clean))
    assert told["text"] == "a [redacted]"
    assert told["structured"] == {"[redacted]": ["[redacted]", 3, None, {"a": True}]}
    assert told["pictures"] == [{"media_type": "image/png", "data": "AAE="}]


def test_a_text_alone_is_nothing_else() -> None:
    assert json.loads(given(Outcome("hey"), [], clean)) == {"text": "hey"}


def test_what_a_tool_calls_its_failure_is_an_error() -> None:
    told = json.loads(given(Outcome("no s3cret", is_error=True), [], clean))
    assert told == {"error": {"kind": "failed", "text": "no [redacted]"}}


@pytest.mark.parametrize("is_error", [False, True])
def test_what_is_too_large_is_told_and_not_sent(
    monkeypatch: pytest.MonkeyPatch, *, is_error: bool
) -> None:
    monkeypatch.setattr(answers, "LARGEST_ANSWER", 1000)
    sent = given(Outcome("x" * 2000, is_error=is_error), [], clean)
    told: dict[str, Any] = msgspec.json.decode(sent)
    assert len(sent) < 1000
    assert "the tool was run" in told["error"]["text"]
    assert "at most 1000" in told["error"]["text"]
    many = listed({"mill": OFFERED * 10}, (), clean)
    assert json.loads(many)["error"]["kind"] == "not_available"
