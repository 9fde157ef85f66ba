"""Patches are what Datastar's own library would send, and merging them gives what was meant."""

from typing import Any

from datastar_py.sse import ServerSentEventGenerator
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.http.editors.watched import merged

from hearth.servers.http.editors.signals import changes, patch_frame

texts = st.text(max_size=8)
leaves = st.booleans() | st.integers() | texts | st.lists(st.integers(), max_size=3)
signals = st.recursive(
    st.dictionaries(texts, leaves, max_size=4),
    lambda inner: st.dictionaries(texts, leaves | inner, max_size=4),
    max_leaves=12,
)


@given(signals, st.none() | st.integers(min_value=1))
def test_a_frame_is_byte_for_byte_that_of_the_library(
    shown: dict[str, Any], cursor: int | None
) -> None:
    event_id = None if cursor is None else str(cursor)
    theirs = ServerSentEventGenerator.patch_signals(shown, event_id=event_id)
    assert patch_frame(shown, cursor) == theirs.encode()


def test_nothing_in_a_text_can_end_a_line() -> None:
    hostile = "a\nevent: x\r\n\ndata: y\u2028\u2029\x0c\x85</script>"
    frame = patch_frame({"x": hostile})
    assert frame.count(b"\n") == 3
    assert frame.isascii()
    assert b"\r" not in frame


@given(signals, signals)
def test_merging_the_changes_gives_what_is_now(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert merged(before, changes(before, after)) == after
    assert changes(after, after) == {}


def test_only_what_is_other_is_told_and_what_is_gone_is_taken_away() -> None:
    before = {"a": 1, "b": {"c": [1], "d": 2}, "e": 3}
    after = {"a": 1, "b": {"c": [1, 2], "d": 2}, "f": 4}
    assert changes(before, after) == {"b": {"c": [1, 2]}, "e": None, "f": 4}
    assert changes({"a": {"b": 1}}, {"a": "text"}) == {"a": "text"}
    assert changes({"a": 1}, {"a": True})["a"] is True
