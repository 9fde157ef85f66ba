"""Which calls of a step wait for which: what changes something keeps its place."""

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.conversation_state import OpenCall
from hearth.core.rules.in_order import behind, is_behind
from hearth.core.vocabulary.ids import CallId

READERS = ("look", "inspect")
CALLS = st.lists(
    st.tuples(st.sampled_from(["look", "write", "run_code"]), st.sampled_from(["", "on", "done"])),
    max_size=8,
).map(lambda rows: tuple(called(place, *row) for place, row in enumerate(rows)))


def called(place: int, name: str, standing: str = "") -> OpenCall:
    is_started, is_done = standing == "on", standing == "done"
    return OpenCall(CallId(f"k{place}"), name, "{}", is_started=is_started, is_done=is_done)


def waiting(*rows: tuple[str, str] | str) -> list[str]:
    calls = tuple(
        called(place, *((row,) if isinstance(row, str) else row)) for place, row in enumerate(rows)
    )
    return sorted(behind(calls, READERS))


def test_what_only_reads_waits_for_what_changes_something_and_not_for_its_like() -> None:
    assert waiting("look", "look", "inspect") == []
    assert waiting("look", "write", "look", "look") == ["k1", "k2", "k3"]


def test_what_changes_something_waits_for_all_before_it_until_they_are_done() -> None:
    assert waiting(("look", "on"), "write") == ["k1"]
    assert waiting(("look", "done"), "write", "write") == ["k2"]
    assert waiting(("write", "on"), "write", "look") == ["k1", "k2"]


def test_a_cell_waits_for_no_cell_that_has_begun_but_for_one_that_has_not() -> None:
    assert waiting(("run_code", "on"), "run_code", "run_code") == ["k2"]
    assert waiting(("run_code", "on"), "look", "write") == ["k1", "k2"]
    assert waiting(("write", "on"), "run_code") == ["k1"]


@given(CALLS)
def test_it_is_what_comparing_each_with_all_before_it_says(calls: tuple[OpenCall, ...]) -> None:
    def is_ahead(before: OpenCall, call: OpenCall) -> bool:
        if before.is_done or (before.name in READERS and call.name in READERS):
            return False
        return not (before.is_started and before.name == call.name == "run_code")

    for place, call in enumerate(calls):
        compared = any(is_ahead(one, call) for one in calls[:place])
        assert is_behind(calls, call.call, READERS) == compared
