"""Ctrl-C between two steps."""

import select
import signal

import pytest

from hearth.clients.cli.pressing import Presses


def test_the_first_press_breaks_into_nothing_and_wakes_who_waits() -> None:
    with Presses() as presses:
        assert select.select([presses], [], [], 0)[0] == []
        signal.raise_signal(signal.SIGINT)
        assert presses.count == 1
        assert select.select([presses], [], [], 30)[0] == [presses]
        presses.heard()
        assert select.select([presses], [], [], 0)[0] == []


def test_the_second_press_interrupts() -> None:
    with Presses():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_afterwards_everything_is_as_it_was() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Presses() as presses:
        assert signal.getsignal(signal.SIGINT) != before
        descriptor = presses.fileno()
    assert signal.getsignal(signal.SIGINT) == before
    with pytest.raises(OSError, match="Bad file"):
        select.select([descriptor], [], [], 0)
