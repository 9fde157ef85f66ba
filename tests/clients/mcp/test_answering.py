import json

from hearth.clients.mcp.answering import heard, is_forgotten, outcome, refusal, unanswered


def test_a_message_is_passed_on_as_it_is_written_but_on_one_line() -> None:
    plain = heard('{"jsonrpc": "2.0",  "method": "x"}')
    assert plain is not None
    assert plain.line == b'{"jsonrpc": "2.0",  "method": "x"}'
    assert not plain.is_answer
    folded = heard('{"jsonrpc": "2.0",\n"id": 1, "result": "\u00e4"}')
    assert folded is not None
    assert b"\n" not in folded.line
    assert json.loads(folded.line)["result"] == "\u00e4"
    assert folded.is_answer
    assert heard("no json") is None
    assert heard("[]") is None


def test_an_answer_keeps_the_id_of_who_asked() -> None:
    body = b'{"jsonrpc": "2.0", "id": 7, "result": {}}'
    assert outcome(7, 200, body).line == body
    nobodys = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}}'
    assert outcome("a", 400, nobodys).said["id"] == "a"
    assert outcome("a", 400, nobodys).said["error"]["message"] == "no"


def test_what_the_door_refuses_is_told_with_its_hint() -> None:
    body = b'{"error": {"code": "bad_token", "message": "not known", "hint": "make one"}}'
    error = outcome(1, 401, body).said["error"]
    assert error["message"] == "not known; hint: make one"
    assert error["data"] == {"status": 401, "code": "bad_token", "hint": "make one"}
    assert "502" in outcome(1, 502, b"<html>").said["error"]["message"]


def test_a_lost_answer_says_that_it_may_have_taken_effect() -> None:
    error = unanswered(1, "no answer came").said["error"]
    assert "may have taken effect" in error["message"]
    assert error["code"] == -32000
    assert refusal(1, -1, "x").said["error"] == {"code": -1, "message": "x"}


def test_errors_are_lines_of_json() -> None:
    line = refusal("ä", -32000, "so\nit is", {"hint": "x"}).line
    assert b"\n" not in line
    error = {"code": -32000, "message": "so\nit is", "data": {"hint": "x"}}
    assert json.loads(line) == {"jsonrpc": "2.0", "id": "ä", "error": error}


def test_only_a_protocol_that_does_not_know_the_connection_has_forgotten_it() -> None:
    assert is_forgotten(404, b'{"jsonrpc": "2.0", "id": null, "error": {}}')
    assert not is_forgotten(404, b'{"error": {"code": "no_route"}}')
    assert not is_forgotten(400, b'{"jsonrpc": "2.0", "id": null, "error": {}}')
