"""Requests grow at their end alone, and it is known how far each is like the one before."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.ids import BlockId
from hearth.core.vocabulary.messages import (
    AssistantMessage,
    Message,
    Returned,
    SaidText,
    ToolMessage,
    UserMessage,
)
from hearth.performers.language_model.pieces import Laid, Pieces


def user(text: str, block: str = "b1") -> Message:
    return UserMessage(BlockId(block), text)


def said(text: str, block: str = "b2") -> Message:
    return AssistantMessage(BlockId(block), (SaidText(text),))


def result(text: str, block: str = "b3") -> Message:
    return ToolMessage(BlockId(block), (Returned("call_1", "run_code", text),))


def encode(message: Message, marked: bool) -> bytes:  # noqa: FBT001 - as it is called
    text = str(message)
    if "nothing" in text:
        return b""
    return json.dumps({"text": text, "mark": 1} if marked else {"text": text}).encode()


def plain(message: Message) -> bytes:
    return encode(message, False)  # noqa: FBT003 - the one flag there is


def unmarked(laid: Laid) -> bytes:
    return laid.body.replace(b', "mark": 1', b"")


def marks(laid: Laid) -> list[int]:
    return [place for place, one in enumerate(json.loads(b"[" + laid.body + b"]")) if "mark" in one]


MESSAGES = st.lists(
    st.builds(lambda make, text: make(text), st.sampled_from([user, said, result]), st.text("ab")),
    min_size=1,
    max_size=12,
)


@given(MESSAGES, st.data())
@pytest.mark.promise("DP-WIRE-02")
def test_every_request_is_a_prefix_of_the_next_and_knows_it(
    messages: list[Message], data: st.DataObject
) -> None:
    pieces, requests, open_ = Pieces(encode), list[Laid](), list[Message]()
    for message in messages:
        for one in open_:
            pieces.close(one)
        open_ = [message]
        if data.draw(st.booleans()):
            pieces.close(message)
            open_ = []
        requests.append(pieces.lay(open_))
        assert pieces.told(open_) == requests[-1].hashes
        pieces.sent(requests[-1].hashes)
    for before, after in pairwise(requests):
        assert unmarked(after).startswith(unmarked(before))
        assert after.shared == before.size == len(unmarked(before))
        assert after.differs_at is None
        assert len(marks(after)) <= 3
    assert requests[0].shared == 0


@given(MESSAGES, MESSAGES, st.integers(0, 12))
def test_bytes_do_not_depend_on_what_is_closed_or_was_sent(
    first: list[Message], second: list[Message], closed: int
) -> None:
    whole = Pieces(encode)
    for message in (*first, *second):
        whole.close(message)
    parts = Pieces(encode)
    for message in first[:closed]:
        parts.close(message)
    laid = parts.lay([*first[closed:], *second])
    assert laid.body == whole.lay([]).body
    assert laid.size == whole.lay([]).size == len(unmarked(laid))


def test_the_ends_of_distinct_phases_are_marked_and_nothing_else() -> None:
    pieces = Pieces(encode)
    for message in (user("go"), said("first"), result("one")):
        pieces.close(message)
    before = pieces.lay([])
    assert marks(before) == [1, 2]
    pieces.sent(before.hashes)
    for message in (said("second"), result("two"), said("third")):
        pieces.close(message)
    assert marks(pieces.lay([result("three")])) == [2, 5, 6]
    assert marks(pieces.lay([result("three"), user("also")])) == [2, 5, 7]


def test_a_message_that_was_still_open_in_the_request_before_is_marked_as_its_end() -> None:
    pieces = Pieces(encode)
    pieces.close(user("go"))
    open_ = [said("first"), result("one")]
    pieces.sent(pieces.lay(open_).hashes)
    for message in open_:
        pieces.close(message)
    later = pieces.lay([said("second"), result("two")])
    assert marks(later) == [2, 3, 4]


def test_a_request_of_one_message_has_one_mark() -> None:
    assert marks(Pieces(encode).lay([user("go")])) == [0]


def test_where_a_request_differs_is_told_by_its_block() -> None:
    pieces = Pieces(encode)
    for message in (user("go"), said("first"), user("on", "b5")):
        pieces.close(message)
    sent = pieces.lay([])
    other = Pieces(encode, sent.hashes)
    for message in (user("go"), said("first"), user("back", "b9")):
        other.close(message)
    laid = other.lay([said("second", "b10")])
    assert laid.differs_at == "b9"
    assert laid.shared == len(plain(user("go")) + b"," + plain(said("first")))
    assert marks(laid) == [1, 2, 3]


def test_a_shorter_request_that_is_a_beginning_differs_nowhere() -> None:
    pieces = Pieces(encode)
    for message in (user("go"), said("first"), user("on")):
        pieces.close(message)
    other = Pieces(encode, pieces.lay([]).hashes)
    other.close(user("go"))
    laid = other.lay([said("first")])
    assert laid.differs_at is None
    assert laid.shared == laid.size


def test_a_message_that_says_nothing_on_this_wire_leaves_no_trace() -> None:
    pieces = Pieces(encode)
    for message in (said("nothing"), user("go"), said("nothing")):
        pieces.close(message)
    laid = pieces.lay([said("nothing"), user("on")])
    assert [one["text"] for one in json.loads(b"[" + laid.body + b"]")] == [
        str(user("go")),
        str(user("on")),
    ]
    assert len(pieces) == 1
    assert pieces.size == len(plain(user("go")))
    assert Pieces(encode).lay([said("nothing")]).size == 0
