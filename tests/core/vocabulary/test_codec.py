"""The codec: bad input becomes a refusal, never an exception; what was stored is read again."""

import sys
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import example as tried
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.words import strategy_for

from hearth.core.vocabulary.codec import (
    MAX_COMMAND_BYTES,
    MAX_EVENT_BYTES,
    MAX_PAYLOAD_BYTES,
    Unreadable,
    decode_command,
    decode_envelope,
    decode_fact,
    draft,
    encode,
    envelope,
    envelope_json,
    malformed,
)
from hearth.core.vocabulary.commands import Command, RunCell
from hearth.core.vocabulary.envelope import Envelope, Fact, Stored
from hearth.core.vocabulary.events import SessionReady
from hearth.core.vocabulary.ids import EventId, InputId, SessionId
from hearth.core.vocabulary.origin import SYSTEM
from hearth.core.vocabulary.refusals import Malformed, TooLarge
from hearth.core.vocabulary.wire import Word

FACT = Fact(
    id=EventId("i1.0"),
    at=datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC),
    origin=SYSTEM,
    cause=InputId("i1"),
    event=SessionReady(),
)
RUN = b'{"type":"run_cell","code":"1 + 1"}'


@pytest.mark.parametrize("length", range(len(RUN)))
def test_a_truncated_command_is_malformed(length: int) -> None:
    assert isinstance(decode_command(RUN[:length]), Malformed)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"\xff\xfe\x00", "$"),
        (b'{"type":"run_cell","code":"\xff"}', "$"),
        (b'{"type":"run_cell","code":"\\ud800"}', "$"),
        (b'{"type":"run_cell","code":"1","time_limit":NaN}', "$"),
        (b'{"type":"run_cell","code":"1","time_limit":Infinity}', "$"),
        (b'{"type":"run_cell","code":"1","time_limit":1e999}', "$.time_limit"),
        (b'{"type":"run_cell","code":"1"} trailing', "$"),
        (b'{"type":"run_cell","code":' + b"[" * 100_000, "$.code"),
        (b'{"type":' * 100_000, "$"),
        (b"[" * 100_000, "$"),
        (b'{"type":"complete_code","code":"","cursor":1' + b"0" * 5000 + b"}", "$.cursor"),
        (b'{"type":"run_cell","code":"1","code":"2"}', "$..code"),
        (b'{"type":"run_cell","code":"1","co\\u0064e":"2"}', "$..code"),
        (b'{"type":"create_session","config":{"name":"a","name":"b"}}', "$..name"),
        (b'{"type":"run_cell","type":"run_cell","code":"1"}', "$..type"),
        (b'{"type":"run_cell","code":"1","type":"stop_session"}', "$.type"),
        (b'\xef\xbb\xbf{"type":"run_cell","code":"1"}', "$"),
        (b"null", "$"),
        (b"[]", "$"),
        (b"", "$"),
    ],
)
def test_bad_input_is_malformed_with_its_path(raw: bytes, path: str) -> None:
    refusal = decode_command(raw)
    assert isinstance(refusal, Malformed)
    assert refusal.path == path
    assert refusal.why
    assert refusal.remedy


@given(st.binary())
@tried(b'{"type":"complete_code","code":"","cursor":1' + b"0" * 4000 + b"}")
@tried(b'{"type":"run_cell","code":"\x01\n"}')
def test_no_bytes_make_the_codec_raise(raw: bytes) -> None:
    assert isinstance(decode_command(raw), Word)


@given(strategy_for(Command), st.data())
def test_no_damage_to_a_command_makes_the_codec_raise(
    command: Command, data: st.DataObject
) -> None:
    raw = bytearray(encode(command))
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    answer = decode_command(bytes(raw))
    assert isinstance(answer, Word)
    # Whatever was taken can be written again: no command poisons what comes after it.
    assert encode(answer)


def test_whole_numbers_beyond_what_python_prints_do_no_harm() -> None:
    digits = sys.get_int_max_str_digits() - 10
    raw = b'{"type":"complete_code","code":"","cursor":1' + b"0" * digits + b"}"
    assert isinstance(decode_command(raw), Word)


def test_a_command_of_the_largest_size_is_taken_and_one_byte_more_is_not() -> None:
    frame = len(encode(RunCell(code="")))
    fits = encode(RunCell(code="x" * (MAX_COMMAND_BYTES - frame)))
    assert isinstance(decode_command(fits), RunCell)
    refusal = decode_command(fits + b" ")
    assert refusal == TooLarge(
        why=f"the command has {MAX_COMMAND_BYTES + 1} bytes",
        size=MAX_COMMAND_BYTES + 1,
        limit=MAX_COMMAND_BYTES,
        remedy=(f"send at most {MAX_COMMAND_BYTES} bytes; load larger code from a file",),
    )


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"type":"run_cell","code":5}', "code: Expected `str`, got `int`"),
        (
            b'{"type":"create_session","config":{"name":5}}',
            "config.name: Expected `str`, got `int`",
        ),
        (
            b'{"type":"create_session","config":{"x":5}}',
            "config: Object contains unknown field `x`",
        ),
        (b'{"type":"run_cell"}', "Object missing required field `code`"),
        (b'{"type":"run_cell","code":"1","x":2}', "Object contains unknown field `x`"),
    ],
)
def test_what_is_wrong_says_in_which_field(raw: bytes, why: str) -> None:
    refusal = decode_command(raw)
    assert isinstance(refusal, Malformed)
    assert refusal.why == why


def test_a_text_that_may_stay_in_an_event_fits_into_one() -> None:
    # Six bytes is what the worst character takes in JSON (\u0000).
    assert MAX_PAYLOAD_BYTES < MAX_EVENT_BYTES < MAX_COMMAND_BYTES


def test_a_refusal_without_a_path_names_the_whole() -> None:
    refusal = malformed(ValueError("something\nover two lines"))
    assert refusal.path == "$"
    assert refusal.why == "something\nover two lines"


def test_a_draft_has_the_id_the_tag_and_the_bytes_of_its_fact() -> None:
    made = draft(FACT)
    assert made.id == FACT.id
    assert made.type == "session_ready"
    assert decode_fact(made.data) == FACT


@pytest.mark.promise("SF-LOG-07", "SF-LOG-09")
@given(
    strategy_for(Fact),
    st.integers(min_value=1),
    st.integers(min_value=1),
    st.text().map(SessionId),
)
def test_a_row_is_sent_as_the_json_of_its_envelope(
    fact: Fact, seq: int, version: int, session: SessionId
) -> None:
    stored = Stored(seq, session, version, draft(fact).data)
    read = envelope(stored)
    assert (read.seq, read.session, read.version) == (seq, session, version)
    assert (read.id, read.at, read.origin) == (fact.id, fact.at, fact.origin)
    assert (read.cause, read.event, read.fingerprint) == (fact.cause, fact.event, fact.fingerprint)
    assert envelope_json(stored) == encode(read)
    assert decode_envelope(envelope_json(stored)) == read


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (b"session_ready", b"session_dreamt", "$.event.type"),
        (b'"session_ready"', b'"session_ready","mood":"good"', "$.event.mood"),
        (b'"actor":"system"', b'"actor":"ghost"', "$.origin.actor"),
        (b'"cause":"i1"', b'"cause":1', "$.cause"),
        (b'"id":"i1.0",', b"", "$"),
        (b'{"id"', b'{"id', "$"),
        (b"session_ready", b"session_\xff", "$"),
    ],
)
def test_a_row_that_no_word_fits_is_unreadable_with_its_path(
    old: bytes, new: bytes, path: str
) -> None:
    data = encode(FACT)
    assert old in data
    with pytest.raises(Unreadable) as caught:
        decode_fact(data.replace(old, new))
    assert caught.value.path == path
    assert caught.value.why
    assert path in str(caught.value)


def test_an_unreadable_envelope_says_where() -> None:
    raw = envelope_json(Stored(1, SessionId("session-a"), 1, encode(FACT)))
    with pytest.raises(Unreadable) as caught:
        decode_envelope(raw.replace(b'"seq":1', b'"seq":"1"'))
    assert caught.value.path == "$.seq"


@given(st.binary())
def test_a_damaged_row_is_unreadable_and_nothing_else(data: bytes) -> None:
    with pytest.raises(Unreadable):
        decode_fact(data)


@pytest.mark.promise("SF-LOG-07")
def test_an_envelope_shows_who_when_why_and_where() -> None:
    fields = {field.encode_name for field in msgspec.structs.fields(Envelope)}
    assert fields == {
        "seq", "session", "version", "id", "at", "origin", "cause", "event", "fingerprint",
    }  # fmt: skip
