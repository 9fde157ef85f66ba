"""Pictures of results on the wire of Responses."""

import msgspec
from tests.performers.language_model.openai_samples import assistant, choice, opening, user, wire
from tests.performers.language_model.picture_samples import DATA, SMALL
from tests.providers.responses import ResponsesWire

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import Dialect
from hearth.core.vocabulary.messages import Called, Message, Returned, ToolMessage
from hearth.performers.language_model.codec import Codec
from hearth.performers.language_model.responses import ResponsesCodec

CODEC: Codec = ResponsesCodec()
GPT = choice("openai:gpt-4.1", Dialect.RESPONSES)
IMAGE = b'{"type":"input_image","image_url":"data:image/png;base64,' + DATA + b'","detail":"auto"}'


def shown(text: str = "a plot") -> ToolMessage:
    return ToolMessage(BlockId("b3"), (Returned("k", "read_file", text, pictures=(SMALL, SMALL)),))


def test_pictures_stand_behind_the_text_of_their_result() -> None:
    assert CODEC.piece(shown(), GPT) == (
        b'{"type":"function_call_output","call_id":"k","output":'
        b'[{"type":"input_text","text":"a plot"},' + IMAGE + b"," + IMAGE + b"]}"
    )


def test_a_result_without_words_is_its_pictures_alone() -> None:
    assert CODEC.piece(shown(""), GPT) == (
        b'{"type":"function_call_output","call_id":"k","output":[' + IMAGE + b"," + IMAGE + b"]}"
    )


def test_a_strict_provider_takes_it_and_what_follows_begins_with_the_same_bytes() -> None:
    called: list[Message] = [user("look"), assistant(Called("k", "read_file", "{}")), shown()]
    before = wire(CODEC, opening(GPT), called)
    ResponsesWire().check(msgspec.json.decode(before))
    after = wire(CODEC, opening(GPT), [*called, user("and?")])
    ResponsesWire().check(msgspec.json.decode(after))
    assert after.startswith(before.removesuffix(CODEC.closing()))
