"""Events in one line."""

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from hearth.clients.cli.describing import COLOURS, described, failure_of

SAMPLES = Path(__file__).parents[2] / "samples"


def test_every_event_has_a_line(snapshot: SnapshotAssertion) -> None:
    lines = []
    for path in sorted((SAMPLES / "events").glob("*.json")):
        line = described(json.loads(path.read_text("utf-8")))
        assert line.startswith(path.stem)
        assert "\n" not in line
        assert len(line) < 160
        lines.append(line)
    assert "\n".join(lines) == snapshot


def test_every_failure_has_words() -> None:
    for path in sorted((SAMPLES / "failures").glob("*.json")):
        assert failure_of(json.loads(path.read_text("utf-8"))), path.stem
    assert failure_of({"type": "something_new"}) == "something_new"
    assert failure_of(None) == ""


@pytest.mark.parametrize("kind", sorted(COLOURS))
def test_colours_are_for_events_that_exist(kind: str) -> None:
    assert (SAMPLES / "events" / f"{kind}.json").exists()


def test_an_event_that_is_not_known_is_shown_with_what_it_says() -> None:
    line = described({"type": "moon_risen", "phase": "full", "at": [1, 2], "cell": "c1", "n": 3})
    assert line.split() == ["moon_risen", "c1", "phase=full", "n=3"]
    assert described({}) == "?"


def test_code_gives_no_orders_to_the_terminal() -> None:
    line = described({"type": "cell_started", "cell": "c1", "code": "x\x1b[2J\nmore"})
    assert "\x1b" not in line
    assert line.endswith("c1 x?[2J …")
