"""How interpreters are run unless somebody says otherwise."""

import msgspec
import pytest

from hearth.performers.interpreter.preferences import MIB, Preferences


def test_without_a_word_everything_but_memory_has_a_limit() -> None:
    assert {
        name for name, value in msgspec.structs.asdict(Preferences()).items() if value is None
    } == {"memory"}
    assert all(value > 0 for value in msgspec.structs.asdict(Preferences()).values() if value)


def test_printed_text_is_limited_before_pictures_are() -> None:
    wanted = Preferences()
    assert MIB <= wanted.output < wanted.displays


def test_a_cell_is_killed_before_anyone_takes_its_interpreter_for_an_orphan() -> None:
    wanted = Preferences()
    assert wanted.answer < wanted.kill_after < wanted.orphan_after


def test_they_are_shared_and_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Preferences().memory = 5  # type: ignore[misc]  # that it cannot is the point
