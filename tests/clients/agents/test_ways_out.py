"""What helps is said in the words of the door where it is read."""

import pytest

from hearth.clients.agents.ways_out import AT_PROMPT, AT_SHELL, ways_out
from hearth.core.rules.forking import WAYS_OUT
from hearth.core.rules.state import LOOK_AT_BLOCKS
from hearth.core.rules.undoing import CHOOSE, REBUILD

NEAREST = "undo_cells with cell=c4 takes it back with all that came after"


@pytest.mark.parametrize("words", [AT_PROMPT, AT_SHELL])
def test_nothing_that_the_rules_say_is_left_in_their_words(words: dict[str, str]) -> None:
    for said in ways_out([*WAYS_OUT, CHOOSE, REBUILD, NEAREST], words):
        assert " with how=" not in said
        assert "choose_undo" not in said
        assert "undo_cells" not in said


def test_a_way_out_is_something_that_can_be_typed() -> None:
    assert ways_out([REBUILD, CHOOSE, NEAREST], AT_PROMPT) == [
        ".branch --replay rebuilds it by running the cells before it again",
        ".undo on keeps a copy before people's cells, too",
        ".undo c4 takes it back with all that came after",
    ]
    assert ways_out([REBUILD, CHOOSE, NEAREST], AT_SHELL) == [
        "`hearth fork --how replay` rebuilds it by running the cells before it again",
        "`hearth undo --for everyone` keeps a copy before people's cells, too",
        "`hearth undo c4` takes it back with all that came after",
    ]


def test_what_is_no_command_stays_as_it_is() -> None:
    assert ways_out(["wait for it"], AT_SHELL) == ["wait for it"]


@pytest.mark.parametrize("words", [AT_PROMPT, AT_SHELL])
def test_where_blocks_are_named_is_said_as_it_is_typed(words: dict[str, str]) -> None:
    (shown,) = ways_out([LOOK_AT_BLOCKS], words)
    assert (".conversation" in shown) is (words is AT_PROMPT)
    assert ("`hearth events" in shown) is (words is AT_SHELL)
