"""There is room for as many pictures as every provider takes, and none loses its place."""

from hypothesis import given
from hypothesis import strategies as st

from hearth.core.rules.pictures import LARGE, MOST, MOST_DATA, MOST_WITH_LARGE, PictureRoom
from hearth.core.vocabulary.messages import Picture

SMALL = Picture("image/png", LARGE, LARGE, "data")
WIDE = Picture("image/png", LARGE + 1, 1, "data")
HEAVY = Picture("image/png", 1, 1, "x" * (MOST_DATA // 5))
GONE = Picture("image/png", 1, 1, why="lost")


def shown(pictures: list[Picture]) -> list[Picture]:
    room = PictureRoom()
    return [found for one in pictures if (found := room.admit(one)).data]


def test_small_pictures_are_shown_up_to_what_a_request_takes() -> None:
    assert shown([SMALL] * (MOST + 5)) == [SMALL] * MOST


def test_with_a_large_one_among_them_only_few_are_shown() -> None:
    assert len(shown([WIDE, *[SMALL] * MOST])) == MOST_WITH_LARGE
    assert shown([*[SMALL] * MOST_WITH_LARGE, WIDE, SMALL]) == [SMALL] * (MOST_WITH_LARGE + 1)


def test_heavy_pictures_are_shown_as_long_as_a_request_can_carry_them() -> None:
    assert shown([HEAVY] * 7 + [SMALL]) == [HEAVY] * 5
    assert shown([HEAVY] * 4 + [SMALL]) == [*[HEAVY] * 4, SMALL]


def test_what_there_is_no_room_for_says_so_and_what_is_not_shown_takes_none() -> None:
    room = PictureRoom()
    assert room.admit(GONE) is GONE
    assert all(room.admit(SMALL).data for _ in range(MOST))
    assert room.admit(SMALL) == Picture(
        "image/png", LARGE, LARGE, why="the conversation has no room for another, behind 100"
    )


@given(st.lists(st.sampled_from([SMALL, WIDE, HEAVY, GONE]), max_size=130))
def test_no_request_has_more_than_is_taken(pictures: list[Picture]) -> None:
    found = shown(pictures)
    has_large = any(max(one.width, one.height) > LARGE for one in found)
    assert len(found) <= (MOST_WITH_LARGE if has_large else MOST)
    assert sum(len(one.data) for one in found) <= MOST_DATA
