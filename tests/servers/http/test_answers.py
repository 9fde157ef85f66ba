"""What the door says."""

import json

import msgspec
import pytest
from tests.contracts.words import members, tag_of
from tests.samples.examples import EXAMPLES

from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import NotNow, Refusal, Refused, StoreUnavailable
from hearth.servers.http.answers import STATUS, Trouble, answer, refused, trouble_of, wire_bytes

REFUSALS = [one for one in EXAMPLES.values() if isinstance(one, Refused)]


def test_every_refusal_has_its_status() -> None:
    assert set(STATUS) == {tag_of(word) for word in members(Refusal)}
    assert {tag_of(type(one)) for one in REFUSALS} == set(STATUS)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: type(one).__name__)
def test_a_client_can_build_the_refusal_again(refusal: Refusal) -> None:
    error = json.loads(trouble_of(refusal).body())["error"]
    assert isinstance(error["hint"], str)
    rest = {name: value for name, value in error.items() if name not in {"code", "message", "hint"}}
    word = {"type": error["code"], "why": error["message"], **rest}
    assert msgspec.convert(word, Refusal) == refusal


def test_what_would_help_is_one_sentence() -> None:
    offered = NotNow(
        why="it runs",
        command="run_cell",
        state=PhaseName.EVALUATING,
        available=(Affordance.CANCEL_EVAL,),
        remedy=("cancel_eval", "get_status"),
    )
    assert trouble_of(offered).hint == "try cancel_eval or get_status"
    assert trouble_of(StoreUnavailable(why="x", remedy=("wait a bit",))).hint == "wait a bit"
    assert trouble_of(StoreUnavailable(why="x")).hint == ""


def test_an_answer_has_its_length_and_its_type() -> None:
    response = answer({"a": 1}, 201, {"X": "y"})
    assert response.body == b'{"a":1}'
    assert response.status_code == 201
    assert response.headers["content-length"] == "7"
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x"] == "y"


def test_what_may_pass_says_when_to_come_again() -> None:
    response = refused(StoreUnavailable(why="the disk is full"))
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"


def test_trouble_is_a_whole_response_where_there_is_no_application() -> None:
    head, _, body = wire_bytes(Trouble(431, "too_many_headers", "no")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"\r\nconnection: close" in head
    assert b"\r\ncontent-length: %d" % len(body) in head
    assert json.loads(body)["error"]["code"] == "too_many_headers"
