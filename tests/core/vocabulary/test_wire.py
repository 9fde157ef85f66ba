"""The table of wire names: complete, unique, and the only way to define a word."""

import re

import pytest
from tests.contracts.words import all_words, tag_of

from hearth.core.vocabulary.wire import BASES, WIRE, Wire, Word, wire_tag


def test_every_tag_is_unique() -> None:
    tags = [wire.tag for wire in WIRE.values()]
    assert sorted(set(tags)) == sorted(tags)


def test_a_tag_is_the_name_of_its_class_in_small_letters() -> None:
    for name, wire in WIRE.items():
        assert wire.name == re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        assert wire.version >= 1


def test_only_later_versions_show_their_number() -> None:
    assert Wire("cell_started").tag == "cell_started"
    assert Wire("cell_started", 1).tag == "cell_started"
    assert Wire("cell_started", 2).tag == "cell_started.v2"


def test_a_word_that_is_not_in_the_table_cannot_be_defined() -> None:
    with pytest.raises(KeyError, match="Invented"):

        class Invented(Word, frozen=True):
            """No such word."""

    assert "Invented" not in {word.__name__ for word in all_words()}


def test_every_word_carries_the_tag_of_the_table() -> None:
    words = list(all_words())
    assert len(words) > 50
    for word in words:
        assert tag_of(word) == WIRE[word.__name__].tag == wire_tag(word.__name__)


def test_a_base_is_never_on_the_wire() -> None:
    assert not BASES & set(WIRE)


def test_words_cannot_be_changed() -> None:
    for word in all_words():
        assert word.__struct_config__.frozen
        assert word.__struct_config__.forbid_unknown_fields
