"""Pictures of results on Anthropic's wire."""

import json

from tests.performers.language_model.picture_samples import DATA, SMALL
from tests.performers.language_model.test_anthropic import CODEC, OPUS, B, body, called, said
from tests.providers.anthropic import AnthropicWire

from hearth.core.vocabulary.messages import Message, Returned, ToolMessage, UserMessage

IMAGE = (
    b'{"type":"image","source":{"type":"base64","media_type":"image/png","data":"' + DATA + b'"}}'
)


def shown(text: str = "a plot") -> ToolMessage:
    return ToolMessage(B, (Returned("k", "read_file", text, pictures=(SMALL, SMALL)),))


def test_pictures_stand_behind_the_text_of_their_result() -> None:
    assert CODEC.piece(shown(), OPUS) == (
        b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"k","content":'
        b'[{"type":"text","text":"a plot"},' + IMAGE + b"," + IMAGE + b"]}]}"
    )


def test_a_result_without_words_is_its_pictures_alone() -> None:
    assert CODEC.piece(shown(" "), OPUS) == (
        b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"k","content":'
        b"[" + IMAGE + b"," + IMAGE + b"]}]}"
    )


def test_the_mark_is_on_the_result_and_nothing_else_changes() -> None:
    marked = CODEC.piece(shown(), OPUS, marked=True)
    mark = b',"cache_control":{"type":"ephemeral"}'
    assert marked.count(mark) == 1
    assert marked.replace(mark, b"") == CODEC.piece(shown(), OPUS)


def test_a_strict_provider_takes_it_and_what_follows_begins_with_the_same_bytes() -> None:
    messages: list[Message] = [UserMessage(B, "look"), said(called("k")), shown()]
    before = body(messages)
    AnthropicWire().check(json.loads(before))
    after = body([*messages, said(called("j")), ToolMessage(B, (Returned("j", "a", "b"),))])
    AnthropicWire().check(json.loads(after))
    assert after.startswith(before.removesuffix(CODEC.closing()))
