"""Pictures of results on the wire of Chat Completions, whose results can hold none."""

import msgspec
from tests.performers.language_model.openai_samples import assistant, choice, opening, user, wire
from tests.performers.language_model.picture_samples import DATA, SMALL
from tests.providers.chat import ChatWire

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.lines import Dialect
from hearth.core.vocabulary.messages import Called, Message, Returned, ToolMessage
from hearth.performers.language_model.chat import ChatCodec
from hearth.performers.language_model.codec import Codec

CODEC: Codec = ChatCodec()
GPT = choice("openai:gpt-4o", Dialect.CHAT)
IMAGE = b'{"type":"image_url","image_url":{"url":"data:image/png;base64,' + DATA + b'"}}'
SHOWN = ToolMessage(
    BlockId("b3"),
    (
        Returned("k1", "read_file", "a plot", pictures=(SMALL,)),
        Returned("k2", "grep", "nothing"),
        Returned("k3", "look", "", pictures=(SMALL, SMALL)),
    ),
)


def test_pictures_are_shown_behind_all_results_each_with_the_call_it_is_of() -> None:
    assert (
        CODEC.piece(SHOWN, GPT)
        == (
            b'{"role":"tool","tool_call_id":"k1","content":"a plot"},'
            b'{"role":"tool","tool_call_id":"k2","content":"nothing"},'
            b'{"role":"tool","tool_call_id":"k3","content":""},'
            b'{"role":"user","content":['
            b'{"type":"text","text":"What read_file shows in its result k1:"},' + IMAGE + b","
            b'{"type":"text","text":"What look shows in its result k3:"},' + IMAGE + b"," + IMAGE
        )
        + b"]}"
    )


def test_a_strict_provider_takes_it_and_what_follows_begins_with_the_same_bytes() -> None:
    calls = (Called(one.wire_id, one.name, "{}") for one in SHOWN.results)
    called: list[Message] = [user("look"), assistant(*calls), SHOWN]
    before = wire(CODEC, opening(GPT), called)
    ChatWire().check(msgspec.json.decode(before))
    after = wire(CODEC, opening(GPT), [*called, user("and?")])
    ChatWire().check(msgspec.json.decode(after))
    assert after.startswith(before.removesuffix(CODEC.closing()))
