"""What is sent and what is answered stands for words on both sides."""

import msgspec
import pytest
from tests.contracts.words import members
from tests.samples.examples import EXAMPLES

from hearth.clients.remote.troubles import Rejected, WrongVersion
from hearth.clients.remote.words import bad_id, body_of, decoded, refusal, unknown_view, viewed
from hearth.core.views.sessions import Sessions
from hearth.core.vocabulary import codec
from hearth.core.vocabulary.commands import LoadScript, RenameSession, RunCell
from hearth.core.vocabulary.ids import InputId
from hearth.core.vocabulary.refusals import Refusal, Refused, TooLarge
from hearth.servers.http.answers import trouble_of


def test_a_command_is_sent_as_the_word_it_is() -> None:
    command = RunCell("1+1", if_busy="queue")
    raw = body_of(command)
    assert isinstance(raw, bytes)
    assert codec.decode_command(raw) == command


def test_half_a_pair_becomes_a_question_mark_and_not_an_error() -> None:
    raw = body_of(LoadScript("a\ud800.py"))
    assert isinstance(raw, bytes)
    assert codec.decode_command(raw) == LoadScript("a?.py")


@pytest.mark.parametrize(
    ("code", "size"), [("#" * 10_000_000, 10_000_000), ('"' * 5_000_000, 10_000_029)]
)
def test_what_is_too_large_is_not_sent_at_all(code: str, size: int) -> None:
    refused = body_of(RunCell(code))
    assert isinstance(refused, TooLarge)
    assert (refused.size, refused.limit) == (size, codec.MAX_COMMAND_BYTES)
    assert refused.remedy


def test_what_can_be_no_id_or_view_is_refused_with_what_could() -> None:
    assert bad_id(InputId("a.b")).path == "$.id"
    assert "status" in unknown_view("x").remedy[0]


def every_refusal() -> list[Refused]:
    return [one for one in EXAMPLES.values() if isinstance(one, Refused)]


@pytest.mark.parametrize("word", every_refusal(), ids=lambda word: type(word).__name__)
def test_every_refusal_comes_back_as_it_was(word: Refusal) -> None:
    assert {type(one) for one in every_refusal()} == set(members(Refusal))
    trouble = trouble_of(word)
    assert refusal(trouble.status, trouble.body()) == word


def test_what_is_no_refusal_is_raised() -> None:
    raw = codec.encode({"error": {"code": "bad_token", "message": "no", "hint": "read it again"}})
    with pytest.raises(Rejected) as rejected:
        refusal(401, raw)
    assert (rejected.value.code, rejected.value.hint) == ("bad_token", "read it again")
    raw = codec.encode({"error": {"code": "wrong_version", "message": "old", "hint": "stop it"}})
    with pytest.raises(WrongVersion, match="old"):
        refusal(426, raw)
    for broken in (b"", b"<html>", b"[1]", b'{"error": 1}', b'{"error": {}}'):
        with pytest.raises(Rejected) as rejected:
            refusal(502, broken)
        assert "502" in rejected.value.sentence


def test_a_view_is_read_as_what_its_name_says() -> None:
    assert viewed("sessions", b'{"value":{},"seq":4}').value == Sessions()
    for name, raw in [("sessions", b"{}"), ("sessions", b'{"value":{"x":1},"seq":1}')]:
        with pytest.raises(Rejected):
            viewed(name, raw)
    with pytest.raises(Rejected, match="a view 'weather'"):
        viewed("weather", b'{"value":{},"seq":4}')
    assert decoded(msgspec.Raw(b"[1]"), list[int]) == [1]
    assert isinstance(body_of(RenameSession("x")), bytes)
