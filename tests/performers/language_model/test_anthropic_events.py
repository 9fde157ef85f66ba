"""Events of a stream are known, new, or no events at all."""

import pytest

from hearth.core.vocabulary.modelling import Trouble
from hearth.performers.language_model.anthropic_events import Counted, decoded, malformed
from hearth.performers.language_model.codec import WireTrouble
from hearth.performers.language_model.server_sent import Frame


def test_an_event_is_what_its_data_says() -> None:
    event = decoded(
        Frame(
            "", b'{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":7}}'
        )
    )
    assert event is not None
    assert event.type == "message_delta"
    assert event.usage == Counted(output_tokens=7)
    assert event.delta is not None
    assert event.delta.stop_reason is None


@pytest.mark.parametrize(
    "data", [b'{"type":"weather","index":"here","delta":7}', b'{"type":"weather"}']
)
def test_an_event_that_is_new_may_have_any_shape(data: bytes) -> None:
    event = decoded(Frame("weather", data))
    assert event is None or event.type == "weather"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("", b"{"),
        ("", b""),
        ("", b"[]"),
        ("", b"\xff"),
        ("", b'{"type":7}'),
        ("", b'{"type":"content_block_delta","index":"0"}'),
        ("message_stop", b'{"type":"weather","index":"0"}'),
        (
            "",
            b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\ud83d"}}',
        ),
        (
            "content_block_start",
            b'{"type":"content_block_start","content_block":{"a":' + b"[" * 9999,
        ),
    ],
)
def test_what_is_no_event_is_malformed(name: str, data: bytes) -> None:
    with pytest.raises(WireTrouble) as caught:
        decoded(Frame(name, data))
    assert caught.value.trouble is Trouble.MALFORMED
    assert "not as the protocol says" in caught.value.message


def test_what_is_wrong_is_told_in_one_line() -> None:
    trouble = malformed("a\nb" * 1000)
    assert "\n" not in trouble.message
    assert len(trouble.message) <= 600
