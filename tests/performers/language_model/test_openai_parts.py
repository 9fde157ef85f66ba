"""What both of OpenAI's wires send alike."""

from hearth.core.vocabulary.messages import Returned
from hearth.performers.language_model.openai_parts import call_id, declared, headers, result_sent


def test_a_key_is_sent_and_without_one_no_header_pretends_there_is() -> None:
    assert headers("k") == headers("") | {"authorization": "Bearer k"}
    assert "authorization" not in headers("")
    assert headers("")["content-type"] == "application/json"


def test_the_id_of_a_call_is_the_one_that_was_always_sent_for_it() -> None:
    assert call_id("call_00-aB") == "call_00-aB"
    assert call_id("toolu/01") == "toolu_01_fa2f63d1d772ae02"


def test_the_text_of_a_result_says_that_it_is_an_error() -> None:
    assert result_sent(Returned("c", "f", "4")) == "4"
    assert result_sent(Returned("c", "f", "no such name", is_error=True)) == "Error: no such name"


def test_tools_keep_their_order_and_their_schema_byte_for_byte() -> None:
    schema = '{"type":"object",  "properties":{}}'
    tools = declared(
        '[{"name":"b","description":"B","input_schema":' + schema + "},"
        '{"name":"a","description":"A","input_schema":{}}]'
    )
    assert [tool.name for tool in tools] == ["b", "a"]
    assert bytes(tools[0].input_schema).decode() == schema
    assert declared("") == declared("[]") == []
