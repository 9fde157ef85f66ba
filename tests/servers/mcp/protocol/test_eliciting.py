import json
from typing import Any

import pytest
from mcp_types import (
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitationCapability,
    ElicitResult,
    FormElicitationCapability,
    ListRootsRequest,
    RootsCapability,
    SamplingCapability,
    UrlElicitationCapability,
)

from hearth.servers.mcp.protocol.eliciting import (
    AskedBack,
    CannotAsk,
    Question,
    Rounds,
    cannot,
    read,
    unfit,
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "age": {"type": "integer", "minimum": 0},
        "share": {"type": "number", "maximum": 1},
        "sure": {"type": "boolean"},
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 2},
    },
    "required": ["name"],
}
NAME = Question("Your name?", SCHEMA)
YES = {"action": "accept", "content": {"name": "ann"}}


def asked(rounds: Rounds, *keys: str, question: Question = NAME) -> AskedBack:
    with pytest.raises(AskedBack) as caught:
        rounds.answered({key: question.as_request() for key in keys})
    return caught.value


@pytest.mark.parametrize(
    "content",
    [
        {"name": "ann"},
        {"name": "ann", "age": 7, "share": 0.5, "sure": False, "colour": "red"},
        {"name": "ann", "age": 7.0, "size": "s", "tags": ["a", "b"], "more": "is let be"},
        {"name": "ann", "age": None},
    ],
)
def test_fields_that_are_as_the_schema_wants_them_fit(content: dict[str, Any]) -> None:
    assert unfit(SCHEMA, content) is None


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ({}, "name is missing"),
        ({"name": None}, "name is missing"),
        ({"name": 7}, "name must be a string"),
        ({"name": ""}, "name is not within its bounds"),
        ({"name": "too long"}, "name is not within its bounds"),
        ({"name": "ann", "age": -1}, "age is not within its bounds"),
        ({"name": "ann", "age": 1.5}, "age must be a integer"),
        ({"name": "ann", "age": True}, "age must be a integer"),
        ({"name": "ann", "share": 2}, "share is not within its bounds"),
        ({"name": "ann", "sure": "yes"}, "sure must be a boolean"),
        ({"name": "ann", "colour": "green"}, "colour must be one of red, blue"),
        ({"name": "ann", "size": "m"}, "size must be one of s"),
        ({"name": "ann", "tags": ["c"]}, "tags must be one of a, b"),
        ({"name": "ann", "tags": ["a", "a", "a"]}, "tags is not within its bounds"),
    ],
)
def test_what_does_not_fit_is_named(content: dict[str, Any], wrong: str) -> None:
    assert unfit(SCHEMA, content) == wrong


def test_a_response_is_read_as_its_type_and_nothing_else_is() -> None:
    result = read(NAME.as_request(), YES)
    assert isinstance(result, ElicitResult)
    assert result.content == {"name": "ann"}
    assert isinstance(read(NAME.as_request(), {"action": "decline"}), ElicitResult)
    for bad in (7, None, {}, {"action": "maybe"}, {"action": "accept"}, {**YES, "content": {}}):
        with pytest.raises(ValueError):  # noqa: PT011 - any will do
            read(NAME.as_request(), bad)


def test_what_a_client_did_not_declare_it_is_not_asked() -> None:
    form, url = Question("?").as_request(), Question("?", url="https://x.test").as_request()
    sample = CreateMessageRequest(params=CreateMessageRequestParams(messages=[], max_tokens=1))
    nothing = ClientCapabilities()
    for one in (form, url, sample, ListRootsRequest()):
        assert "did not declare" in str(cannot(one, nothing))
        assert "did not declare" in str(cannot(one, None))
    plain = ClientCapabilities(elicitation=ElicitationCapability())
    assert cannot(form, plain) is None
    assert cannot(url, plain) is not None
    by_url = ClientCapabilities(elicitation=ElicitationCapability(url=UrlElicitationCapability()))
    assert cannot(form, by_url) == "the client declared elicitation by url alone, not by form"
    assert cannot(url, by_url) is None
    both = ElicitationCapability(url=UrlElicitationCapability(), form=FormElicitationCapability())
    assert cannot(form, ClientCapabilities(elicitation=both)) is None
    assert cannot(sample, ClientCapabilities(sampling=SamplingCapability())) is None
    assert cannot(ListRootsRequest(), ClientCapabilities(roots=RootsCapability())) is None


def test_the_first_round_asks_and_the_second_has_the_answer() -> None:
    first = Rounds(None, None)
    first.notes["cell"] = "c7"
    back = asked(first, "who").result
    assert list(back.input_requests or {}) == ["who"]
    second = Rounds(back.request_state, {"who": YES})
    assert second.notes == {"cell": "c7"}
    result = second.answered({"who": NAME.as_request()})["who"]
    assert isinstance(result, ElicitResult)
    assert result.content == {"name": "ann"}


def test_earlier_answers_are_there_in_later_rounds() -> None:
    back = asked(Rounds(None, None), "one").result
    second = Rounds(back.request_state, {"one": YES})
    second.answered({"one": NAME.as_request()})
    back = asked(second, "two").result
    assert list(back.input_requests or {}) == ["two"]
    third = Rounds(back.request_state, {"two": {"action": "decline"}})
    assert third.answered({"one": NAME.as_request()})
    assert third.answered({"two": NAME.as_request()})


def test_an_answer_to_what_was_not_asked_is_none() -> None:
    asked(Rounds(None, {"who": YES}), "who")
    back = asked(Rounds(None, None), "who").result
    other = Question("May all be deleted?", SCHEMA)
    asked(Rounds(back.request_state, {"who": YES}), "who", question=other)
    # And an answer that was given to one question does not answer another of that name.
    second = Rounds(back.request_state, {"who": YES})
    second.answered({"who": NAME.as_request()})
    asked(second, "who", question=other)


def test_an_answer_that_may_be_foreseen_saves_a_round_and_must_fit_all_the_same() -> None:
    rounds = Rounds(None, {"who": YES, "more": {"x": 1}})
    answers = rounds.answered({"who": NAME.as_request()}, foreseeable=True)
    assert isinstance(answers["who"], ElicitResult)
    for bad in (7, None, {"action": "accept", "content": {"name": 7}}):
        with pytest.raises(AskedBack):
            Rounds(None, {"who": bad}).answered({"who": NAME.as_request()}, foreseeable=True)


def test_what_is_missing_or_does_not_fit_is_asked_for_again() -> None:
    back = asked(Rounds(None, None), "a", "b").result
    bad = {"a": YES, "b": {"action": "accept", "content": {"name": 7}}}
    again = asked(Rounds(back.request_state, bad), "a", "b").result
    assert list(again.input_requests or {}) == ["b"]


@pytest.mark.parametrize("state", ["", "nothing", "[]", "7", '"x"'])
def test_a_state_that_is_none_of_ours_is_none(state: str) -> None:
    asked(Rounds(state, {"who": YES}), "who")


def test_a_state_that_grows_too_large_ends_the_asking() -> None:
    rounds = Rounds(None, None)
    rounds.notes["all"] = "x" * 100_000
    with pytest.raises(CannotAsk):
        rounds.answered({"who": NAME.as_request()})


def test_a_question_by_url_carries_no_form() -> None:
    dumped = (
        Question("Log in", url="https://x.test", url_id="7")
        .as_request()
        .model_dump(mode="json", by_alias=True, exclude_none=True)
    )
    assert dumped["params"] == {
        "mode": "url",
        "message": "Log in",
        "url": "https://x.test",
        "elicitationId": "7",
    }
    assert "requestedSchema" not in json.dumps(dumped)
