"""How interpreters are run unless somebody says otherwise."""

import os

import msgspec
import pytest

from hearth.performers.interpreter.preferences import MIB, Preferences


def test_without_a_word_everything_has_a_limit() -> None:
    for name, value in msgspec.structs.asdict(Preferences()).items():
        assert value is not None, name
        assert value > 0, name


def test_one_session_never_has_the_whole_machine() -> None:
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    memory = Preferences().memory
    assert memory is not None
    assert 0 < memory < machine


def test_printed_text_is_limited_before_pictures_are() -> None:
    wanted = Preferences()
    assert MIB <= wanted.output < wanted.displays


def test_a_cell_is_killed_before_anyone_takes_its_interpreter_for_an_orphan() -> None:
    wanted = Preferences()
    assert wanted.answer < wanted.kill_after < wanted.orphan_after


def test_they_are_shared_and_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Preferences().memory = 5  # type: ignore[misc]  # that it cannot is the point
