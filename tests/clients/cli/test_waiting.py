"""What follows a session wakes for whatever comes, and for whoever has gone."""

import io
import os
import sys

import pytest

from hearth.clients.cli.waiting import nobody_reads, wait


def test_that_nobody_reads_is_noticed_without_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with open(writing, "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor
        monkeypatch.setattr(sys, "stdout", out)
        assert not nobody_reads()
        os.close(reading)
        assert nobody_reads()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not nobody_reads()


class Source:
    """Something to wait for."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()

    def fileno(self) -> int:
        return self.reading

    def heard(self) -> None:
        os.read(self.reading, 1)


def test_who_writes_to_somebody_that_has_gone_is_told_also_when_nothing_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    daemon, presses, keyboard = Source(), Source(), Source()
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as out:  # noqa: PTH123 - a descriptor
        monkeypatch.setattr(sys, "stdout", out)
        with pytest.raises(BrokenPipeError):
            wait(daemon, presses, None, 0, writes=True)  # type: ignore[arg-type]  # what it uses of both
        assert not wait(daemon, presses, None, 0, writes=False)  # type: ignore[arg-type]  # the same
        os.write(keyboard.writing, b"x")
        assert wait(daemon, presses, keyboard.reading, 0, writes=True)  # type: ignore[arg-type]  # the same
        os.write(presses.writing, b"!")
        assert not wait(daemon, presses, keyboard.reading, 0, writes=True)  # type: ignore[arg-type]  # the same
