"""Rows of earlier versions are read in the present shape; their bytes stay as they are."""

from typing import Any

import msgspec
import pytest
from tests.contracts.words import members, tag_of

from hearth.core.vocabulary.codec import Unreadable, decode_fact, encode
from hearth.core.vocabulary.events import Event, SessionRenamed
from hearth.core.vocabulary.upcasts import UPCASTS, Raw, Upcast, upcast
from hearth.core.vocabulary.wire import WIRE


def _title_becomes_text(event: Raw) -> Raw:
    return {"text": event["title"]}


def _text_becomes_name(event: Raw) -> Raw:
    return {"name": event["text"].strip()}


CHAIN = (
    Upcast("session_titled", "session_titled.v2", _title_becomes_text),
    Upcast("session_titled.v2", "session_renamed", _text_becomes_name),
)


def _row(event: Any) -> bytes:
    return encode(
        {
            "id": "i1.0",
            "at": "2026-11-15T12:00:00Z",
            "origin": {"actor": "person", "name": "ada"},
            "cause": "i1",
            "event": event,
        }
    )


@pytest.mark.promise("SF-LOG-12")
@pytest.mark.parametrize(
    "old",
    [
        {"type": "session_titled", "title": " wheels "},
        {"type": "session_titled.v2", "text": " wheels "},
        {"type": "session_renamed", "name": "wheels"},
    ],
)
def test_an_old_row_is_read_in_the_present_shape(old: Raw) -> None:
    row = _row(old)
    before = bytes(row)
    fact = decode_fact(row, CHAIN)
    assert fact.event == SessionRenamed(name="wheels")
    assert (fact.id, fact.cause, fact.origin.name) == ("i1.0", "i1", "ada")
    assert row == before


@pytest.mark.promise("SF-LOG-12")
def test_without_its_upcast_an_old_row_is_unreadable() -> None:
    with pytest.raises(Unreadable) as caught:
        decode_fact(_row({"type": "session_titled", "title": "wheels"}), CHAIN[1:])
    assert caught.value.path == "$.event.type"


@pytest.mark.promise("SF-LOG-11")
def test_an_unknown_event_is_unreadable_with_its_path() -> None:
    with pytest.raises(Unreadable) as caught:
        decode_fact(_row({"type": "session_dreamt"}), CHAIN)
    assert caught.value.path == "$.event.type"
    assert "session_dreamt" in caught.value.why


def test_an_upcast_that_gives_no_word_of_ours_is_unreadable() -> None:
    wrong = (Upcast("session_titled", "session_renamed", lambda _: {"nome": "x"}),)
    with pytest.raises(Unreadable):
        decode_fact(_row({"type": "session_titled"}), wrong)


@pytest.mark.promise("SF-LOG-11")
def test_a_row_from_before_an_optional_field_is_read_with_its_default() -> None:
    fact = decode_fact(_row({"type": "session_warm_up_started", "generation": 1}))
    assert msgspec.structs.asdict(fact.event) == {"generation": 1, "projects": ()}


def test_what_needs_no_upcast_gets_none() -> None:
    assert upcast({"event": {"type": "session_renamed", "name": "x"}}, CHAIN) is None
    oddities: list[Any] = [None, [], "x", {}, {"event": "x"}, {"event": {}}]
    for odd in oddities:
        assert upcast(odd, CHAIN) is None


def test_the_given_row_is_not_changed() -> None:
    raw = {"event": {"type": "session_titled", "title": "wheels"}}
    assert upcast(raw, CHAIN) == {"event": {"type": "session_renamed", "name": "wheels"}}
    assert raw == {"event": {"type": "session_titled", "title": "wheels"}}


@pytest.mark.promise("SF-LOG-12")
def test_every_upcast_leads_to_a_word_that_exists_and_comes_from_none() -> None:
    present = set(map(tag_of, members(Event)))
    reached = {step.new for step in UPCASTS}
    assert reached <= present | {step.old for step in UPCASTS}
    assert not {step.old for step in UPCASTS} & present
    # A word of version n has n - 1 steps behind it, or old rows of it cannot be read.
    names = {wire.name: wire for wire in WIRE.values() if wire.tag in present}
    for wire in names.values():
        assert wire.version == 1 or wire.tag in reached, wire
