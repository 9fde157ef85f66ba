"""What a tool answers."""

import json

import pytest
from rs_bpe.bpe import openai
from tests.servers.mcp.tools.statuses import status

from hearth.core.rules.interpreter import ADVERTISED, WHERE_THERE_IS
from hearth.core.vocabulary.content import Blob
from hearth.core.vocabulary.ids import SessionId
from hearth.core.vocabulary.phases import Affordance, PhaseName
from hearth.core.vocabulary.refusals import NotNow, UnknownSession
from hearth.servers.http.answers import trouble_of
from hearth.servers.mcp.tools.said import (
    EVERYWHERE,
    Picture,
    Said,
    bounded,
    compact,
    head_of,
    offered,
    refused,
    result,
    trouble,
)
from hearth.servers.mcp.tools.table import BY_NAME

TOKENS = openai.o200k_base()


def test_a_usual_answer_names_what_changes_something_and_its_text_none_of_it() -> None:
    told = result(Said({"result": "2"}), "session-a1b2c3", status())
    changing = [name for name in offered(status()) if not BY_NAME[name].hints.read_only]
    assert "run_code" in changing
    assert told["structuredContent"] == {
        "result": "2",
        "session": "session-a1b2c3",
        "state": "ready",
        "available_actions": changing,
    }
    assert json.loads(told["content"][0]["text"]) == {
        "result": "2",
        "session": "session-a1b2c3",
        "state": "ready",
    }
    assert told["isError"] is False


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (trouble("malformed", "no"), PhaseName.READY),
        (Said(), PhaseName.EVALUATING),
        (Said(is_error=True), PhaseName.FAULTED),
        (Said(tells_actions=True), PhaseName.READY),
    ],
)
def test_whatever_is_not_usual_says_all_that_is_offered(said: Said, state: PhaseName) -> None:
    told = result(said, "session-a1b2c3", status(state=state))
    assert json.loads(told["content"][0]["text"]) == told["structuredContent"]
    assert told["structuredContent"]["available_actions"] == offered(status(state=state))


def test_what_is_offered_always_is_in_no_answer() -> None:
    assert set(offered(status())) == set(Affordance) - EVERYWHERE
    assert offered(None) == []


def test_pictures_are_pictures() -> None:
    told = result(Said(pictures=[Picture("aGk=", "image/png")]), None, None)
    assert told["content"][1] == {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert "aGk=" not in told["content"][0]["text"]
    assert told["structuredContent"]["session"] is None
    assert told["structuredContent"]["state"] == "uninitialized"


@pytest.mark.promise("SF-STATE-07")
def test_a_refusal_has_the_type_and_the_words_that_it_has_over_http() -> None:
    for refusal in (
        NotNow(
            why="a cell runs", command="run_cell", state=PhaseName.EVALUATING,
            available=(Affordance.CANCEL_EVAL,), remedy=("cancel_eval",),
        ),
        UnknownSession(why="none", session=SessionId("x"), remedy=("list_sessions",)),
    ):  # fmt: skip
        told = refused(refusal)
        assert told.is_error
        over_http = trouble_of(refusal)
        assert told.fields["error"]["type"] == over_http.code
        assert told.fields["error"]["message"] == over_http.message
        assert told.fields["remedy"] == list(refusal.remedy)
        assert "available" not in told.fields["error"]


def test_other_trouble_has_a_type_too() -> None:
    told = trouble("tool_unavailable", "not here", "start the daemon", tool="x")
    assert told.fields == {
        "error": {"type": "tool_unavailable", "message": "not here", "tool": "x"},
        "remedy": ["start the daemon"],
    }


def test_of_a_text_that_is_kept_elsewhere_there_is_its_beginning() -> None:
    assert head_of("all of it") == "all of it"
    assert head_of(Blob("d" * 64, 70_000, head="its beginning")) == "its beginning"


def test_a_long_text_keeps_both_ends_and_says_where_the_rest_is() -> None:
    told = bounded("a" * 500 + "z" * 500, 100, "see there")
    assert told.startswith("a" * 66)
    assert told.endswith("z" * 34)
    assert "900 characters left out; see there" in told
    assert bounded("short", 100) == "short"
    assert bounded("half a pair: \ud800", 100) == "half a pair: ?"


def test_an_answer_is_small() -> None:
    said = Said({"result": "2", "type": "int", "hasErrors": False})
    rare = WHERE_THERE_IS - {Affordance.UNDO_CODE}
    usual = tuple(one for one in ADVERTISED[PhaseName.READY] if one not in rare)
    told = result(said, "session-a1b2c3", status(available=usual))
    assert len(TOKENS.encode(told["content"][0]["text"])) <= 60
    assert len(TOKENS.encode(compact(told["structuredContent"]))) <= 60
