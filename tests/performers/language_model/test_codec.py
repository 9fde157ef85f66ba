"""What every wire offers: requests that are JSON, cut nowhere, and that only grow at their end."""

import json

import pytest
from tests.performers.language_model.held import CLAUDE, GPT, LOCAL, SYSTEM, TOOLS

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import ModelChoice
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Called,
    Message,
    Returned,
    SaidText,
    ToolMessage,
    UserMessage,
)
from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.codec import Codec, Opening, WireTrouble
from hearth.performers.language_model.wires import codec_for

B = BlockId("b1")
CHOICES = [CLAUDE, GPT, LOCAL]
MESSAGES: list[Message] = [
    UserMessage(B, 'quotes " and \\ and 字'),
    AssistantMessage(B, (SaidText("I run it."), Called("call_1", "run_code", '{"code":"1"}'))),
    ToolMessage(B, (Returned("call_1", "run_code", "Out: 1"),)),
    AssistantMessage(B, (SaidText("One."),)),
    UserMessage(B, "and?"),
]


def request(codec: Codec, choice: ModelChoice, messages: list[Message]) -> bytes:
    pieces = [codec.piece(message, choice) for message in messages]
    opening = codec.opening(Opening(choice, SYSTEM, TOOLS, "conversation"))
    return opening + b",".join(pieces) + codec.closing()


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.dialect.value)
def test_a_request_is_json_however_many_messages_it_has(choice: ModelChoice) -> None:
    codec = codec_for(choice.dialect)
    before = b""
    for count in range(1, len(MESSAGES) + 1):
        body = request(codec, choice, MESSAGES[:count])
        assert json.loads(body)["model"] == choice.model
        assert body.startswith(before)
        before = body.removesuffix(codec.closing())


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.dialect.value)
def test_equal_openings_and_messages_are_equal_bytes(choice: ModelChoice) -> None:
    codec, other = codec_for(choice.dialect), type(codec_for(choice.dialect))()
    assert request(codec, choice, MESSAGES) == request(other, choice, MESSAGES)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.dialect.value)
def test_a_key_is_in_the_headers_alone_and_without_one_in_none(choice: ModelChoice) -> None:
    codec = codec_for(choice.dialect)
    assert any("sk-secret" in value for value in codec.headers("sk-secret").values())
    names = {name.lower() for name in codec.headers("")}
    assert not names & {"authorization", "x-api-key"}
    assert codec.path.startswith("/")


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.dialect.value)
def test_an_answer_that_never_came_is_a_trouble_and_nothing_can_be_kept_of_it(
    choice: ModelChoice,
) -> None:
    reader = codec_for(choice.dialect).reader(choice)
    assert reader.answer is None
    assert reader.partial() == ()
    with pytest.raises(WireTrouble) as caught:
        reader.finish()
    assert caught.value.trouble is Trouble.NETWORK


def test_a_trouble_says_all_that_is_known_of_it() -> None:
    trouble = WireTrouble(Trouble.RATE_LIMITED, "slow down", 429, 2.5)
    assert str(trouble) == trouble.message == "slow down"
    assert (trouble.trouble, trouble.status, trouble.retry_after) == (
        Trouble.RATE_LIMITED,
        429,
        2.5,
    )
