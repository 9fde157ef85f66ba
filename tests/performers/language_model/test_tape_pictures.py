"""Pictures of results on their way from the log into a request, and in all that follow it."""

import msgspec
import pytest
from tests.performers.language_model.held import CLAUDE, GPT, LOCAL, SCRIPTED, S
from tests.performers.language_model.picture_samples import DATA, png
from tests.performers.language_model.taped import Taped, bare, steps
from tests.providers.anthropic import AnthropicWire

from hearth.core.rules.pictures import MOST, MOST_WITH_LARGE
from hearth.core.vocabulary.blocks import Role, ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import CallId
from hearth.core.vocabulary.lines import ModelChoice
from hearth.performers.language_model.scripted import PlainEncoding
from hearth.performers.language_model.wires import WireEncoding, codec_for


def kept(taped: Taped, content: bytes) -> Blob:
    blob = taped.held.keep("")
    digest = f"{len(taped.held.blobs):064}"
    taped.held.blobs[digest] = content
    return msgspec.structs.replace(
        blob, sha256=digest, size=len(content), media_type="image/png", head=""
    )


def looks(taped: Taped, *pictures: Blob, step: int) -> None:
    call = CallId(f"look{step}")
    taped.held.seal(Role.ASSISTANT, ToolCallBlock(call, "read_file", "{}", call), step=step)
    result = ToolResultBlock(call, "read_file", "plot.png is an image", pictures=pictures)
    taped.held.seal(Role.TOOL, result, step=step)


def begun() -> Taped:
    taped = Taped()
    taped.held.begin()
    taped.held.user("look")
    return taped


@pytest.mark.promise("DP-WIRE-02")
async def test_a_picture_is_the_same_bytes_in_every_request_and_after_a_restart() -> None:
    taped = begun()
    looks(taped, kept(taped, png()), step=1)
    before = await taped.draft()
    AnthropicWire().check(msgspec.json.decode(before.body))
    assert bare(before).count(DATA) == 1
    for step in range(2, 6):
        if step == 4:
            taped.restarted()
        steps(taped, 1, step)
        now = await taped.draft()
        assert bare(now).startswith(bare(before))
        assert now.note.differs_at == ""
        before = now
    assert bare(before).count(DATA) == 1


@pytest.mark.parametrize(
    ("choice", "sees"), [(CLAUDE, True), (GPT, True), (LOCAL, False), (SCRIPTED, False)]
)
async def test_only_models_that_can_see_are_sent_the_picture(
    choice: ModelChoice, *, sees: bool
) -> None:
    taped = begun()
    taped.held.choice = choice
    looks(taped, kept(taped, png()), step=1)
    encoding = PlainEncoding() if choice is SCRIPTED else WireEncoding(codec_for(choice.dialect))
    draft = await taped.tapes.draft(S, taped.held.ask(), encoding)
    assert (DATA in draft.body) is sees
    line = "[a picture that this model cannot see: image/png, 3 \u00d7 2]"
    assert (line.encode() in draft.body) is not sees


async def test_a_conversation_goes_on_without_a_picture_that_is_lost_or_too_large() -> None:
    taped = begun()
    lost = Blob("f" * 64, 100, "image/png")
    large = Blob("e" * 64, 50_000_000, "image/png")
    looks(taped, lost, large, kept(taped, b"no picture"), step=1)
    body = (await taped.draft()).body
    AnthropicWire().check(msgspec.json.decode(body))
    assert body.count(b"[a picture that is not shown: image/png") == 3
    assert b"its content is lost" in body
    assert b"models take 3.9 MB at most" in body


async def test_a_summary_is_asked_for_with_the_pictures_that_were_sent() -> None:
    taped = begun()
    looks(taped, kept(taped, png()), step=1)
    before = await taped.draft()
    ask = taped.held.ask(purpose="summary", keep_recent_tokens=0)
    assert bare(await taped.summary(ask)).startswith(bare(before))


@pytest.mark.parametrize(("width", "most"), [(3, MOST), (2_001, MOST_WITH_LARGE)])
async def test_more_pictures_than_a_provider_takes_are_not_sent_and_those_before_stay(
    width: int, most: int
) -> None:
    taped = begun()
    blob = kept(taped, png(width, 1))
    for step in range(1, most // 10 + 1):
        looks(taped, *[blob] * 10, step=step)
    before = await taped.draft()
    assert before.body.count(b'"type":"image"') == most
    looks(taped, blob, step=50)
    now = await taped.draft()
    assert now.body.count(b'"type":"image"') == most
    assert f"has no room for another, behind {most}".encode() in now.body
    assert bare(now).startswith(bare(before))
