"""The envelope of an event, before and after it has its place in the log."""

import msgspec
import pytest
from hypothesis import given
from tests.contracts.words import strategy_for

from hearth.core.vocabulary.codec import decode_fact, encode
from hearth.core.vocabulary.envelope import Envelope, Fact


@pytest.mark.promise("SF-LOG-09")
@given(strategy_for(Fact))
def test_a_fact_comes_back_from_json_as_it_went(fact: Fact) -> None:
    raw = encode(fact)
    assert decode_fact(raw) == fact
    assert encode(decode_fact(raw)) == raw


@pytest.mark.promise("SF-LOG-09")
@given(strategy_for(Envelope))
def test_an_envelope_comes_back_from_json_as_it_went(envelope: Envelope) -> None:
    assert msgspec.json.decode(encode(envelope), type=Envelope) == envelope


@pytest.mark.promise("SF-LOG-07")
def test_an_envelope_is_a_fact_and_its_place() -> None:
    # `envelope_json` puts the place before the stored bytes of the fact: the order is the wire.
    fact = [field.name for field in msgspec.structs.fields(Fact)]
    assert [field.name for field in msgspec.structs.fields(Envelope)] == [
        "seq",
        "session",
        "version",
        *fact,
    ]
