"""The events of cells, which are found with all others too."""

import pytest
from tests.contracts.words import members

from hearth.core.vocabulary import cells, events
from hearth.core.vocabulary.codec import encode
from hearth.core.vocabulary.ids import CellId
from hearth.core.vocabulary.wire import Word

CELLS = [
    one
    for one in vars(cells).values()
    if isinstance(one, type) and issubclass(one, Word) and one.__module__ == cells.__name__
]


@pytest.mark.parametrize("word", CELLS)
def test_each_is_an_event_and_found_among_them(word: type[Word]) -> None:
    assert word in members(events.Event)
    assert getattr(events, word.__name__) is word
    assert word.__name__ in events.__all__


@pytest.mark.promise("SF-LOG-11")
def test_a_cell_that_asks_for_nothing_special_is_written_as_it_always_was() -> None:
    started = cells.CellStarted(CellId("c1"), "x = 1")
    assert encode(started) == b'{"type":"cell_started","cell":"c1","code":"x = 1"}'
    finished = cells.CellFinished(CellId("c1"), 0.5)
    assert encode(finished) == b'{"type":"cell_finished","cell":"c1","duration":0.5}'
