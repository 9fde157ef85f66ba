"""Pictures of results in what a model reads."""

from tests.core.rules.test_conversation import HERE, K1, block

from hearth.core.rules.conversation import Composer
from hearth.core.rules.pictures import MOST
from hearth.core.vocabulary.blocks import Role, TextBlock, ToolCallBlock, ToolResultBlock
from hearth.core.vocabulary.messages import Picture, Returned, ToolMessage

SEEN = Picture("image/png", 1, 1, "data")


def called(composer: Composer, version: int, *pictures: Picture) -> None:
    """A step with one call, and its result."""
    composer.take(
        block(version, Role.ASSISTANT, ToolCallBlock(K1, "look", "{}", "w"), version), HERE
    )
    result = ToolResultBlock(K1, "look", "a plot")
    composer.take(block(version + 1, Role.TOOL, result, version), HERE, pictures)


def test_pictures_stand_with_the_result_they_are_of() -> None:
    composer = Composer()
    called(composer, 1, SEEN)
    _, results = composer.messages()
    assert isinstance(results, ToolMessage)
    assert results.results == (Returned("w", "look", "a plot", pictures=(SEEN,)),)


def test_those_that_find_no_room_change_nothing_of_those_before() -> None:
    composer = Composer()
    called(composer, 1, *[SEEN] * MOST)
    before = composer.messages()
    called(composer, 3, SEEN)
    composer.take(block(5, Role.USER, TextBlock("and?")), HERE)
    closed = composer.closed()
    assert closed[:2] == before
    results = closed[3]
    assert isinstance(results, ToolMessage)
    assert not results.results[0].pictures[0].data


def test_a_result_that_does_not_count_takes_no_room() -> None:
    composer = Composer()
    called(composer, 1, SEEN)
    again = ToolResultBlock(K1, "look", "again")
    for version in range(3, 3 + MOST):
        composer.take(block(version, Role.TOOL, again, 1), HERE, (SEEN,))
    called(composer, 500, SEEN)
    _, results = composer.messages()
    assert isinstance(results, ToolMessage)
    assert results.results[0].pictures == (SEEN,)
