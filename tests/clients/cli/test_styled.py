"""Lines about agents have colours where there are any, and are the same without."""

import sys

import pytest
from tests.clients.cli.screens import screen

from hearth.clients.agents.lines import ADDED, PLAIN, STYLES
from hearth.clients.cli.styled import COLOURS, styled


def test_every_style_has_a_colour_of_its_own() -> None:
    assert set(COLOURS) == set(STYLES)
    assert len(set(COLOURS.values())) == len(STYLES)


def test_a_terminal_has_colours_and_a_pipe_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(styled([(ADDED, "+x"), (PLAIN, "y")])) == ["  +x", "  y"]
    screen(monkeypatch)
    assert list(styled([(ADDED, "+x")], sys.stderr, "")) == ["\x1b[32m+x\x1b[0m"]
