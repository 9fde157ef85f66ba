"""Events: every one survives the wire, and no stored row is misread."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import assert_comes_back, members, strategy_for, tag_of
from tests.samples.examples import example

from hearth.core.vocabulary.codec import Unreadable, decode_fact, encode
from hearth.core.vocabulary.events import SETTLING, Event
from hearth.core.vocabulary.wire import Word

FIELDS = [
    (word, field.encode_name) for word in members(Event) for field in msgspec.structs.fields(word)
]


@pytest.mark.promise("SF-LOG-09")
@pytest.mark.parametrize("word", members(Event), ids=tag_of)
@given(data=st.data())
def test_an_event_comes_back_from_json_as_it_went(word: type[Word], data: st.DataObject) -> None:
    assert_comes_back(data.draw(strategy_for(word)), Event)


@pytest.mark.parametrize("word", members(Event), ids=tag_of)
def test_a_stored_event_with_an_unknown_field_is_unreadable(word: type[Word]) -> None:
    with pytest.raises(Unreadable) as caught:
        decode_fact(_row({**msgspec.to_builtins(example(word)), "colour": "red"}))
    assert caught.value.path == "$.event.colour"


@pytest.mark.parametrize(
    ("word", "field"), FIELDS, ids=[f"{tag_of(word)}.{field}" for word, field in FIELDS]
)
def test_a_stored_event_with_a_wrong_type_is_unreadable(word: type[Word], field: str) -> None:
    with pytest.raises(Unreadable) as caught:
        decode_fact(_row({**msgspec.to_builtins(example(word)), field: [[]]}))
    assert caught.value.path.startswith(f"$.event.{field}")


def test_what_settles_a_command_is_an_event() -> None:
    assert set(members(Event)) > SETTLING
    # These only announce that something goes on; nobody may be answered by them.
    assert not {
        word for word in SETTLING if word.__name__.endswith(("Started", "Queued", "Scheduled"))
    }


def test_every_event_is_written_in_the_past_tense() -> None:
    past = ("ed", "ready", "reset", "withdrawn", "kept", "rewound", "chosen", "undone", "redone")
    assert [tag for tag in map(tag_of, members(Event)) if not tag.endswith(past)] == []


def _row(event: Any) -> bytes:
    return encode(
        {
            "id": "i1.0",
            "at": datetime(2026, 11, 15, tzinfo=UTC),
            "origin": {"actor": "system"},
            "cause": "i1",
            "event": event,
        }
    )
