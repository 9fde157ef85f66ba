import base64
from typing import Any

import pytest
from mcp_types import CallToolResult

from hearth.performers.mcp_client.results import LONGEST, MOST_PICTURES, NOTHING, outcome_of
from hearth.performers.tools.tool import Outcome, unkept

DOT = base64.b64encode(b"a picture").decode()


async def told(*content: Any, **more: Any) -> Outcome:
    said = {"content": list(content), **more}
    return await outcome_of(CallToolResult.model_validate(said), unkept)


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def picture(kind: str = "image/png", data: str = DOT) -> dict[str, str]:
    return {"type": "image", "data": data, "mimeType": kind}


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (text("hello"), "hello"),
        (
            {"type": "resource_link", "name": "n", "uri": "file:///a", "description": "about"},
            "[resource n: file:///a (about)]",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
            "[resource file:///a]\ninside",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "blob": DOT}},
            "[resource file:///a: data, which cannot be shown as text]",
        ),
        (
            {"type": "audio", "data": DOT, "mimeType": "audio/wav"},
            "[sound: audio/wav, which cannot be shown as text]",
        ),
    ],
)
async def test_everything_that_is_said_becomes_text(block: dict[str, Any], said: str) -> None:
    assert await told(block) == Outcome(said)


async def test_errors_stay_errors_and_nothing_is_said_to_be_nothing() -> None:
    assert await told(text("no"), isError=True) == Outcome("no", is_error=True)
    assert await told() == Outcome(NOTHING)


async def test_pictures_are_kept_and_those_that_cannot_be_are_named() -> None:
    found = await told(text("look"), picture(), picture("image/tiff"), picture(data="%%%"))
    assert [one.media_type for one in found.pictures] == ["image/png"]
    assert found.text.startswith("look\n[a picture of the type image/tiff")
    assert "broken" in found.text
    many = await told(*[picture() for _ in range(MOST_PICTURES + 3)])
    assert len(many.pictures) == MOST_PICTURES
    large = await told(picture(data="A" * 14_000_000))
    assert large.pictures == ()
    assert "not kept" in large.text


async def test_data_is_told_once() -> None:
    assert (await told(structuredContent={"a": 1})).text == '{"a":1}'
    both = await told(text('{"a": 1}'), structuredContent={"a": 1})
    assert both.text == '{"a": 1}'
    wrapped = await told(text("5"), structuredContent={"result": 5})
    assert wrapped.text == "5"
    more = await told(text("in words"), structuredContent={"a": 1})
    assert more.text == 'in words\n{"a":1}'


async def test_a_giant_text_is_cut_and_says_so() -> None:
    found = await told(text("x" * (LONGEST + 7)))
    assert len(found.text) < LONGEST + 100
    assert found.text.endswith("[7 more characters are left out: it is too long]")
