import asyncio

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, Tool
from pydantic import ValidationError

from hearth.performers.mcp_client.connecting import NeedsLogin, Unavailable
from hearth.performers.mcp_client.erring import LONGEST_REASON, is_closed, reason, what_went_wrong

CLOSED = MCPError(CONNECTION_CLOSED, "closed")
REFUSED = MCPError(INTERNAL_ERROR, "no")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Unavailable("it is broken"), "it is broken"),
        (NeedsLogin("log in"), "log in"),
        (REFUSED, "the server says: no"),
        (asyncio.CancelledError(), "it was given up"),
        (OSError("no route"), "no route"),
        (KeyError(), "KeyError"),
        (BaseExceptionGroup("of the library", [ExceptionGroup("x", [REFUSED])]), "says: no"),
    ],
)
def test_every_reason_has_its_words(error: BaseException, said: str) -> None:
    assert said in reason(error)
    assert what_went_wrong(error, 5.0, "") == reason(error)


def test_an_answer_that_breaks_the_protocol_is_told_without_all_of_it() -> None:
    with pytest.raises(ValidationError) as caught:
        Tool.model_validate({"name": "a secret", "inputSchema": 5})
    assert reason(caught.value).startswith("its answer is not what the protocol says: ")
    assert "a secret" not in reason(caught.value)


def test_whatever_a_server_says_is_not_told_without_end() -> None:
    for error in (MCPError(INTERNAL_ERROR, "x" * 5000), OSError("x" * 5000)):
        assert len(reason(error)) == LONGEST_REASON


def test_only_the_end_of_a_connection_is_one_however_it_is_wrapped() -> None:
    assert is_closed(CLOSED)
    assert is_closed(ExceptionGroup("of the library", [CLOSED]))
    assert not is_closed(REFUSED)
    assert not is_closed(OSError())


def test_who_was_not_answered_learns_what_is_known_of_it() -> None:
    late = what_went_wrong(TimeoutError(), 0.5, "")
    assert late == "The server did not answer within 0.5 seconds; it was told to stop."
    ended = what_went_wrong(CLOSED, 5.0, "it broke")
    assert "Its last words: it broke." in ended
    assert "not undone" in ended
    assert "last words" not in what_went_wrong(CLOSED, 5.0, "")
