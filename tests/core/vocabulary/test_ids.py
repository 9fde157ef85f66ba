"""Ids follow from what they belong to, so that doing a thing again gives the same ones."""

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.vocabulary.ids import DAEMON_STREAM, InputId, cell_id, event_id


@given(st.text(), st.integers(min_value=0), st.integers(min_value=0))
def test_the_ids_of_consequences_are_told_apart_and_can_be_made_again(
    cause: str, one: int, other: int
) -> None:
    made = event_id(InputId(cause), one)
    assert made == event_id(InputId(cause), one)
    assert made.startswith(f"{cause}.")
    assert (made == event_id(InputId(cause), other)) is (one == other)


@given(st.text(), st.text(), st.integers(min_value=0, max_value=30), st.integers(min_value=0))
def test_the_consequences_of_two_inputs_never_share_an_id(
    one: str, other: str, place: int, place_of_other: int
) -> None:
    same = event_id(InputId(one), place) == event_id(InputId(other), place_of_other)
    assert same is ((one, place) == (other, place_of_other))


def test_cells_are_counted() -> None:
    assert [cell_id(number) for number in (1, 2, 17)] == ["c1", "c2", "c17"]


def test_the_daemon_has_a_stream_of_its_own() -> None:
    assert DAEMON_STREAM == "daemon-sessions"
    assert not DAEMON_STREAM.startswith("session-")
