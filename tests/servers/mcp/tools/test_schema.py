"""Pieces of JSON Schema."""

from hearth.servers.mcp.tools import schema as s


def test_every_tool_takes_a_session_and_nothing_that_it_does_not_know() -> None:
    taken = s.taken({"code": s.TEXT}, ("code",))
    assert set(taken["properties"]) == {"code", "session"}
    assert taken["required"] == ["code"]
    assert taken["additionalProperties"] is False


def test_every_answer_says_how_the_session_stands() -> None:
    given = s.given({"x": s.list_of(s.INTEGER)})
    assert set(given["required"]) == {"session", "state", "available_actions"}
    assert given["properties"]["x"] == {"type": "array", "items": {"type": "integer"}}
    assert s.an_object(a=s.TEXT)["properties"] == {"a": {"type": "string"}}
    assert s.wait(1, 2)["maximum"] == 2
