"""When a request is made again."""

import pytest

from hearth.core.rules.retrying import AGAIN, CAP, FLOOR, LONGEST_WISH, pause
from hearth.core.vocabulary.modelling import Trouble

BUSY = Trouble.OVERLOADED


@pytest.mark.promise("DL-MGR-02")
@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 1.0), (2, 2.0), (3, 4.0), (7, 60.0), (50, 60.0)]
)
def test_pauses_grow_from_a_floor_to_a_cap(failures: int, seconds: float) -> None:
    assert pause(BUSY, failures, 100) == seconds
    assert FLOOR <= seconds <= CAP


def test_after_as_many_as_may_be_there_is_none() -> None:
    assert pause(BUSY, 3, 3) is not None
    assert pause(BUSY, 4, 3) is None


def test_our_own_store_is_waited_for_as_long_as_it_takes() -> None:
    assert pause(Trouble.UNREADABLE, 500, 3) == CAP
    for trouble in AGAIN - {Trouble.UNREADABLE}:
        assert pause(trouble, 4, 3) is None


def test_a_providers_wish_is_kept_unless_it_is_unreasonable() -> None:
    assert pause(BUSY, 1, 5, 20.0) == 20.0
    assert pause(BUSY, 5, 5, 0.5) == 16.0
    assert pause(BUSY, 1, 5, LONGEST_WISH + 1) is None


@pytest.mark.parametrize("trouble", Trouble)
def test_only_what_may_be_gone_the_next_time_is_tried_again(trouble: Trouble) -> None:
    lasting = {
        Trouble.OVERFLOW,
        Trouble.CREDENTIALS,
        Trouble.REJECTED,
        Trouble.UNKNOWN_MODEL,
        Trouble.RESTARTED,
    }
    assert (pause(trouble, 1, 5) is None) is (trouble in lasting)
    assert set(Trouble) - lasting == AGAIN
