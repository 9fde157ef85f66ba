"""What is asked of an agent is read strictly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of

from hearth.core.vocabulary import prompting as p
from hearth.core.vocabulary.codec import decode_command
from hearth.core.vocabulary.refusals import Malformed
from hearth.core.vocabulary.wire import Word


@pytest.mark.parametrize("word", members(p.Prompt), ids=tag_of)
@given(data=st.data())
def test_a_prompt_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), p.Prompt)


@pytest.mark.promise("LK-CMD-03")
def test_a_message_needs_text_alone() -> None:
    assert decode_command(b'{"type":"send_message","text":"hi"}') == p.SendMessage("hi")


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b'{"type":"send_message","text":""}', "$.text"),
        (b'{"type":"send_message"}', "$"),
        (b'{"type":"send_message","text":"x","if_busy":"wait"}', "$.if_busy"),
        (b'{"type":"send_message","text":"x","file":"y"}', "$.file"),
        (b'{"type":"set_model","effort":"huge"}', "$.effort"),
        (b'{"type":"set_model","model":""}', "$.model"),
        (b'{"type":"set_servers"}', "$"),
        (b'{"type":"set_servers","servers":"docs"}', "$.servers"),
        (b'{"type":"set_servers","servers":[""]}', "$.servers[0]"),
        (b'{"type":"set_servers","servers":["' + b"x" * 41 + b'"]}', "$.servers[0]"),
        (b'{"type":"set_servers","servers":[' + b'"x",' * 100 + b'"x"]}', "$.servers"),
        (b'{"type":"edit_message","block":"b1","text":"x","rest":"some"}', "$.rest"),
        (b'{"type":"answer_approval","approval":"a1","answer":"maybe"}', "$.answer"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(raw: bytes, path: str) -> None:
    refused = decode_command(raw)
    assert isinstance(refused, Malformed)
    assert refused.path == path
